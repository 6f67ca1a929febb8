import { nameKey } from './parse.ts';

/** Damerau-Levenshtein distance, restricted: an adjacent swap is one edit, no substring is edited twice. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) row.push(cell(rows, row, a, b, i, j));
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

function cell(rows: number[][], row: number[], a: string, b: string, i: number, j: number): number {
  const above = rows[i - 1] ?? [];
  const same = a[i - 1] === b[j - 1];
  const best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1));
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return swapped ? Math.min(best, (rows[i - 2]?.[j - 2] ?? 0) + 1) : best;
}

/** Longest name that is compared; a longer one is no slip of the finger. */
const COMPARED_CHARS = 40;

/**
 * The names that were probably meant (SPEC 4.6): first those that begin with what was typed (at least 2 characters),
 * then by edit distance, at most 1 edit for up to 4 characters and 2 for more.
 * @param names what this person may run here; the order breaks ties.
 */
export function similarCommands(name: string, names: readonly string[]): string[] {
  const typed = nameKey(name);
  if (typed.length > COMPARED_CHARS) return [];
  const farthest = typed.length <= 4 ? 1 : 2;
  const ranked = names.flatMap((candidate) => {
    const key = nameKey(candidate);
    if (typed.length >= 2 && key.startsWith(typed)) return [{ candidate, rank: 0 }];
    const distance =
      Math.abs(key.length - typed.length) > farthest ? Number.POSITIVE_INFINITY : editDistance(typed, key);
    return distance <= farthest ? [{ candidate, rank: distance }] : [];
  });
  return ranked.sort((x, y) => x.rank - y.rank).map(({ candidate }) => candidate);
}
