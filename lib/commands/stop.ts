import { decideStop } from '../domain/decide.ts';
import type { Handler } from './command.ts';
import { outcomeOf } from './command.ts';
import { droppedSentence } from './words.ts';

/** `/stop` (SPEC 4.10). */
export const stop: Handler = {
  decide: (state, { base }) => decideStop(state, base),
  reply({ event }) {
    if (event.type !== 'stop.asked') {
      return { markdown: outcomeOf(event) === 'stopping' ? 'I am stopping already.' : 'Nothing is running.' };
    }
    const { turn, dropped } = event.data;
    return { markdown: `${turn === undefined ? 'Stopped.' : 'I stop this answer.'}${droppedSentence(dropped)}` };
  },
};
