import type { Channel, FieldFault, Menu, MenuCommand } from '../../ports/chatApp.ts';
import { codePoints, cutText } from '../shared/graphemes.ts';
import { callApi } from './botApi.ts';
import { faultOf } from './connect.ts';
import { MENU_DESCRIPTION_LIMIT_CHARS, MENU_LIMIT } from './limits.ts';

const TIMEOUT_MS = 10_000;

interface BotCommand {
  command: string;
  description: string;
}

/**
 * Sets the list of every scope that is in use. Admins of groups have a narrower one, which an earlier user of the bot
 * may have set and which would hide ours. An empty list is left as it is: setting it would delete the menu.
 */
export async function publishMenu(channel: Channel, menu: Menu): Promise<{ ok: true } | FieldFault> {
  const lists = [
    { scope: 'all_private_chats', commands: botCommands(menu.private) },
    { scope: 'all_group_chats', commands: botCommands(menu.group) },
    { scope: 'all_chat_administrators', commands: botCommands(menu.group) },
  ];
  for (const { scope, commands } of lists) {
    if (commands.length === 0) continue;
    const params = { commands, scope: { type: scope } };
    const outcome = await callApi(channel, 'setMyCommands', params, AbortSignal.timeout(TIMEOUT_MS));
    if (outcome.kind !== 'ok') return faultOf(channel, outcome);
  }
  return { ok: true };
}

/**
 * The commands in the form that Telegram takes, most wanted first. `-` becomes `_`, which names the same command; a
 * name that has no such form, or that of one before it, is left out, and works when typed.
 */
export function botCommands(commands: readonly MenuCommand[]): BotCommand[] {
  const byName = new Map<string, BotCommand>();
  for (const { name, description } of commands) {
    const command = name.toLowerCase().replaceAll('-', '_');
    if (!/^[a-z0-9_]{1,32}$/.test(command) || byName.has(command) || byName.size >= MENU_LIMIT) continue;
    byName.set(command, { command, description: describe(description, command) });
  }
  return [...byName.values()];
}

function describe(description: string, command: string): string {
  const line = description.toWellFormed().replace(/\s+/g, ' ').trim() || `/${command}`;
  return codePoints(line) > MENU_DESCRIPTION_LIMIT_CHARS ? cutText(line, MENU_DESCRIPTION_LIMIT_CHARS) : line;
}
