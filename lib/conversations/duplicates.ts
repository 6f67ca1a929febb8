import { type Delivery, knownEvent } from '../domain/events.ts';
import { MINUTE_MS } from '../domain/limits.ts';
import type { PlaceRef } from '../domain/place.ts';
import { mayBeForgotten, remembers } from '../domain/ring.ts';
import type { State } from '../domain/state.ts';
import type { Log, StoredEvent } from '../ports/log.ts';
import type { Runtime } from '../ports/runtime.ts';
import { type Appended, type AppendOutcome, append, type Decision } from './append.ts';

/** How far an app's clock and ours may differ. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;

/** The event that this delivery appended, however long ago; the log is read back to the delivery's own time. */
export async function eventOfDelivery(log: Log, place: PlaceRef, delivery: Delivery, newest: number) {
  const range = log.range(place, { from: 1, to: newest, newestFirst: true, pageSize: 50 });
  for await (const event of range) {
    if (event.at < delivery.sentAt - CLOCK_SKEW_MS) return undefined;
    if (deliveryOf(event)?.key === delivery.key) return event;
  }
  return undefined;
}

/** A stored event as this version knows it; undefined if its type is unknown or its data does not fit (SPEC 2.5). */
export function knownStored(event: StoredEvent): Appended | undefined {
  const known = knownEvent(event);
  return known && { ...known, state: event.state };
}

/**
 * The event, as this version knows it, if this very delivery appended it and has come again: then its answer may not have
 * gone out. One message may also come as two deliveries at once (a mention in Slack), one button be pressed twice; the
 * other one is answered by itself.
 */
export function eventAgain(event: StoredEvent | undefined, { update }: Delivery): Appended | undefined {
  return event && deliveryOf(event)?.update === update ? knownStored(event) : undefined;
}

/** The delivery that an event came from, if a webhook appended it. */
export function deliveryOf(event: StoredEvent): Delivery | undefined {
  return (event.data as { delivery?: Delivery } | null)?.delivery;
}

/**
 * Appends what a delivery does, once (SPEC 2.3): the state remembers the newest deliveries, atomically with the append;
 * one that may have been pushed out of that memory is looked up in the log first (DESIGN 3a).
 */
export async function appendOnce<G = never>(
  deps: { log: Log; runtime: Runtime },
  place: PlaceRef,
  start: State,
  delivery: Delivery,
  decide: (state: State) => Decision<G>,
): Promise<AppendOutcome<G | 'duplicate'>> {
  let lookedUp = false;
  let state = start;
  for (;;) {
    const outcome = await append<G | 'duplicate' | 'look-up'>(
      deps,
      place,
      state,
      (current) => {
        if (remembers(current.ring, delivery.key)) return { give: 'duplicate' };
        if (!lookedUp && mayBeForgotten(current.ring, delivery.sentAt)) return { give: 'look-up' };
        return decide(current);
      },
      { webhook: true },
    );
    if ('event' in outcome) return outcome;
    const { gave } = outcome;
    state = outcome.state;
    if (gave !== 'look-up') return { gave, state };
    if (await eventOfDelivery(deps.log, place, delivery, state.seq)) return { gave: 'duplicate', state };
    lookedUp = true;
  }
}
