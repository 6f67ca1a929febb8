import { isBlank, type Rich, type Span, type Style } from './rich.ts';

/**
 * Writes a drawn text in an app's own markup: walks its styles, the outer ones first, and the text between them. A style
 * in itself is written once, and a heading counts as bold.
 */
export abstract class SpanWriter {
  protected readonly text: string;
  readonly #spans: Span[];

  constructor({ text, spans }: Rich) {
    this.text = text;
    this.#spans = spans
      .map((span) => tightened(text, span))
      .filter(({ start, end }) => !isBlank(text.slice(start, end)));
  }

  /** Writes text in no further style; it may be empty. */
  protected abstract plain(text: string): void;

  /** Writes a stretch in a style; `within` writes what stands in it. */
  protected abstract styled(span: Span, within: () => void): void;

  protected writeAll(): void {
    this.#range(0, this.text.length, this.#spans, []);
  }

  #range(start: number, end: number, spans: readonly Span[], around: readonly Style['kind'][]): void {
    let at = start;
    for (const [index, span] of spans.entries()) {
      if (span.start < at) continue;
      this.plain(this.text.slice(at, span.start));
      const inside = spans.slice(index + 1).filter((one) => one.start < span.end);
      this.#span(span, inside, around);
      at = span.end;
    }
    this.plain(this.text.slice(at, end));
  }

  #span(span: Span, inside: readonly Span[], around: readonly Style['kind'][]): void {
    const { start, end, style } = span;
    const within = () => this.#range(start, end, inside, [...around, style.kind]);
    const isThere = around.includes(style.kind) || (style.kind === 'bold' && around.includes('heading'));
    if (isThere) within();
    else this.styled(span, within);
  }
}

/** Where a style may hold: none is empty or begins or ends with white space, which its marks would not stand beside. */
function tightened(text: string, { start, end, style }: Span): Span {
  const words = text.slice(start, end);
  if (style.kind === 'pre') return { start, end, style };
  const from = start + words.length - words.trimStart().length;
  return { start: from, end: Math.max(from, start + words.trimEnd().length), style };
}
