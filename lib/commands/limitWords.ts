import type { Limited } from '../domain/events.ts';
import { lasting } from './words.ts';

const LIMITS: Record<Limited, (allowed: string) => string> = {
  messagesPerMinute: (allowed) => `I take at most ${allowed} a minute from one person.`,
  turnsPerDay: (allowed) => `This bot gives at most ${allowed} a day, and today’s are used up.`,
  tokensPerDay: () => 'What this bot may read and write in a day is used up.',
  turnsAtOnce: () => '',
  waiting: (allowed) => `${allowed} wait for an answer already, so I have not taken this one.`,
};
const NOUNS: Record<Limited, string> = {
  messagesPerMinute: 'message',
  turnsPerDay: 'answer',
  tokensPerDay: 'token',
  turnsAtOnce: 'answer',
  waiting: 'message',
};

/** Why a message is not taken, and when it would be (SPEC 9.4). @param opensAt ms; undefined if never. */
export function limitSentence(limit: Limited, allowed: number, opensAt: number | undefined, now: number): string {
  const number = `${allowed.toLocaleString('en')} ${NOUNS[limit]}${allowed === 1 ? '' : 's'}`;
  if (limit === 'waiting') return `${LIMITS.waiting(number)} Please send it again when they are answered.`;
  if (opensAt === undefined) return 'This bot takes no messages for now. Whoever runs it can change that.';
  return `${LIMITS[limit](number)} Please send it again in ${lasting(opensAt - now)}.`;
}
