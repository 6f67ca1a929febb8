import { EFFORTS, MODES } from '../domain/events.ts';
import { ask } from './ask.ts';
import { cancel } from './cancel.ts';
import { checkedRegistry } from './checkedRegistry.ts';
import { clear } from './clear.ts';
import type { Command } from './command.ts';
import { compact } from './compact.ts';
import { context } from './context.ts';
import { effort } from './effort.ts';
import { exportConversation } from './export.ts';
import { fast } from './fast.ts';
import { goal } from './goal.ts';
import { help } from './help.ts';
import { mode } from './mode.ts';
import { model } from './model.ts';
import { newConversation } from './new.ts';
import { nameKey } from './parse.ts';
import { people } from './people.ts';
import { plan } from './plan.ts';
import { resume } from './resume.ts';
import { retry } from './retry.ts';
import { review } from './review.ts';
import { settings } from './settings.ts';
import { start } from './start.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { undo } from './undo.ts';

const NONE = { kind: 'none' } as const;
const PEOPLE = { who: 'people', groups: false } as const;
const OWNER = { who: 'owner', groups: false } as const;
const EVERYWHERE = { who: 'people', groups: true } as const;

/**
 * Every command, once (SPEC 4.1, 4.2). The page, `/help`, every app's menu and the did-you-mean are derived from these
 * rows; to add a command is to add a row and its file.
 */
export const COMMANDS: readonly Command[] = checkedRegistry([
  {
    name: 'new',
    aliases: ['reset'],
    section: 'chat',
    summary: 'Start a new conversation',
    argument: { kind: 'text', hint: 'first message' },
    chat: EVERYWHERE,
    busy: 'now',
    wanted: 1,
    handler: newConversation,
  },
  {
    name: 'ask',
    aliases: [],
    section: 'chat',
    summary: 'Send me a message',
    argument: { kind: 'text', hint: 'the message' },
    web: false,
    chat: { ...EVERYWHERE, withoutMessages: true },
    busy: 'wait',
    wanted: 0,
    handler: ask,
  },
  {
    name: 'stop',
    aliases: [],
    section: 'chat',
    summary: 'Stop the answer that is being written',
    argument: NONE,
    web: false,
    chat: EVERYWHERE,
    busy: 'now',
    wanted: 2,
    handler: stop,
  },
  {
    name: 'cancel',
    aliases: [],
    section: 'chat',
    summary: 'Close open questions and choices, or stop the answer',
    argument: NONE,
    web: false,
    chat: PEOPLE,
    busy: 'now',
    wanted: 20,
    handler: cancel,
  },
  {
    name: 'help',
    aliases: ['commands'],
    section: 'chat',
    summary: 'What you can use here',
    argument: { kind: 'text', hint: 'a command', suggested: 'commands' },
    chat: EVERYWHERE,
    busy: 'now',
    wanted: 3,
    handler: help,
  },
  {
    name: 'start',
    aliases: [],
    section: 'chat',
    summary: 'Say hello, or claim the bot with a code',
    argument: { kind: 'text', hint: 'code' },
    web: false,
    chat: PEOPLE,
    busy: 'now',
    wanted: 21,
    handler: start,
  },
  {
    name: 'resume',
    aliases: [],
    section: 'chat',
    summary: 'Go on with an earlier conversation',
    argument: { kind: 'text', hint: 'number or title' },
    chat: PEOPLE,
    busy: 'refuse',
    wanted: 11,
    handler: resume,
  },
  {
    name: 'export',
    aliases: [],
    section: 'chat',
    summary: 'Get this conversation as a file',
    argument: { kind: 'values', hint: 'markdown or json', choices: ['markdown', 'json'] },
    chat: PEOPLE,
    busy: 'now',
    wanted: 18,
    handler: exportConversation,
  },
  {
    name: 'clear',
    aliases: [],
    section: 'context',
    summary: 'Make me forget what was said; can be undone',
    argument: NONE,
    chat: PEOPLE,
    busy: 'now',
    wanted: 4,
    handler: clear,
  },
  {
    name: 'undo',
    aliases: ['unclear'],
    section: 'context',
    summary: 'Take the newest clear back',
    argument: NONE,
    chat: PEOPLE,
    busy: 'now',
    wanted: 6,
    handler: undo,
  },
  {
    name: 'compact',
    aliases: [],
    section: 'context',
    summary: 'Sum up what was said and go on from the summary',
    argument: { kind: 'text', hint: 'what to keep in mind' },
    chat: PEOPLE,
    busy: 'wait',
    wanted: 13,
    handler: compact,
  },
  {
    name: 'context',
    aliases: ['tokens'],
    section: 'context',
    summary: 'How full the model’s context is, and what fills it',
    argument: NONE,
    chat: PEOPLE,
    busy: 'now',
    wanted: 12,
    handler: context,
  },
  {
    name: 'goal',
    aliases: [],
    section: 'context',
    summary: 'Show or set what I keep in mind in every answer',
    argument: { kind: 'text', hint: 'text, or clear' },
    chat: PEOPLE,
    busy: 'now',
    wanted: 5,
    handler: goal,
  },
  {
    name: 'plan',
    aliases: [],
    section: 'work',
    summary: 'Only plan, and change nothing; with a message, plan that',
    // `enable`, `disable`, `true` and `false` switch too; `yes`, `no` and digits are messages, since they answer something.
    argument: { kind: 'text', hint: 'on, off, or a message' },
    chat: PEOPLE,
    busy: 'next',
    wanted: 8,
    handler: plan,
  },
  {
    name: 'retry',
    aliases: ['again'],
    section: 'work',
    summary: 'Send your last message again',
    argument: NONE,
    chat: PEOPLE,
    busy: 'refuse',
    wanted: 10,
    handler: retry,
  },
  {
    name: 'review',
    aliases: [],
    section: 'work',
    summary: 'Ask for a critical review',
    argument: { kind: 'text', hint: 'what to look at' },
    yields: true,
    chat: PEOPLE,
    busy: 'wait',
    wanted: 19,
    handler: review,
  },
  {
    name: 'model',
    aliases: ['models'],
    section: 'settings',
    summary: 'Which model answers in this chat',
    argument: { kind: 'values', hint: 'name, or default', suggested: 'models' },
    chat: PEOPLE,
    busy: 'next',
    wanted: 9,
    handler: model,
  },
  {
    name: 'effort',
    aliases: [],
    section: 'settings',
    summary: 'How long I think before I answer',
    argument: { kind: 'values', hint: 'low, medium, high, max or default', choices: [...EFFORTS, 'default'] },
    chat: PEOPLE,
    busy: 'next',
    wanted: 14,
    handler: effort,
  },
  {
    name: 'fast',
    aliases: [],
    section: 'settings',
    summary: 'The faster service of the provider, where it has one',
    argument: { kind: 'switch', hint: 'on or off', choices: ['on', 'off'] },
    chat: PEOPLE,
    busy: 'next',
    wanted: 17,
    handler: fast,
  },
  {
    name: 'mode',
    aliases: [],
    section: 'settings',
    summary: 'What I may do without asking',
    argument: { kind: 'values', hint: 'plan, ask, edit, auto, trust or default', choices: [...MODES, 'default'] },
    chat: OWNER,
    busy: 'next',
    wanted: 16,
    handler: mode,
  },
  {
    name: 'settings',
    aliases: ['config'],
    section: 'settings',
    summary: 'All settings, of this chat or for new chats',
    argument: NONE,
    chat: OWNER,
    busy: 'next',
    wanted: 15,
    handler: settings,
  },
  {
    name: 'status',
    aliases: ['cost', 'whoami'],
    section: 'settings',
    summary: 'Model, effort, mode, goal, context and use of today',
    argument: NONE,
    chat: PEOPLE,
    busy: 'now',
    wanted: 7,
    handler: status,
  },
  {
    name: 'people',
    aliases: [],
    section: 'people',
    summary: 'Who may write to me: let people in or put them out',
    argument: NONE,
    chat: OWNER,
    busy: 'now',
    wanted: 22,
    handler: people,
  },
]);

const byKey = new Map(
  COMMANDS.flatMap((row) => [row.name, ...row.aliases].map((name) => [nameKey(name), row] as const)),
);

/** The row that a name or an alias means, whatever its case and with `-` or `_`. */
export function commandNamed(name: string): Command | undefined {
  return byKey.get(nameKey(name));
}
