import { percentEncoded } from '../shared/links.ts';
import type { Rich, Span } from '../shared/rich.ts';
import { SpanWriter } from '../shared/spanWriter.ts';

/** Keeps two marks from being read as one; nobody sees it. */
const JOINER = '\u2060';
/** What Markdown reads as formatting or an address wherever it stands. `<` and `&` begin HTML, and `<at>` a mention. */
const SPECIAL = /[\\*_~|`[\]@]|:(?=\/\/)|(?<=www)\./gi;
/** What it reads so at the start of a line: headings, lists, underlines of headings, rules, rows of a table. */
const LINE_START = /^([#+=:-]|\d{1,9}(?=[.)]))/gm;
/** Four blanks at the start of a line would begin a block of code, and fewer would not be seen. */
const INDENT = /^[ \t]+/gm;
const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const MARKS = { bold: '**', italic: '*', strike: '~~', heading: '**' } as const;

/** Text that Teams shows as it is: nothing in it is formatting, HTML or a mention (SPEC 13.4). */
export function escaped(text: string): string {
  return text
    .replace(/[&<>]/g, (sign) => HTML[sign] ?? sign)
    .replace(SPECIAL, '\\$&')
    .replace(LINE_START, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
    .replace(INDENT, (blanks) => '\u00a0'.repeat(blanks.length))
    .replace(/\n+/g, (lines) => (lines.length === 1 ? '  \n' : '\n\n'));
}

/** How long a text becomes at most when it is escaped, in UTF-16 units; a longer text never counts less. */
export function escapedLength(text: string): number {
  const html = text.match(/[&<>]/g)?.length ?? 0;
  const lines = text.match(/\n/g)?.length ?? 0;
  const others = text.match(/[\\*_~|`[\]@#+=:.)-]/g)?.length ?? 0;
  return text.length + 4 * html + 2 * lines + others;
}

/** A drawn text in the Markdown that Teams shows: no headings and tables, a line's end as two blanks. */
export function toTeams(rich: Rich): string {
  return new Writer(rich).write();
}

/** A link behind a `!` would be an image, which clients fetch. */
function joined(before: string, after: string): string {
  const isImage = before.endsWith('!') && after.startsWith('[');
  return isImage ? `${before.slice(0, -1)}\\!${after}` : before + after;
}

const isLetter = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);
const isOpen = (sign: string | undefined) => sign === undefined || /\s/.test(sign);

class Writer extends SpanWriter {
  #out = '';
  /** What is written still ends with the mark that closed a style. */
  #closed = false;
  /** A quotation has ended: what follows would go on with it, unless a blank line stands between. */
  #quoted = false;

  write(): string {
    this.writeAll();
    return this.#out;
  }

  protected override plain(text: string): void {
    const words = this.#quoted ? text.replace(/^\n+/, '') : text;
    if (!words) return;
    this.#endQuote();
    this.#add(this.#isLineStart ? escaped(words) : escaped(`x${words}`).slice(1));
  }

  protected override styled({ start, end, style }: Span, within: () => void): void {
    const words = this.text.slice(start, end);
    if (style.kind === 'pre') this.#fence(words);
    else if (style.kind === 'code') this.#code(words);
    else if (style.kind === 'quote') this.#quote(within);
    else if (style.kind === 'link') this.#link(words, style.url, within);
    else this.#marked(MARKS[style.kind], end, within);
  }

  get #isLineStart(): boolean {
    return this.#out === '' || this.#out.endsWith('\n');
  }

  #endQuote(): void {
    if (this.#quoted) this.#out = `${this.#out.trimEnd()}\n\n`;
    this.#quoted = false;
  }

  #add(text: string): void {
    this.#endQuote();
    this.#out = joined(this.#out, text);
    if (text) this.#closed = false;
  }

  /** A run of ticks that is longer than any inside. */
  #ticks(code: string, least: number): string {
    const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
    return '`'.repeat(Math.max(least, longest + 1));
  }

  #code(code: string): void {
    const words = code.replaceAll('\n', ' ');
    const ticks = this.#ticks(words, 1);
    const pad = /^`|`$/.test(words) ? ' ' : '';
    this.#add(`${this.#closed ? JOINER : ''}${ticks}${pad}${words}${pad}${ticks}`);
    this.#closed = true;
  }

  /** On lines of its own. The language stays out: some clients show it as the first line. */
  #fence(code: string): void {
    const ticks = this.#ticks(code, 3);
    this.#add(`${this.#isLineStart ? '' : '\n'}${ticks}\n${code}\n${ticks}\n`);
  }

  /** Each of its lines is marked. */
  #quote(within: () => void): void {
    const before = this.#out === '' ? '' : `${this.#out.trimEnd()}\n\n`;
    this.#out = '';
    this.#quoted = false;
    within();
    const lines = this.#out.trimEnd().split('\n');
    this.#out = before + lines.map((line) => `> ${line}`).join('\n');
    this.#quoted = true;
  }

  /** Marks are read as such beside letters, and beside other signs at a border of words; elsewhere the words stand alone. */
  #marked(mark: string, end: number, within: () => void): void {
    this.#endQuote();
    const before = this.#out;
    const isBeside = this.#closed || before.endsWith(mark[0] ?? '');
    this.#out = '';
    within();
    const inner = this.#out;
    const opens = isLetter(inner.at(0)) || (!isBeside && isOpen(before.at(-1)));
    const closes = isLetter(inner.at(-1)) || isOpen(this.text[end]);
    const holds = opens && closes && !/\n\s*\n/.test(inner);
    this.#out = holds ? `${before}${isBeside ? JOINER : ''}${mark}${inner}${mark}` : joined(before, inner);
    this.#closed ||= holds;
  }

  /** A label over several lines is just the words. */
  #link(words: string, url: string, within: () => void): void {
    if (/[\n[\]]/.test(words)) {
      within();
      return;
    }
    this.#add('[');
    within();
    const target = url.replace(/[<>()\s\\*_~|`[\]]|&(?=#?\w+;)/g, percentEncoded);
    this.#add(`](${target})`);
    this.#closed = false;
  }
}
