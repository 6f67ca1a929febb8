import type { ChatApp, Menu, MenuCommand } from '../../ports/chatApp.ts';
import { cutText } from '../shared/graphemes.ts';
import { oneLine } from '../shared/labels.ts';
import { COMMAND_DESCRIPTION_LIMIT_CHARS, COMMAND_LIMIT, COMMAND_TITLE_LIMIT_CHARS, limits } from './limits.ts';

/** One entry of a command list: choosing it writes the title into the message box. */
interface ListedCommand {
  title: string;
  description: string;
}

/** The command lists stand in the app package, which an administrator uploads (SPEC 12.2): there is no call for them. */
export const publishMenu: ChatApp['publishMenu'] = async () => ({ ok: true });

/** The command lists of the app package: for a chat with the bot alone, and for chats with others. */
export function commandLists(menu: Menu): { scopes: string[]; commands: ListedCommand[] }[] {
  const lists = [
    { scopes: ['personal'], commands: listed(menu.private) },
    { scopes: ['team', 'groupChat'], commands: listed(menu.group) },
  ];
  return lists.filter(({ commands }) => commands.length > 0);
}

/** Ten of them, the most wanted first; a name that would be cut leads nowhere and is left out. */
function listed(commands: readonly MenuCommand[]): ListedCommand[] {
  const byTitle = new Map<string, ListedCommand>();
  for (const { name, description } of commands) {
    const title = `${limits.commandPrefix}${name}`;
    const fits = /^\S+$/.test(name) && title.length <= COMMAND_TITLE_LIMIT_CHARS;
    if (!fits || byTitle.has(title) || byTitle.size >= COMMAND_LIMIT) continue;
    const line = cutText(oneLine(description) || title, COMMAND_DESCRIPTION_LIMIT_CHARS);
    byTitle.set(title, { title, description: line });
  }
  return [...byTitle.values()];
}
