import { graphemes } from './graphemes.ts';
import { isBlank, type Rich, sliceRich } from './rich.ts';

/** How long a text counts in an app's unit. A longer text never counts less, and every code point counts at least 1. */
export type Measure = (text: string) => number;

/** A cut at a better border is taken only if the piece is at least this full. */
const MIN_FILL = 0.3;

/** Made when it is first used, as that of `graphemes`. */
let sentences: Intl.Segmenter | undefined;

/**
 * Splits at block, else line, sentence, word, then character borders, so that every piece counts at most `limit`
 * (SPEC 13.2). White space at a cut is dropped outside code. At least one piece.
 * @param limit at least 4, so that any code point fits.
 */
export function splitRich(rich: Rich, limit: number, measure: Measure): Rich[] {
  const pieces: Rich[] = [];
  const total = rich.text.length;
  let start = 0;
  while (start < total) {
    const end = cutAfter(rich, start, limit, measure);
    const piece = trimmed(rich, start, end);
    if (piece) pieces.push(piece);
    start = end === total ? total : nextStart(rich, end);
  }
  return pieces.length > 0 ? pieces : [rich];
}

/** Where the piece that begins at `start` ends: always farther. */
function cutAfter(rich: Rich, start: number, limit: number, measure: Measure): number {
  const { text } = rich;
  if (text.length - start <= limit * 2 && measure(text.slice(start)) <= limit) return text.length;
  const farthest = start + longestFit(text.slice(start, start + limit * 2), limit, measure);
  const least = start + Math.floor((farthest - start) * MIN_FILL);
  const fits = (border: number) => border > least && border <= farthest;
  return (
    rich.borders.findLast(fits) ??
    lastOf(text, '\n', least, farthest) ??
    (isInCode(rich, farthest) ? undefined : sentenceEnd(text, start, farthest, fits)) ??
    lastOf(text, ' ', least, farthest) ??
    farthest
  );
}

/** Length in UTF-16 units of the longest beginning of `window` that fits and cuts no combined character. */
function longestFit(window: string, limit: number, measure: Measure): number {
  const whole = endsOfFit(window, graphemes(window), limit, measure);
  if (whole > 0) return whole;
  // One combined character is longer than a message: cut between its code points.
  return endsOfFit(window, window, limit, measure) || String.fromCodePoint(window.codePointAt(0) ?? 0).length;
}

function endsOfFit(window: string, units: Iterable<string>, limit: number, measure: Measure): number {
  const ends: number[] = [0];
  for (const unit of units) ends.push((ends.at(-1) ?? 0) + unit.length);
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(window.slice(0, ends[middle])) <= limit) low = middle;
    else high = middle - 1;
  }
  return ends[low] ?? 0;
}

/** The offset behind the last `character` that stands in `least`..`farthest`. */
function lastOf(text: string, character: string, least: number, farthest: number): number | undefined {
  const at = text.lastIndexOf(character, farthest - 1);
  return at + 1 > least ? at + 1 : undefined;
}

function sentenceEnd(
  text: string,
  start: number,
  farthest: number,
  fits: (border: number) => boolean,
): number | undefined {
  sentences ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  let last: number | undefined;
  for (const { index } of sentences.segment(text.slice(start, farthest))) {
    if (fits(start + index)) last = start + index;
  }
  return last;
}

function isInCode(rich: Rich, offset: number): boolean {
  return rich.spans.some(({ start, end, style }) => style.kind === 'pre' && start < offset && offset < end);
}

/** The piece without white space at its ends, which an app would drop anyhow; undefined if nothing is left to see. */
function trimmed(rich: Rich, start: number, end: number): Rich | undefined {
  const text = rich.text.slice(start, end);
  if (isBlank(text)) return undefined;
  const lead = text.length - text.trimStart().length;
  const codeLead = rich.spans.filter(({ style, end: to }) => style.kind === 'pre' && to > start);
  const firstCode = Math.min(...codeLead.map((span) => Math.max(span.start, start) - start), lead);
  return sliceRich(rich, start + firstCode, start + text.trimEnd().length);
}

/** Where the next piece begins: behind the white space at the cut, or in code behind the line break alone. */
function nextStart(rich: Rich, end: number): number {
  if (isInCode(rich, end)) return end;
  const rest = /^\s*/.exec(rich.text.slice(end, end + 1_000))?.[0].length ?? 0;
  const code = rich.spans.find(({ start, style }) => style.kind === 'pre' && start >= end && start < end + rest);
  return code ? code.start : end + rest;
}
