import { createHash } from 'node:crypto';
import { initialState, type State } from '../domain/state.ts';
import { OWED_SHARDS, type StoredEvent } from '../ports/log.ts';
import type { Item } from './calls.ts';
import { json, keyOf, number, readJson, readNumber, readText, text } from './items.ts';
import { seqKey } from './keys.ts';
import { ringBytes, ringEntries } from './ringBytes.ts';

/** An event as an item. It is kept small: most events, with the state of a busy chat, fit into one write unit of 1 KB. */
export function eventItem(pk: string, event: StoredEvent): Item {
  return {
    ...keyOf(pk, seqKey(event.seq)),
    id: text(event.id),
    type: text(event.type),
    at: number(event.at),
    data: json(event.data),
    ...stateAttributes(event.state, event.seq),
  };
}

/** Unknown attributes are passed over. @throws {ConchError} `broken-item` for an item that holds no event. */
export function readEvent(item: Item): StoredEvent {
  const seq = Number(readText(item, 'sk'));
  return {
    seq,
    id: readText(item, 'id'),
    type: readText(item, 'type'),
    at: readNumber(item, 'at'),
    data: readJson(item, 'data'),
    state: readState(item, seq),
  };
}

export function shardOf(pk: string): number {
  return createHash('sha256').update(pk).digest().readUInt8(0) % OWED_SHARDS;
}

/** What is put back where it is missing; the version never is. */
const { version: _, seq: __, memory: NO_MEMORY, ring: NO_RING, ...NOTHING } = initialState;
const NOTHING_JSON = Object.entries(NOTHING).map(([name, value]) => [name, JSON.stringify(value)] as const);
const MEMORY_JSON = Object.entries(NO_MEMORY).map(([name, value]) => [name, JSON.stringify(value)] as const);

function without(all: object, defaults: readonly (readonly [string, string])[]): Record<string, unknown> {
  const rest: Record<string, unknown> = { ...all };
  for (const [name, value] of defaults) if (JSON.stringify(rest[name]) === value) delete rest[name];
  return rest;
}

/** The state without what repeats or is as at the beginning, and the ring's entries as bytes. */
function stateAttributes(state: State, seq: number): Item {
  const { ring, memory, turn } = state;
  const rest = without(state, NOTHING_JSON);
  if (state.seq === seq) delete rest.seq;
  if (memory) rest.memory = without(memory, MEMORY_JSON);
  if (turn?.memory && JSON.stringify(turn.memory) === JSON.stringify(memory))
    rest.turn = { ...turn, memory: undefined };
  const bytes = ring && ringBytes(ring.entries);
  if (bytes) rest.ring = { ...ring, entries: undefined };
  return { state: json(rest), ...(bytes ? { seen: { B: bytes } } : {}) };
}

function readState(item: Item, seq: number): State {
  const stored = readJson(item, 'state') as Partial<State>;
  const memory = { ...NO_MEMORY, ...stored.memory };
  const turn = stored.turn && { ...stored.turn, memory: stored.turn.memory ?? { ...memory } };
  const ring = { ...NO_RING, ...stored.ring, ...readEntries(item) };
  return { ...structuredClone(NOTHING), seq, ...stored, memory, ring, ...(turn ? { turn } : {}) } as State;
}

/** `ring` is how entries were stored before: each in twelve bytes, digits of base 64. */
function readEntries(item: Item): { entries?: string } {
  if (item.seen?.B) return { entries: ringEntries(item.seen.B) };
  return item.ring?.B ? { entries: Buffer.from(item.ring.B).toString('base64url') } : {};
}
