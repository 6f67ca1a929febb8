import type { Channel, FieldFault, LeftOut, Menu, MenuCommand } from '../../ports/chatApp.ts';
import { codePoints, cutText } from '../shared/graphemes.ts';
import { oneLine } from '../shared/labels.ts';
import { isBlank } from '../shared/rich.ts';
import { type ApiOutcome, callApi } from './api.ts';
import { faultOf } from './connect.ts';
import { MENU_DESCRIPTION_LIMIT_CHARS, MENU_LIMIT } from './limits.ts';
import { SCOPES } from './oldMenus.ts';

const TIMEOUT_MS = 10_000;
/** Telegram limits all of a menu's words together too, and does not say to how many: this many surely go. */
const MENU_SURE = 50;

interface BotCommand {
  command: string;
  description: string;
}

interface Fitted {
  commands: BotCommand[];
  leftOut: LeftOut[];
}

type Published = { ok: true; leftOut?: LeftOut[] } | FieldFault;

/**
 * Sets the list of every scope that is in use. Admins of groups have a narrower one, which an earlier user of the bot
 * may have set and which would hide ours. An empty list is left as it is: setting it would delete the menu.
 */
export async function publishMenu(channel: Channel, menu: Menu): Promise<Published> {
  const lists = SCOPES.map((scope) => ({
    scope,
    commands: scope === 'all_private_chats' ? menu.private : menu.group,
  }));
  const leftOut = new Map<string, LeftOut>();
  for (const { scope, commands } of lists) {
    const published = await publishList(channel, scope, commands);
    if (!published.ok) return published;
    for (const one of published.leftOut ?? []) leftOut.set(one.name, one);
  }
  return leftOut.size === 0 ? { ok: true } : { ok: true, leftOut: [...leftOut.values()] };
}

/** Sets one list; if Telegram refuses it, a shorter one, and at last one without the tenant's own commands (SPEC 12.1). */
async function publishList(channel: Channel, scope: string, commands: readonly MenuCommand[]): Promise<Published> {
  let outcome: Exclude<ApiOutcome, { kind: 'ok' }> | undefined;
  for (const fitted of attempts(commands)) {
    if (fitted.commands.length === 0) return { ok: true, leftOut: fitted.leftOut };
    const params = { commands: fitted.commands, scope: { type: scope } };
    const answer = await callApi(channel, 'setMyCommands', params, AbortSignal.timeout(TIMEOUT_MS));
    if (answer.kind === 'ok') return { ok: true, leftOut: fitted.leftOut };
    outcome = answer;
    if (answer.kind !== 'refused' || answer.code !== 400) break;
  }
  return outcome ? faultOf(channel, outcome) : { ok: true };
}

/** What to try, in this order. */
function attempts(commands: readonly MenuCommand[]): Fitted[] {
  const whole = fittedMenu(commands, MENU_LIMIT);
  if (!commands.some(({ custom }) => custom)) return [whole];
  const builtIn = fittedMenu(
    commands.filter(({ custom }) => !custom),
    MENU_LIMIT,
  );
  const refused = commands.filter(({ custom }) => custom).map(({ name }) => ({ name, reason: REASONS.refused }));
  const shorter = whole.commands.length > MENU_SURE ? [fittedMenu(commands, MENU_SURE)] : [];
  return [whole, ...shorter, { ...builtIn, leftOut: refused }];
}

const REASONS = {
  name: 'Telegram’s menu takes no such name.',
  same: 'In Telegram’s menu it would have the name of another command.',
  room: 'Telegram’s menu has no room for it.',
  refused: 'Telegram refused a menu with it.',
};

/**
 * The commands in the form that Telegram takes, most wanted first. `-` becomes `_`, which names the same command; a
 * name that has no such form, or that of one before it, is left out, and works when typed.
 */
export function fittedMenu(commands: readonly MenuCommand[], limit: number = MENU_LIMIT): Fitted {
  const byName = new Map<string, BotCommand>();
  const leftOut: LeftOut[] = [];
  for (const { name, description } of commands) {
    const command = name.toLowerCase().replaceAll('-', '_');
    const reason = leaveOut(command, byName, limit);
    if (reason === undefined) byName.set(command, { command, description: described(description, command) });
    else leftOut.push({ name, reason });
  }
  return { commands: [...byName.values()], leftOut };
}

function leaveOut(command: string, taken: ReadonlyMap<string, BotCommand>, limit: number): string | undefined {
  if (!/^[a-z0-9_]{1,32}$/.test(command)) return REASONS.name;
  if (taken.has(command)) return REASONS.same;
  return taken.size >= limit ? REASONS.room : undefined;
}

/** One line of the description; of one without anything to see, the command itself. */
function described(description: string, command: string): string {
  const line = oneLine(description);
  if (isBlank(line)) return `/${command}`;
  return codePoints(line) > MENU_DESCRIPTION_LIMIT_CHARS ? cutText(line, MENU_DESCRIPTION_LIMIT_CHARS) : line;
}
