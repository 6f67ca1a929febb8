import { checkedRegistry } from './checkedRegistry.ts';
import type { Command } from './command.ts';
import { nameKey } from './parse.ts';
import { CHAT_COMMANDS } from './sections/chat.ts';
import { CONTEXT_COMMANDS } from './sections/context.ts';
import { PEOPLE_COMMANDS } from './sections/people.ts';
import { SETTINGS_COMMANDS } from './sections/settings.ts';
import { WORK_COMMANDS } from './sections/work.ts';

/**
 * Every command, once (SPEC 4.1, 4.2). The page, `/help`, every app's menu and the did-you-mean are derived from these
 * rows; to add a command is to add a row to its section and its file.
 */
export const COMMANDS: readonly Command[] = checkedRegistry([
  ...CHAT_COMMANDS,
  ...CONTEXT_COMMANDS,
  ...WORK_COMMANDS,
  ...SETTINGS_COMMANDS,
  ...PEOPLE_COMMANDS,
]);

const byKey = new Map(
  COMMANDS.flatMap((row) => [row.name, ...row.aliases].map((name) => [nameKey(name), row] as const)),
);

/** The row that a name or an alias means, whatever its case and with `-` or `_`. */
export function commandNamed(name: string): Command | undefined {
  return byKey.get(nameKey(name));
}
