import { decideMessage, ran, unsettled } from '../domain/decide.ts';
import type { Handler } from './command.ts';
import { outcomeOf } from './command.ts';

/**
 * `/retry`: the last message after the newest clear, sent again as it was stored (SPEC 4.2, 10.3). It is one message
 * event, so it is answered like any other.
 */
export const retry: Handler = {
  passing: ['answering', 'waiting', 'question', 'compacting'],
  before: ['lastMessage'],
  decide(state, { base, lastMessage }) {
    const busy = unsettled(state);
    if (busy) return ran(base, busy);
    // What was prepared may be of another memory by now: a clear or another conversation came first.
    if (!lastMessage || lastMessage.seq !== state.memory.last) return ran(base, 'nothing');
    return decideMessage(state, base, lastMessage.content);
  },
  reply: ({ event }) => ({ markdown: REFUSALS[outcomeOf(event) ?? ''] ?? NOTHING, refusal: true }),
};

const NOTHING = 'There is no message to send again.';

const REFUSALS: Record<string, string> = {
  answering: 'I am still answering. Stop me first, or wait until I am done; then try again.',
  waiting: 'Your last message is still waiting for its answer.',
  question: 'I have asked you something, and it is still open. Answer it first.',
  compacting: 'I am summing this conversation up. Wait until I am done; then try again.',
};
