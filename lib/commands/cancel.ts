import { decideStop } from '../domain/decide.ts';
import type { Handler } from './command.ts';
import { stop } from './stop.ts';
import { count } from './words.ts';

/**
 * `/cancel`: closes this person's open choices here and a pending question, else does what `/stop` does (SPEC 4.2). The
 * event names the choices that it closes, the question's too; they are closed after it, so a press at the same moment may still be first.
 */
export const cancel: Handler = {
  before: ['openChoices'],
  decide(state, { base, openChoices: closes = [] }) {
    if (state.question && !state.turn) {
      const decided = decideStop(state, base);
      return decided.type === 'stop.asked'
        ? { type: 'stop.asked', data: { ...decided.data, closes: [...closes, state.question.id] } }
        : decided;
    }
    return closes.length > 0
      ? { type: 'choices.closed', data: { ...base, closes: [...closes] } }
      : decideStop(state, base);
  },
  reply(context) {
    const { event } = context;
    if (event.type === 'choices.closed') return { markdown: closed(event.data.closes.length) };
    if (event.type === 'stop.asked' && event.data.closes)
      return { markdown: 'Cancelled. I do not wait for an answer any more.' };
    return stop.reply(context);
  },
};

function closed(n: number): string {
  return n === 1
    ? 'Cancelled. The choice above no longer works.'
    : `Cancelled. ${count(n, 'choice')} above no longer work.`;
}
