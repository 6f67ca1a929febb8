import { percentEncoded } from '../shared/links.ts';
import type { Rich, Span } from '../shared/rich.ts';
import { SpanWriter } from '../shared/spanWriter.ts';

/** Keeps two marks, or the ticks of a fence, from being read as one; nobody sees it. */
const JOINER = '\u2060';
/** What Discord reads as formatting, a mention, an emoji or a link, wherever it stands. */
const SPECIAL = /[\\*_~|`<[\]@]|:(?=[\w+-]+:|\/\/)/g;
/** What it reads so at the start of a line: headings, small print, quotations, lists. */
const LINE_START = /^([ \t]*)(#{1,3}(?=\s)|-(?=[ #])|>(?=\s|>>\s)|\+(?= ))/gm;
/** A fence's language, in the form that Discord takes for one. */
const LANGUAGE = /^[A-Za-z0-9_+.#-]+$/;
const HEADING_DEPTH = 3;
const MARKS = { bold: '**', italic: '*', strike: '~~' } as const;

/** Text that Discord shows as it is: nothing in it is formatting, and nobody is mentioned (SPEC 13.4). */
export function escaped(text: string): string {
  return text.replace(SPECIAL, '\\$&').replace(LINE_START, '$1\\$2');
}

/** How long a text becomes at most when it is escaped, in UTF-16 units; a longer text never counts less. */
export function escapedLength(text: string): number {
  return text.length + (text.match(/[\\*_~|`<[\]@:#>+-]/g)?.length ?? 0);
}

/** Words between ticks, shown as they are. Three ticks would begin a block, so no two stand together inside. */
export function inlineCode(text: string): string {
  const words = text.replace(/`(?=`)/g, `$&${JOINER}`);
  const ticks = words.includes('`') ? '``' : '`';
  return `${ticks}${words.replace(/^ *`/, ' $&').replace(/` *$/, '$& ')}${ticks}`;
}

/** A drawn text in Discord's Markdown. */
export function toDiscord(rich: Rich): string {
  return new Writer(rich).write();
}

class Writer extends SpanWriter {
  #out = '';
  /** What is written still ends with the mark that closed a style. */
  #closed = false;

  write(): string {
    this.writeAll();
    return this.#out;
  }

  protected override styled({ start, end, style }: Span, within: () => void): void {
    const words = this.text.slice(start, end);
    if (style.kind === 'pre') this.#fence(words, style.language);
    else if (style.kind === 'code') this.#code(words);
    else if (style.kind === 'quote') this.#quote(within);
    else if (style.kind === 'heading') this.#heading(words, style.depth, within);
    else if (style.kind === 'link') this.#link(words, style.url, within);
    else this.#marked(MARKS[style.kind], within);
  }

  protected override plain(text: string): void {
    // Behind a mark too: what stands in a style is read as a line of its own.
    if (text) this.#add(escaped(text));
  }

  get #isLineStart(): boolean {
    return this.#out === '' || this.#out.endsWith('\n');
  }

  #add(text: string): void {
    this.#out += text;
    this.#closed = false;
  }

  #code(words: string): void {
    if (this.#closed) this.#out += JOINER;
    this.#add(inlineCode(words));
    this.#closed = true;
  }

  #marked(mark: string, within: () => void): void {
    this.#open(mark);
    within();
    this.#out += mark;
    this.#closed = true;
  }

  #open(mark: string): void {
    if (this.#closed || this.#out.endsWith(mark[0] ?? '')) this.#out += JOINER;
    this.#out += mark;
    this.#closed = false;
  }

  #fence(code: string, language: string | undefined): void {
    if (!this.#isLineStart) this.#add('\n');
    const name = language && LANGUAGE.test(language) ? language : '';
    this.#add(`\`\`\`${name}\n${code.replace(/``(?=`)/g, `$&${JOINER}`).replace(/`$/, `$&${JOINER}`)}\n\`\`\``);
    this.#closed = true;
  }

  /** Each of its lines is marked; what follows begins a line of its own. */
  #quote(within: () => void): void {
    const before = this.#isLineStart ? this.#out : `${this.#out}\n`;
    this.#out = '';
    within();
    this.#out = `${before}${this.#out.replace(/^/gm, '> ')}`;
    this.#closed = true;
  }

  #heading(words: string, depth: number, within: () => void): void {
    const isHeading = depth <= HEADING_DEPTH && this.#isLineStart && !words.includes('\n');
    if (!isHeading) this.#marked(MARKS.bold, within);
    else {
      this.#add(`${'#'.repeat(depth)} `);
      within();
    }
  }

  /** A label that begins like an address would not be a link, so it is just the words. */
  #link(words: string, url: string, within: () => void): void {
    const isAddress = (words === url || `${words}/` === url) && !/[<>\s]/.test(words);
    if (isAddress) this.#add(`<${words}>`);
    else if (/:\/\/|[\n[\]]/.test(words)) within();
    else {
      this.#add('[');
      within();
      this.#add(`](<${url.replace(/[<>()\s\\*_~|`]/g, percentEncoded)}>)`);
    }
  }
}
