/** How a stretch of text looks. A heading keeps its depth, for apps that have headings. */
export type Style =
  | { kind: 'bold' | 'italic' | 'strike' | 'code' | 'quote' }
  | { kind: 'heading'; depth: number }
  | { kind: 'pre'; language?: string }
  | { kind: 'link'; url: string };

/** `style` holds from `start` up to, not including, `end`, in UTF-16 units of the text. */
export interface Span {
  start: number;
  end: number;
  style: Style;
}

/**
 * A drawn text: what people read, how it looks, and where its blocks end. Spans nest properly: of two with a character
 * in common one contains the other, and the outer one comes first.
 */
export interface Rich {
  text: string;
  spans: Span[];
  /** Offsets, ascending, at which a new block begins. */
  borders: number[];
}

/** Words without a look of their own. */
export function plainRich(text: string): Rich {
  return { text, spans: [], borders: [] };
}

/** A stretch in one look: no span begins or ends in it. */
export interface Run {
  start: number;
  end: number;
  /** The spans that hold it, the outer ones first. */
  around: Span[];
}

/** The runs from `start` to `end`, in order. */
export function runsOf(spans: readonly Span[], start: number, end: number): Run[] {
  const touching = spans.filter((span) => span.start < end && span.end > start);
  const inside = touching.flatMap((span) => [span.start, span.end]).filter((at) => at > start && at < end);
  const cuts = [...new Set([start, ...inside, end])].sort((a, b) => a - b);
  return cuts.slice(1).map((to, n) => {
    const from = cuts[n] ?? start;
    return { start: from, end: to, around: touching.filter((span) => span.start <= from && to <= span.end) };
  });
}

/** Builds a `Rich` from front to back. */
export class RichBuilder {
  #text = '';
  readonly #spans: Span[] = [];
  readonly #borders: number[] = [];

  #indent = '';

  /** Adds text; its lines after the first are indented as the list item that they stand in. */
  add(text: string): void {
    this.#text += this.#indent ? text.replaceAll('\n', `\n${this.#indent}`) : text;
  }

  /** Adds code or a drawing, which stays as it is. */
  addVerbatim(text: string): void {
    this.#text += text;
  }

  /** Indents the lines that `write` begins by this many spaces more. */
  indented(spaces: number, write: () => void): void {
    const outer = this.#indent;
    this.#indent += ' '.repeat(spaces);
    write();
    this.#indent = outer;
  }

  /** Marks that a new block begins here. */
  border(): void {
    if (this.#text.length > (this.#borders.at(-1) ?? 0)) this.#borders.push(this.#text.length);
  }

  /** Gives a style to what `write` adds. */
  styled(style: Style, write: () => void): void {
    const index = this.#spans.length;
    const start = this.#text.length;
    write();
    const end = this.#text.length;
    // Put in front of the spans inside it, so that the outer one comes first.
    if (end > start) this.#spans.splice(index, 0, { start, end, style });
  }

  build(): Rich {
    return { text: this.#text, spans: this.#spans, borders: this.#borders };
  }
}

/** The stretch from `start` to `end`; a style that is cut in two goes on in the next stretch. */
export function sliceRich(rich: Rich, start: number, end: number): Rich {
  const within = (offset: number) => Math.min(Math.max(offset, start), end) - start;
  return {
    text: rich.text.slice(start, end),
    spans: rich.spans
      .map((span) => ({ ...span, start: within(span.start), end: within(span.end) }))
      .filter((span) => span.end > span.start),
    borders: rich.borders.filter((border) => border > start && border < end).map((border) => border - start),
  };
}

/** Whether nobody sees anything of the text: white space and invisible characters only. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]*$/u.test(text);
}
