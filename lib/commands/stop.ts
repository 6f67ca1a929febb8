import { decideStop } from '../domain/decide.ts';
import type { State } from '../domain/state.ts';
import type { Handler } from './command.ts';
import { outcomeOf } from './command.ts';
import { droppedSentence } from './words.ts';

/** `/stop` (SPEC 4.10). */
export const stop: Handler = {
  decide: (state, { base }) => decideStop(state, base),
  reply({ event, state, slashInThreads }) {
    if (event.type !== 'stop.asked') {
      if (outcomeOf(event) === 'stopping') return { markdown: 'I am stopping already.' };
      const elsewhere = slashInThreads && ` To stop what runs in a thread, write ${slashInThreads('stop')} there.`;
      return { markdown: `Nothing is running${elsewhere ? ` here.${elsewhere}` : '.'}` };
    }
    const { turn, dropped } = event.data;
    return { markdown: `${turn === undefined ? 'Stopped.' : stopped(state)}${droppedSentence(dropped)}` };
  },
};

function stopped({ turn }: State): string {
  return turn?.kind === 'compact' ? 'I stop summing up, and nothing has changed.' : 'I stop this answer.';
}
