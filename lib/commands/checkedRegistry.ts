import type { Command } from './command.ts';
import { nameKey } from './parse.ts';

/**
 * The rows as they are, if they keep the registry's rules.
 * @throws {Error} while the module loads, on a name or alias that stands twice or a summary over 100 characters.
 */
export function checkedRegistry(rows: readonly Command[]): readonly Command[] {
  const seen = new Set<string>();
  for (const row of rows) {
    if (row.summary.length > 100) throw new Error(`The summary of /${row.name} is over 100 characters`);
    for (const name of [row.name, ...row.aliases]) {
      if (seen.has(nameKey(name))) throw new Error(`/${name} stands twice in the registry`);
      seen.add(nameKey(name));
    }
  }
  return rows;
}
