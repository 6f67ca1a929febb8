import type { EventOf, UnknownEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { initialState, type State } from './state.ts';

/** What a place that is erased leaves for a while, so that who still holds an older state conflicts with it. */
export function erasure(seq: number, at: number): EventOf<'place.erased'> & { state: State } {
  // One id for all: of two erasures at once, each takes the other's for its own.
  const event = { type: 'place.erased' as const, seq, id: 'erased', at, data: {} };
  return { ...event, state: evolve(initialState, event) };
}

/** Whether nothing is there any more but that something was erased. */
export function isErased(event: Pick<UnknownEvent, 'type'>): boolean {
  return event.type === 'place.erased';
}

/** Whether nobody has done anything here yet, or since the place was erased: every webhook's event is remembered. */
export function isUntouched(state: State): boolean {
  return state.ring.entries === '';
}
