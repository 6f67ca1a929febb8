import type { DraftOf } from './events.ts';
import type { State } from './state.ts';
import type { Claim } from './turns.ts';

const REASON_LIMIT_CHARS = 200;

/**
 * What is appended when the app says that the bot was blocked or removed. Undefined if that is known, or if the person was
 * heard of since: then they are back.
 * @param before what was in force when the call began that the app refused. @param claim of the worker that made it.
 */
export function decideGone(
  state: State,
  before: State,
  reason: string,
  claim?: Claim,
): DraftOf<'chat.gone'> | undefined {
  const isHeardOf = state.ring.entries !== before.ring.entries;
  if (state.gone !== undefined || isHeardOf) return undefined;
  return { type: 'chat.gone', data: { ...claim, reason: reason.slice(0, REASON_LIMIT_CHARS) } };
}

/** What is appended when the app says that the bot was let back; undefined if nothing was in the way. */
export function decideBack(state: State): DraftOf<'chat.back'> | undefined {
  return state.gone === undefined ? undefined : { type: 'chat.back', data: {} };
}
