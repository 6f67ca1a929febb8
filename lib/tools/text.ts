/** Words of servers, as others may read them. */

/** What makes text run the other way: a name could show as another. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text in one line, at most `chars` UTF-16 units. */
export function oneLine(text: string, chars: number): string {
  const line = text
    .replace(TURNS, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > chars ? `${line.slice(0, chars - 1).toWellFormed()}…` : line.toWellFormed();
}

/** The text, at most `chars` UTF-16 units and then the sentence, if it had to be cut. */
export function cut(text: string, chars: number, sentence: string): string {
  if (text.length <= chars) return text.toWellFormed();
  return `${text.slice(0, chars).toWellFormed()}\n\n[${sentence}]`;
}

/** A size in words. */
export function sizeOf(bytes: number): string {
  return bytes < 1_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000)} kB`;
}
