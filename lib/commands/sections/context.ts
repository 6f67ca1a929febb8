import { clear } from '../clear.ts';
import type { Command } from '../command.ts';
import { compact } from '../compact.ts';
import { context } from '../context.ts';
import { goal } from '../goal.ts';
import { undo } from '../undo.ts';
import { ALONE, NONE, PEOPLE } from './uses.ts';

/** Commands for what the model remembers. */
export const CONTEXT_COMMANDS: readonly Command[] = [
  {
    name: 'clear',
    aliases: [],
    section: 'context',
    summary: 'Make me forget what was said; can be undone',
    argument: ALONE,
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
    argument: ALONE,
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
];
