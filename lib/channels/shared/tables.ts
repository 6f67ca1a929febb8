import type { AlignType } from 'mdast';
import { graphemes } from './graphemes.ts';

/** Widest table that is drawn in columns, in character cells: what a phone shows without wrapping. */
const WIDTH_LIMIT = 36;
const GAP = '  ';
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

/**
 * A table in columns of equal width, for a monospaced font; undefined if it is too wide for that.
 * @param rows the cells' plain words; the first row is the head.
 */
export function drawColumns(rows: readonly string[][], align: readonly (AlignType | undefined)[]): string | undefined {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(1, ...rows.map((row) => width(row[i] ?? ''))));
  const total = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns - 1);
  if (total > WIDTH_LIMIT || rows.some((row) => row.some((cell) => cell.includes('\n')))) return undefined;
  const lines = rows.map((row) => widths.map((each, i) => pad(row[i] ?? '', each, align[i])).join(GAP));
  const rule = widths.map((each) => '─'.repeat(each)).join(GAP);
  return [lines[0] ?? '', rule, ...lines.slice(1)].map((line) => line.trimEnd()).join('\n');
}

function width(text: string): number {
  let cells = 0;
  for (const grapheme of graphemes(text)) cells += WIDE.test(grapheme) ? 2 : 1;
  return cells;
}

function pad(text: string, toWidth: number, align: AlignType | undefined): string {
  const missing = Math.max(0, toWidth - width(text));
  const before = align === 'right' ? missing : align === 'center' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}
