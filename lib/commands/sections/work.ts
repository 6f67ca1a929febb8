import type { Command } from '../command.ts';
import { plan } from '../plan.ts';
import { retry } from '../retry.ts';
import { review } from '../review.ts';
import { ALONE, PEOPLE } from './uses.ts';

/** Commands for how work is asked for. */
export const WORK_COMMANDS: readonly Command[] = [
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
    argument: ALONE,
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
];
