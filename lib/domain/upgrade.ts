import { eventOf, type Memory, type Reading, type UnknownEvent } from './events.ts';
import { STATE_VERSION, type State } from './state.ts';

/**
 * A state of an older version as this version's fold would have it, where the state alone says how: what has changed
 * since, version by version. It is the fold if `readingsToProve` are proved. Pure.
 * @returns undefined for a version whose states have to be folded again from the log.
 */
export function upgradeState(state: State): State | undefined {
  if (state.version !== 6) return undefined;
  // Since version 7 what a person was told stands with the person.
  const { strangerTold: _, limitTold: __, wrongClaims: ___, ...kept } = state as State & Record<string, unknown>;
  return { ...kept, version: STATE_VERSION };
}

/** A reading that a turn has given, of a memory that the state keeps. */
export interface KeptReading {
  memory: number;
  reading: Reading;
  /** The memory was in force until the event with this seq. */
  until: number;
}

/**
 * The readings of a state of version 6 that another version could have left out: since version 7 a turn that was compacted
 * for itself alone gives none of the memory that it began with (SPEC 5.5).
 */
export function readingsToProve({ seq, memory, reading, clear, left }: State): KeptReading[] {
  const kept = [
    { memory, reading, until: seq },
    ...(clear ? [{ ...clear, until: clear.seq }] : []),
    ...(left ? [{ ...left, until: left.leftAt }] : []),
  ];
  return kept.flatMap(({ memory: { id }, reading: read, until }) =>
    read === undefined || read.compacted ? [] : [{ memory: id, reading: read, until }],
  );
}

/**
 * Whether this event is what gave the reading, in every version. Pure.
 * @param event the newest one that is not `elsewhere`, looked for from the kept reading's `until` down.
 * @param before the state that the event met.
 */
export function proofIn(
  kept: KeptReading,
  event: UnknownEvent,
  before: State | undefined,
): 'proved' | 'open' | 'elsewhere' {
  const resumed = eventOf(event, 'conversation.resumed')?.data.resumed;
  if (resumed?.memory.id === kept.memory) return sameReading(resumed.reading, kept.reading) ? 'proved' : 'open';
  const read = (eventOf(event, 'step') ?? eventOf(event, 'turn.ended'))?.data;
  if (read?.memory !== kept.memory || read.contextTokens === undefined) return 'elsewhere';
  if (before?.version !== 6) return 'open';
  const memories = keptMemories(before).filter(({ id }) => id === kept.memory);
  if (memories.length === 0) return 'elsewhere';
  const { turn } = before;
  const isAlone = turn?.id === read.turn && memories.some(({ summary }) => summary !== turn.memory.summary);
  const given = { tokens: read.contextTokens, ...(read.model === undefined ? {} : { model: read.model }) };
  return !isAlone && sameReading(given, kept.reading) ? 'proved' : 'open';
}

/** Whether a turn goes on that may still give a reading of this memory. */
export function isRead({ turn, question }: State, memory: number): boolean {
  return turn?.memory.id === memory || question?.turn.memory.id === memory;
}

function keptMemories({ memory, clear, left }: State): Memory[] {
  return [memory, ...(clear ? [clear.memory] : []), ...(left ? [left.memory] : [])];
}

function sameReading(one: Reading | undefined, other: Reading): boolean {
  return one?.tokens === other.tokens && one.model === other.model && one.compacted === other.compacted;
}
