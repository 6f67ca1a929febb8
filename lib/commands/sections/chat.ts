import { ask } from '../ask.ts';
import { cancel } from '../cancel.ts';
import type { Command } from '../command.ts';
import { exportConversation } from '../export.ts';
import { help } from '../help.ts';
import { newConversation } from '../new.ts';
import { resume } from '../resume.ts';
import { start } from '../start.ts';
import { stop } from '../stop.ts';
import { EVERYWHERE, NONE, PEOPLE } from './uses.ts';

/** Commands for the conversation itself: begin, stop, go back, take along. */
export const CHAT_COMMANDS: readonly Command[] = [
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
    argument: { kind: 'text', hint: 'the message', required: true },
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
];
