/** Words of a person or a provider, escaped so that Markdown shows them as they are (one line). */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>~|#&]/gu, '\\$&');
}

/** Words of a person as a Markdown quotation, each line as they wrote it. */
export function quote(text: string): string {
  return text
    .split(/\r\n|[\r\n]/u)
    .map((line) => `> ${withoutBlock(escapeMarkdown(line))}`)
    .join('\n');
}

/** The line without what would begin a list, an underline or, by its indentation, a block of code. */
function withoutBlock(line: string): string {
  return line.replace(/^[ \t]+/u, (blank) => '\u00a0'.repeat(blank.length)).replace(/^(\d{0,9})([-+=:.)])/u, '$1\\$2');
}

/** `1 message`, `3 messages`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** A number of tokens as people read it (SPEC 8.1): `950`, `84.2k`, `1.2M`. */
export function tokens(n: number): string {
  if (n < 1000) return String(Math.round(n));
  const [value, unit] = n < 999_950 ? [n / 1000, 'k'] : [n / 1_000_000, 'M'];
  return `${value.toFixed(1).replace(/\.0$/u, '')}${unit}`;
}

/** How many messages that waited were dropped, as a sentence to append; empty for none. */
export function droppedSentence(dropped: number): string {
  if (dropped === 0) return '';
  return dropped === 1
    ? ' 1 message that was waiting is dropped.'
    : ` ${dropped} messages that were waiting are dropped.`;
}
