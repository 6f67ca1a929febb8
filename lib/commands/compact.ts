import { decideCompact } from '../domain/decide.ts';
import type { EventData } from '../domain/events.ts';
import type { Handler, ReplyContext } from './command.ts';
import { outcomeOf } from './command.ts';
import { tokens } from './words.ts';

/** `/compact`, with what to keep in mind or without (SPEC 8.2): done by the worker, after the turn that runs (SPEC 4.8). */
export const compact: Handler = {
  decide: (state, { base, args }) => decideCompact(state, base, args),
  reply(context) {
    const { event } = context;
    if (event.type === 'compact.asked') return { markdown: asked(context) };
    return { markdown: outcomeOf(event) === 'asked' ? already(context) : NOTHING };
  },
};

function already({ state }: ReplyContext): string {
  if (state.turn?.kind === 'compact') return 'I am summing this conversation up already.';
  return `You have asked for that already. ${whenDone(state)} what was said so far.`;
}

const NOTHING = 'There is nothing to sum up yet.';

function asked({ state }: ReplyContext): string {
  return `${whenDone(state)} what was said so far, and go on from the summary. You keep the whole conversation, and the goal stays.`;
}

function whenDone({ turn, waiting, question }: ReplyContext['state']): string {
  if (turn || waiting.length > 0) return 'When I am done with this answer, I sum up';
  return question ? 'Once my question is closed, I sum up' : 'I sum up';
}

type Compacted = Pick<EventData<'context.compacted'>, 'trigger' | 'preTokens'>;

/** One line for a compaction: by whom, and the tokens before if known; an unknown trigger is automatic (SPEC 8.3). */
export function compactionLine({ trigger, preTokens }: Compacted): string {
  const by = trigger === 'manual' ? 'Compacted on your request' : 'Compacted automatically';
  return `${by}${preTokens === undefined ? '' : `, ${tokens(preTokens)} tokens before`}`;
}
