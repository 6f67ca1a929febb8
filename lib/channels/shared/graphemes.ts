/** Made when it is first used: its data takes some ms to load, and most texts are never cut. */
let segmenter: Intl.Segmenter | undefined;

/** The text's combined characters (an emoji with its modifiers is one), in order. */
export function* graphemes(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Number of Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The text, cut with `…` to at most `limit` UTF-16 units; no combined character is cut in two. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let cut = '';
  for (const grapheme of graphemes(text)) {
    if (cut.length + grapheme.length >= limit) break;
    cut += grapheme;
  }
  return `${cut}…`;
}
