import type { Menu, MenuCommand } from '../ports/chatApp.ts';
import type { CatalogEntry, Command } from './command.ts';
import { type Asker, mayRun } from './gate.ts';
import { COMMANDS } from './registry.ts';

function entryOf(command: Command): CatalogEntry {
  const { name, aliases, section, argument, wanted, chat } = command;
  return { name, aliases, section, argument, wanted, summary: chat?.summary ?? command.summary };
}

/** What this person may use here, in the registry's order (SPEC 4.1). */
export function catalogFor(asker: Asker): CatalogEntry[] {
  return COMMANDS.filter((command) => mayRun(command, asker).ok).map(entryOf);
}

/** The commands for an app's own menu, most wanted first (SPEC 12.1, 12.2). */
export function nativeMenu(): Menu {
  const forWhom = (asker: Asker): MenuCommand[] =>
    catalogFor(asker)
      .sort((a, b) => a.wanted - b.wanted)
      .map(({ name, summary }) => ({ name, description: summary }));
  return { private: forWhom({ role: 'let-in', group: false }), group: forWhom({ role: 'let-in', group: true }) };
}
