import { isUntouched } from '../domain/erasure.ts';
import type { PlaceRef } from '../domain/place.ts';
import { decideBack, decideGone } from '../domain/reach.ts';
import type { State } from '../domain/state.ts';
import type { Channel, IncomingMembership, SendResult } from '../ports/chatApp.ts';
import { append, stateOf } from './append.ts';
import type { WebhookDeps } from './deps.ts';
import { placeRef } from './scene.ts';

type Deps = Pick<WebhookDeps, 'log' | 'runtime' | 'logger'>;

/** Why nothing can be sent to the chat, whatever it is: the bot was blocked or removed. Undefined if this does not say so. */
export function goneReason(result: SendResult): string | undefined {
  return result.kind === 'dead' && result.scope !== 'message' ? result.reason : undefined;
}

/**
 * Notes in a place's log that the bot was blocked or removed: nothing is sent there until the person is heard of, or the app
 * says that the bot is back.
 * @param before what was in force there when the call began that the app refused.
 */
export async function noteGone(deps: Deps, place: PlaceRef, before: State, reason: string): Promise<void> {
  await append(deps, place, before, (state) => {
    const draft = decideGone(state, before, reason);
    return draft ? { draft } : { give: 'known' };
  });
}

/**
 * Notes that the bot was blocked or removed, or is back, in the private chat that the app says it of. In a group each place
 * finds out by itself: there is one for each person, and who is removed hears nothing more there.
 */
export async function noteMembership(
  deps: Deps,
  channel: Channel,
  { change, chat }: IncomingMembership,
): Promise<void> {
  if (chat === '') return;
  const place = placeRef(channel, { chat }, '');
  const newest = await deps.log.newest(place);
  const start = newest && (await stateOf(deps.log, place, newest));
  if (!start || isUntouched(start)) return;
  await append(deps, place, start, (state) => {
    const draft = change === 'gone' ? decideGone(state, state, 'the app said so') : decideBack(state);
    return draft ? { draft } : { give: 'known' };
  });
}
