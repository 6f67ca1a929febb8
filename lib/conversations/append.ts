import { isUntouched } from '../domain/erasure.ts';
import { NewerStateError } from '../domain/errors.ts';
import type { Draft, Event } from '../domain/events.ts';
import { evolve, folded } from '../domain/evolve.ts';
import { owesWork } from '../domain/pending.ts';
import type { PlaceRef } from '../domain/place.ts';
import { initialState, STATE_VERSION, type State } from '../domain/state.ts';
import type { Log, StoredEvent } from '../ports/log.ts';
import type { Runtime } from '../ports/runtime.ts';
import { takenOver } from './takeOver.ts';

/** A decision: the event to append, or something to give back instead. */
export type Decision<G> = { draft: Draft } | { give: G };

export type Appended = Event & { state: State };
export type AppendOutcome<G> = { event: Appended } | { gave: G; state: State };

/**
 * What is in force after this event. A state of an older version is taken over if it can be, else folded again from the log
 * (DESIGN 2), event by event: a log may be more than a process can hold.
 * @throws {NewerStateError} if a newer version wrote it.
 */
export async function stateOf(log: Log, place: PlaceRef, newest: StoredEvent | undefined): Promise<State> {
  if (!newest) return initialState;
  if (newest.state.version === STATE_VERSION) return newest.state;
  if (newest.state.version > STATE_VERSION) throw new NewerStateError(newest.state.version);
  return (await takenOver(log, place, newest)) ?? foldOf(log, place, newest.seq);
}

async function foldOf(log: Log, place: PlaceRef, to: number): Promise<State> {
  let state = initialState;
  for await (const event of log.range(place, { from: 1, to })) state = folded(state, event);
  return state;
}

/**
 * Appends what `decide` makes of the state in force. When another writer was first, it decides again on the winner's
 * state (DESIGN 2, Append), so both succeed one after the other (SPEC 2.2).
 * @param start the state that the caller has read.
 * @param options `webhook`: the event enters the sweeper's index if it leaves work owed (DESIGN 3, Outbox).
 */
export async function append<G = never>(
  deps: { log: Log; runtime: Runtime },
  place: PlaceRef,
  start: State,
  decide: (state: State) => Decision<G>,
  options: { webhook?: boolean } = {},
): Promise<AppendOutcome<G>> {
  const { log, runtime } = deps;
  let state = start;
  for (let round = 1; ; round++) {
    const decision = decide(state);
    if ('give' in decision) return { gave: decision.give, state };
    const event = { ...decision.draft, seq: state.seq + 1, id: runtime.newId(), at: runtime.now() } as Event;
    const stored = { ...event, state: evolve(state, event) };
    const owed = options.webhook === true && owesWork(stored.state);
    const result = await log.append(place, stored, { owed, first: isUntouched(state) });
    if (result.ok) return { event: stored };
    state = await stateOf(log, place, result.winner);
    await runtime.sleep(runtime.random() * 20 * Math.min(round, 5));
  }
}
