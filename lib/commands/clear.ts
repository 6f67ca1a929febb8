import { decideClear } from '../domain/decide.ts';
import type { Handler, Reply, ReplyContext } from './command.ts';
import { outcomeOf } from './command.ts';
import { droppedSentence, isAnswering } from './words.ts';

/** `/clear` (SPEC 5). */
export const clear: Handler = {
  decide: (state, { base }) => decideClear(state, base),
  reply(context: ReplyContext): Reply {
    const { event, state } = context;
    if (event.type === 'context.cleared') {
      const kept = state.goal === undefined ? '' : ' The goal stays.';
      const running = isAnswering(state) ? ' The answer that I am writing still arrives, and is not remembered.' : '';
      return {
        markdown: `Cleared. I start afresh and remember nothing from before.${kept}${droppedSentence(event.data.dropped)}${running}`,
        choices: [{ label: 'Undo', target: { kind: 'undo', clear: event.seq } }],
      };
    }
    return { markdown: outcomeOf(event) === 'late' ? LATE : 'There is nothing to clear.' };
  },
};

const LATE =
  'That came late: a newer message is here already, so I cleared nothing. Send it again if you still want it.';
