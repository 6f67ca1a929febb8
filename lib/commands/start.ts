import { ran } from '../domain/decide.ts';
import type { CommandContext, Handler, ReplyContext } from './command.ts';
import { outcomeOf } from './command.ts';
import { withAsk } from './words.ts';

/** `/start`: a greeting, or the claim of a channel with a code (SPEC 9.2). The code itself is never stored. */
export const start: Handler = {
  before: ['claim'],
  decide(_state, { base, claim }: CommandContext) {
    if (claim === undefined || claim === 'claimed') return ran(base, claim ?? 'shown');
    return { type: 'claim.refused', data: { ...base, outcome: claim } };
  },
  reply(context) {
    const { event } = context;
    if (event.type === 'claim.refused') return { markdown: CLAIM_REFUSALS[event.data.outcome] };
    return { markdown: outcomeOf(event) === 'claimed' ? claimed(context) : greeting(context) };
  },
};

const CLAIM_REFUSALS = {
  wrong: 'That code is not right. Check it, or ask for a new one.',
  used: 'That code was used already. Ask for a new one.',
  expired: 'That code has expired. Ask for a new one.',
  locked: 'Too many wrong codes. Try again in an hour.',
};

function claimed({ asker, slash }: ReplyContext): string {
  return `This bot is yours now. Write to me${withAsk(asker, slash)} as you like; ${slash('help')} lists what I can do.`;
}

function greeting({ asker, slash }: ReplyContext): string {
  return `Hello. Ask me anything${withAsk(asker, slash)}; I answer here. ${slash('help')} lists what I can do.`;
}
