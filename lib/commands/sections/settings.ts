import { EFFORTS, MODES } from '../../domain/events.ts';
import type { Command } from '../command.ts';
import { effort } from '../effort.ts';
import { fast } from '../fast.ts';
import { mode } from '../mode.ts';
import { model } from '../model.ts';
import { settings } from '../settings.ts';
import { status } from '../status.ts';
import { NONE, OWNER, PEOPLE } from './uses.ts';

/** Commands for who answers, and how. */
export const SETTINGS_COMMANDS: readonly Command[] = [
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
];
