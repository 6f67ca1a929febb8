import type { Conversation, EventOf, Memory } from '../events.ts';
import type { State } from '../state.ts';
import { without, withValue } from './reducer.ts';

export function emptyMemory(seq: number): Memory {
  return { id: seq, upTo: seq, messages: 0 };
}

/** A memory, and how full it is. */
type Kept = Pick<Conversation, 'memory' | 'reading'>;

/** `change` made to this memory wherever it is kept: in force, behind the newest clear, behind `/new` (DESIGN 3a). */
export function changeMemory(state: State, id: number, change: (kept: Kept) => Kept): State {
  const apply = <K extends Kept>(kept: K): K => (kept.memory.id === id ? { ...kept, ...change(kept) } : kept);
  return {
    ...apply(state),
    ...(state.clear ? { clear: apply(state.clear) } : {}),
    ...(state.left ? { left: apply(state.left) } : {}),
  };
}

/**
 * The compaction changes the memory that it names while that is in force, and what its own turn remembers; kept behind a
 * clear or `/new`, the memory stays as it was (SPEC 5.5, 5.6). So a turn that was cleared in its middle and has no room left
 * goes on with a summary for itself alone: discarded, it could not finish with the memory that it began with (SPEC 5.2).
 * Undo then brings back all of the memory, the turn's own steps included, and the reading of all of it: what the turn reads
 * behind its summary is a reading (`withReading`) and a session (`compactedAlone`) of another memory.
 *
 * Of its messages those are counted that are not in the summary; its reading is unknown until the next step gives one
 * (SPEC 8.4).
 */
export function compact(state: State, event: EventOf<'context.compacted'>): State {
  const { memory: id, upTo, turn } = event.data;
  const answered = state.turn?.id === turn ? state.turn.messages.filter((seq) => seq > upTo) : [];
  const messages = answered.length + state.waiting.length;
  const waited = state.waiting.filter((seq) => seq <= upTo);
  const apply = (memory: Memory): Memory => {
    if (memory.id !== id) return memory;
    const { waited: _summedUp, ...kept } = memory;
    return { ...kept, upTo, summary: event.seq, messages, ...(waited.length === 0 ? {} : { waited }) };
  };
  const next = { ...state, memory: apply(state.memory) };
  if (state.memory.id === id) next.reading = { tokens: 0, compacted: true };
  if (state.turn?.id === turn) next.turn = { ...state.turn, memory: apply(state.turn.memory), tries: 0 };
  return next;
}

export function clearContext(state: State, event: EventOf<'context.cleared'>): State {
  const { memory, waiting, reading, lastClear } = state;
  return {
    ...without(state, 'question', 'compactAsked', 'reading'),
    clear: {
      ...{ seq: event.seq, memory, waiting },
      ...(reading === undefined ? {} : { reading }),
      ...(lastClear === undefined ? {} : { before: lastClear }),
    },
    lastClear: event.seq,
    memory: emptyMemory(event.seq),
    waiting: [],
  };
}

export function restoreContext(state: State, event: EventOf<'context.restored'>): State {
  const { clear } = state;
  if (clear?.seq !== event.data.clear) return state;
  const next = { ...without(state, 'clear'), memory: clear.memory, waiting: [...clear.waiting, ...state.waiting] };
  return withValue(withValue(next, 'reading', clear.reading), 'lastClear', clear.before);
}
