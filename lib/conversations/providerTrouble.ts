import { lasting } from '../commands/words.ts';
import { MINUTE_MS, TURN_TRIES } from '../domain/limits.ts';
import { isInGroup, type PlaceRef } from '../domain/place.ts';
import type { ChatApp } from '../ports/chatApp.ts';
import type { ProviderFailure, ProviderFault } from '../ports/engine.ts';
import type { LogFields, Logger } from '../ports/runtime.ts';
import { type Slash, slashIn } from './slash.ts';

/**
 * Notes a provider's failure. It is the provider's affair or the tenant's, whose key or limit it may be: it raises no
 * alarm of whoever runs the deployment, as an error does.
 */
export function logFailure(
  logger: Logger,
  what: string,
  failure: Error & ProviderFailure,
  fields: LogFields = {},
): void {
  logger.warn(what, { fault: failure.fault, reason: failure.message, ...fields });
}

/** What to do about a provider's failure: wait and try again, or end the turn; `notice` is for the person. */
export type Trouble = { kind: 'wait'; waitMs: number; notice: string } | { kind: 'end'; notice: string };

const NO_ANSWER = 'The model does not answer. Please try again in a few minutes.';

/** What the person is told, in plain words: what failed, whether to try again, what to do (SPEC 13.5). */
const WORDS: Record<ProviderFault, string> = {
  'rate-limited': 'The model takes no more requests for now. Please try again in a few minutes.',
  overloaded: 'The model is overloaded. Please try again in a few minutes.',
  failing: NO_ANSWER,
  unreachable: NO_ANSWER,
  silent: 'The model did not answer in time. Please try again in a few minutes.',
  unauthorized: 'The model does not accept the key of this bot. Whoever runs the bot has to set a valid one.',
  billing: 'The account of this bot at the model provider is out of credit. Whoever runs the bot has to see to it.',
  'unknown-model': 'The model of this chat does not exist any more.',
  'too-long': 'This chat has grown too long for the model.',
  refused: 'The model declined to answer this. Try to put it in another way.',
  'bad-request': 'The model did not accept this request. Sending it again will not help; try to put it in another way.',
};

/** Who is told: where, whether they own the channel, and how a command is written there. */
interface Told {
  group: boolean;
  owner: boolean;
  slash: Slash;
}

/** Those who are told at a place of this app. @param who `owner`: by whom the channel is owned. */
export function toldAt({ limits }: Pick<ChatApp, 'limits'>, place: PlaceRef, who: { owner: boolean }): Told {
  return { ...who, group: isInGroup(place), slash: slashIn(limits, place) };
}

/** Shown where a request would not fit: also without one, where that is sure. In a group `/clear` does not work. */
export function tooLong({ group, slash }: Omit<Told, 'owner'>): string {
  return `${WORDS['too-long']} Write ${group ? '' : `${slash('clear')} or `}${slash('new')}, then send your message again.`;
}

/** The way out where the model does not take what there is to sum up. */
export function startAfresh(told: Omit<Told, 'owner'>, fault: ProviderFault): string {
  return `${fault === 'too-long' ? 'It is too long for the model.' : 'The model does not take it.'} ${afresh(told)}`;
}

/** How to begin anew where what is remembered cannot be summed up. In a group `/clear` does not work. */
export function afresh({ group, slash }: Omit<Told, 'owner'>): string {
  return `${group ? '' : `${slash('clear')} or `}${slash('new')} starts afresh.`;
}

function endOf(fault: ProviderFault, told: Told): string {
  if (fault === 'too-long') return tooLong(told);
  if (told.group ? PRIVATE_FAULTS.has(fault) : !told.owner && OWNERS_FAULTS.has(fault)) return NOT_NOW;
  return fault === 'unknown-model' ? `${WORDS[fault]} Pick another with ${told.slash('model')}.` : WORDS[fault];
}

/** Faults that pass: after a while the same request may be answered. */
const PASSING: ReadonlySet<ProviderFault> = new Set(['rate-limited', 'overloaded', 'failing', 'unreachable', 'silent']);
const BUSY: ReadonlySet<ProviderFault> = new Set(['rate-limited', 'overloaded']);
/** Claims of a turn for a provider that says nothing until the time is up: each takes minutes. */
const SILENT_TRIES = 2;

/** Faults of the bot's account and key: their reason is for the channel's owner alone (SPEC 13.5). */
const OWNERS_FAULTS: ReadonlySet<ProviderFault> = new Set(['unauthorized', 'billing']);
/** In a group all faults that nobody there can mend are told without their reason, whoever asked (cases I 109). */
const PRIVATE_FAULTS: ReadonlySet<ProviderFault> = new Set([...OWNERS_FAULTS, 'unknown-model']);
/** What is said instead. */
export const NOT_NOW = 'I cannot answer at the moment. Whoever runs this bot has to see to it.';

/** Waits before the next try, by the number of tries so far, ms. */
const BACKOFF_MS = [2_000, 5_000, 15_000, 30_000];
const LONGEST_WAIT_MS = 10 * MINUTE_MS;

/**
 * What a failure means for a turn. A wait is a delayed hint, never a sleeping worker (DESIGN 3, Waits).
 * @param tries claims of this turn without progress, this one included; 0 where it has come further in this one.
 */
export function troubleOf(failure: ProviderFailure, tries: number, told: Told): Trouble {
  const { fault, retryAfterMs } = failure;
  const backoffMs = BACKOFF_MS[Math.max(1, Math.min(tries, BACKOFF_MS.length)) - 1] ?? 30_000;
  const waitMs = Math.max(retryAfterMs ?? 0, fault === 'rate-limited' ? backoffMs * 2 : backoffMs);
  const mostTries = fault === 'silent' ? SILENT_TRIES : TURN_TRIES;
  if (!PASSING.has(fault) || tries >= mostTries || waitMs > LONGEST_WAIT_MS) {
    const isLong = BUSY.has(fault) && waitMs > LONGEST_WAIT_MS;
    return { kind: 'end', notice: isLong ? takesNoMore(waitMs) : endOf(fault, told) };
  }
  const what = BUSY.has(fault) ? 'The model is busy' : 'The model does not answer';
  return { kind: 'wait', waitMs, notice: `${what}. I will try again in ${lasting(waitMs)}.` };
}

/** A provider that names a long wait: the person is told how long. */
function takesNoMore(waitMs: number): string {
  return `The model takes no more requests for now. Please try again in ${lasting(waitMs)}.`;
}

/** Shown where the message alone is too long. */
export const MESSAGE_TOO_LONG = 'This message is too long for the model. Please send it in parts.';

/** Shown when the provider declined, in its answer or instead of one. */
export const REFUSED = WORDS.refused;

/** Shown when the provider answered with nothing, and there was no time to ask again (SPEC 13.5). */
export const EMPTY_ONCE = 'The model gave an empty answer. Please try again.';
/** Shown when it did so twice. */
export const EMPTY_TWICE = 'The model gave an empty answer, twice. Try to put it in another way.';
