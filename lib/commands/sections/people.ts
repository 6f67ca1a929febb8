import type { Command } from '../command.ts';
import { people } from '../people.ts';
import { NONE, OWNER } from './uses.ts';

/** Commands for who may write. */
export const PEOPLE_COMMANDS: readonly Command[] = [
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
];
