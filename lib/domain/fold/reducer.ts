import type { EventOf, EventType } from '../events.ts';
import type { State } from '../state.ts';

/** What an event of this type makes of the state. Pure. */
export type Reducer<T extends EventType> = (state: State, event: EventOf<T>) => State;

export function without<K extends keyof State>(state: State, ...keys: K[]): State {
  const rest = { ...state };
  for (const key of keys) delete rest[key];
  return rest;
}

/** `state` with `key` set, or removed where the value is undefined: a stored fold never holds undefined. */
export function withValue<K extends keyof State>(state: State, key: K, value: State[K] | undefined): State {
  return value === undefined ? without(state, key) : { ...state, [key]: value };
}
