import type { Channel, FieldFault, LeftOut, Menu, MenuArgument, MenuCommand } from '../../ports/chatApp.ts';
import { cutText } from '../shared/graphemes.ts';
import { oneLine } from '../shared/labels.ts';
import { callApi } from './api.ts';
import { faultOf } from './connect.ts';
import {
  CHOICE_LIMIT,
  CHOICE_LIMIT_CHARS,
  COMMAND_LIMIT,
  COMMAND_NAME_LIMIT_CHARS,
  COMMAND_SIZE_LIMIT_CHARS,
  DESCRIPTION_LIMIT_CHARS,
} from './limits.ts';

const TIMEOUT_MS = 15_000;
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const SLASH = 1;
const OF_MESSAGE = 3;
const STRING = 3;
/** Where a command can be chosen: in servers, in the bot's private chats, in other chats. */
const EVERYWHERE = [0, 1, 2];
const PRIVATE = [1];

/**
 * Puts our list in the place of the one that is published, in one call (SPEC 12.1): the commands, and one in the menu of
 * each message.
 */
export async function publishMenu(
  channel: Channel,
  menu: Menu,
): Promise<{ ok: true; leftOut?: LeftOut[] } | FieldFault> {
  const { commands, leftOut } = slashCommands(menu);
  const path = `/applications/${channel.settings.applicationId}/commands`;
  const body = [...commands, messageCommand(channel)];
  const outcome = await callApi(channel, { method: 'PUT', path, body }, AbortSignal.timeout(TIMEOUT_MS));
  if (outcome.kind !== 'ok') return faultOf(channel, outcome);
  return leftOut.length === 0 ? { ok: true } : { ok: true, leftOut };
}

function messageCommand({ bot }: Channel): Record<string, unknown> {
  const name = cutText(`Ask ${bot?.name ?? bot?.username ?? 'Conch'}`, COMMAND_NAME_LIMIT_CHARS);
  return { type: OF_MESSAGE, name, contexts: EVERYWHERE };
}

/** The commands in the form that Discord takes, most wanted first; what has none, or no room, is left out. */
export function slashCommands(menu: Menu): { commands: Record<string, unknown>[]; leftOut: LeftOut[] } {
  const inGroups = new Set(menu.group.map(({ name }) => name));
  const byName = new Map<string, Record<string, unknown>>();
  const leftOut: LeftOut[] = [];
  for (const command of menu.private) {
    const name = command.name.toLowerCase();
    const reason = reasonToLeaveOut(name, byName);
    if (reason !== undefined) leftOut.push({ name: command.name, reason });
    else byName.set(name, slashCommand(name, command, inGroups.has(command.name)));
  }
  return { commands: [...byName.values()], leftOut };
}

function reasonToLeaveOut(name: string, taken: ReadonlyMap<string, unknown>): string | undefined {
  if (!NAME.test(name)) return 'Discord takes no command of this name.';
  if (taken.has(name)) return 'Another command has this name in Discord.';
  return taken.size >= COMMAND_LIMIT ? `Discord takes ${COMMAND_LIMIT} commands.` : undefined;
}

function slashCommand(
  name: string,
  { description, argument }: MenuCommand,
  everywhere: boolean,
): Record<string, unknown> {
  return {
    type: SLASH,
    name,
    description: described(description, `/${name}`),
    contexts: everywhere ? EVERYWHERE : PRIVATE,
    ...(argument && { options: [option(argument)] }),
  };
}

/** A field of text. Where all that it can be is known and fits it is a list; else it is suggested, or free. */
function option({ hint, choices = [], suggested }: MenuArgument): Record<string, unknown> {
  const common = { type: STRING, description: described(hint, 'text') };
  const size = choices.reduce((sum, choice) => sum + 2 * choice.length, 0);
  const fits = choices.every((choice) => choice !== '' && choice.length <= CHOICE_LIMIT_CHARS);
  const isList = choices.length > 0 && choices.length <= CHOICE_LIMIT && fits && size <= COMMAND_SIZE_LIMIT_CHARS / 2;
  if (isList) return { ...common, name: 'value', choices: choices.map((value) => ({ name: value, value })) };
  return suggested ? { ...common, name: 'value', autocomplete: true } : { ...common, name: 'text' };
}

function described(description: string, otherwise: string): string {
  return cutText(oneLine(description) || otherwise, DESCRIPTION_LIMIT_CHARS);
}
