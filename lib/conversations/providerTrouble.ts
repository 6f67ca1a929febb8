import { TURN_TRIES } from '../domain/limits.ts';
import type { ProviderFailure, ProviderFault } from '../ports/engine.ts';

/** What to do about a provider's failure: wait and try again, or end the turn; `notice` is for the person. */
export type Trouble = { kind: 'wait'; waitMs: number; notice: string } | { kind: 'end'; notice: string };

/** What the person is told, in plain words: what failed, whether to try again, what to do (SPEC 13.5). */
const WORDS: Record<ProviderFault, string> = {
  'rate-limited': 'The model takes no more requests for now. Please send it again in a few minutes.',
  overloaded: 'The model is overloaded. Please send it again in a few minutes.',
  unreachable: 'I could not reach the model. Please send it again in a few minutes.',
  unauthorized: 'The model does not accept the key of this bot. Whoever runs the bot has to set a valid one.',
  billing: 'The account of this bot at the model provider is out of credit. Whoever runs the bot has to see to it.',
  'unknown-model': 'The model set for this chat does not exist any more. Whoever runs the bot can set another one.',
  'too-long': 'This chat has grown too long for the model. Clear it, or start a new conversation, and send it again.',
  refused: 'The model declined to answer this. Try to put it in another way.',
  'bad-request': 'The model did not accept this request. Sending it again will not help; try to put it in another way.',
};

/** In a group, faults that are the operator's business are told without their reason (cases I 109). */
const PRIVATE_FAULTS: ReadonlySet<ProviderFault> = new Set(['unauthorized', 'billing', 'unknown-model']);
const IN_GROUP = 'I cannot answer at the moment. Whoever runs this bot has to see to it.';

/** Waits before the next try, by the number of tries so far, ms. */
const BACKOFF_MS = [2_000, 5_000, 15_000, 30_000];
const LONGEST_WAIT_MS = 600_000;

/**
 * What a failure means for a turn. A wait is a delayed hint, never a sleeping worker (DESIGN 3, Waits).
 * @param tries claims of this turn without progress, this one included.
 */
export function troubleOf(failure: ProviderFailure, tries: number, group: boolean): Trouble {
  const { fault, retryAfterMs } = failure;
  const backoffMs = BACKOFF_MS[Math.min(tries, BACKOFF_MS.length) - 1] ?? 30_000;
  const waits = fault === 'rate-limited' || fault === 'overloaded' || fault === 'unreachable';
  const waitMs = Math.max(retryAfterMs ?? 0, fault === 'rate-limited' ? backoffMs * 2 : backoffMs);
  if (!waits || tries >= TURN_TRIES || waitMs > LONGEST_WAIT_MS) {
    return { kind: 'end', notice: group && PRIVATE_FAULTS.has(fault) ? IN_GROUP : WORDS[fault] };
  }
  const what = fault === 'unreachable' ? 'I cannot reach the model' : 'The model is busy';
  return { kind: 'wait', waitMs, notice: `${what}. I try again in ${seconds(waitMs)}.` };
}

function seconds(ms: number): string {
  const s = Math.max(1, Math.round(ms / 1000));
  return s < 90 ? `${s} second${s === 1 ? '' : 's'}` : `${Math.round(s / 60)} minutes`;
}

/** Shown without a request, where it surely would not fit. */
export const TOO_LONG = WORDS['too-long'];

/** Shown when the provider answered with nothing, and there was no time to ask again (SPEC 13.5). */
export const EMPTY_ONCE = 'The model gave an empty answer. Please send it again.';
/** Shown when it did so twice. */
export const EMPTY_TWICE = 'The model gave an empty answer, twice. Try to put it in another way.';
