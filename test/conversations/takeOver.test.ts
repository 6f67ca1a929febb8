import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stateOf } from '../../lib/conversations/append.ts';
import { type Draft, type Event, type EventType, eventOf } from '../../lib/domain/events.ts';
import { evolve, fold } from '../../lib/domain/evolve.ts';
import { changeMemory } from '../../lib/domain/fold/memory.ts';
import { initialState, STATE_VERSION, type State } from '../../lib/domain/state.ts';
import type { Log, StoredEvent } from '../../lib/ports/log.ts';
import { anyLog, draftOf } from '../support/arbitraryEvents.ts';
import { message, NOON, stored } from '../support/given.ts';
import { MemoryLog } from '../support/memory/log.ts';

/** What moves memories and their readings. */
const MOVING = [
  ...['message', 'turn.started', 'step', 'turn.ended', 'reply.delivered', 'context.cleared', 'context.restored'],
  ...['context.compacted', 'conversation.started', 'conversation.resumed'],
] as EventType[];

const PLACE = { tenant: 't', place: 'p' };

/** What version 6 made of an event, where that was another thing. */
function evolve6(state: State, event: Event): State {
  const next = evolve(state, event);
  const read = (eventOf(event, 'step') ?? eventOf(event, 'turn.ended'))?.data;
  const told = event.type === 'limit.reached' ? { limitTold: event.at } : {};
  if (read?.contextTokens === undefined) return { ...next, ...told, version: 6 };
  const reading = { tokens: read.contextTokens, ...(read.model === undefined ? {} : { model: read.model }) };
  return { ...changeMemory(next, read.memory, ({ memory }) => ({ memory, reading })), version: 6 };
}

/** The draft as version 6 could have appended it on this state; undefined if it could not. */
function possible(state: State, { type, data }: Draft): Draft | undefined {
  const { turn, owed, memory, waiting } = state;
  if (type === 'context.summed' || type === 'place.erased') return undefined;
  if (type === 'turn.started') {
    if (owed) return undefined;
    const taken = turn ? { turn: turn.id, memory: turn.memory } : { turn: `t${state.seq}`, memory };
    return { type, data: { ...data, ...taken, messages: waiting } };
  }
  if (type === 'options') return { type, data: { ...data, closesApproval: undefined } };
  if (type === 'reply.delivered' || type === 'delivery.taken') {
    return owed && ({ type, data: { ...data, turn: owed.turn, attempt: owed.attempt } } as Draft);
  }
  if (type === 'context.restored' && state.clear) return { type, data: { ...data, clear: state.clear.seq } };
  if (type === 'conversation.resumed') {
    if (!state.left) return undefined; // what is resumed was left before, and so its memory is an earlier one
    const { leftAt: _, ...resumed } = state.left;
    return { type, data: { ...data, resumed } };
  }
  if (!('attempt' in data)) return { type, data } as Draft;
  if (!turn) return undefined;
  return { type, data: { ...data, turn: turn.id, attempt: turn.attempt, memory: turn.memory.id } } as Draft;
}

/** A log as version 6 has left it. */
async function logOf6(drafts: readonly Draft[]): Promise<MemoryLog> {
  const log = new MemoryLog();
  let state: State = { ...initialState, version: 6 };
  for (const draft of drafts) {
    const made = possible(state, draft);
    if (!made) continue;
    const seq = state.seq + 1;
    const event = stored({ ...made, seq, id: `id-${seq}`, at: NOON + seq }) as Event;
    state = stored(evolve6(state, event));
    await log.append(PLACE, { ...event, state });
  }
  return log;
}

/** The log, and how many events were read of it. */
function counted(log: Log): { log: Log; read: () => number } {
  let events = 0;
  const range: Log['range'] = async function* (...args) {
    for await (const event of log.range(...args)) {
      events += 1;
      yield event;
    }
  };
  return { log: { range } as Log, read: () => events };
}

async function inForce(log: MemoryLog): Promise<{ state: State; folded: State; read: number; newest: StoredEvent }> {
  const newest = await log.newest(PLACE);
  if (!newest) throw new Error('The log is empty');
  const looked = counted(log);
  const state = await stateOf(looked.log, PLACE, newest);
  return { state, folded: fold(await Array.fromAsync(log.range(PLACE, { from: 1 }))), read: looked.read(), newest };
}

const held = { turn: 't', attempt: 1 };
const began = (memory: object, messages: number[]) =>
  ({
    type: 'turn.started',
    data: { ...held, leaseUntil: 1, kind: 'answer', messages, memory, options: {}, tries: 1 },
  }) as Draft;
const ended = (contextTokens: number) =>
  ({
    type: 'turn.ended',
    data: { ...held, memory: 0, leaseUntil: 1, outcome: 'complete', messages: [1], text: 'a', contextTokens },
  }) as Draft;
const delivered = { type: 'reply.delivered', data: held } as Draft;
const by = { delivery: { key: 'k', update: 'u', sentAt: 1 }, person: { id: 'ana' }, to: { chat: 'c' } };

describe('a state of version 6 (DESIGN 2)', () => {
  test('SPEC 2.4: taken over or folded again, it is the fold of its log', async () => {
    const some = fc.array(draftOf(MOVING), { minLength: 10, maxLength: 60 });
    const property = fc.asyncProperty(fc.oneof(anyLog, some, some), async (drafts) => {
      const log = await logOf6(drafts);
      if (!(await log.newest(PLACE))) return;
      const { state, folded } = await inForce(log);
      expect(state).toStrictEqual(folded);
    });
    await fc.assert(property, { numRuns: Number(process.env.CONCH_RUNS ?? 800) });
  });

  test('a chat of any length is taken over by a look at its last answer', async () => {
    const chat = Array.from({ length: 100 }, () => [message(), began({}, []), ended(50), delivered]).flat();
    const { state, folded, read } = await inForce(await logOf6(chat));
    expect(read).toBeLessThan(5);
    expect(state).toStrictEqual(folded);
    expect(state).toMatchObject({ version: STATE_VERSION, reading: { tokens: 50 } });
  });

  test('what a person was told in the place is no part of it any more', async () => {
    const limited = { type: 'limit.reached', data: { ...by, limit: 'turnsPerDay', allowed: 1 } } as Draft;
    const { state, newest, folded } = await inForce(await logOf6([message(), limited]));
    expect(newest.state).toHaveProperty('limitTold');
    expect(state).toStrictEqual(folded);
  });

  test('SPEC 5.5: the reading of a turn that was compacted for itself alone is not taken over', async () => {
    const cleared = { type: 'context.cleared', data: { ...by, dropped: 0 } } as Draft;
    const compacted = { type: 'context.compacted', data: { ...held, memory: 0, upTo: 0, summary: 's' } } as Draft;
    const restored = { type: 'context.restored', data: { ...by, clear: 3, restored: 0 } } as Draft;
    const log = await logOf6([message(), began({}, []), cleared, compacted, ended(50), delivered, restored]);
    const { state, newest, folded } = await inForce(log);
    expect(newest.state.reading).toEqual({ tokens: 50 });
    expect(folded.reading).toBeUndefined();
    expect(state).toStrictEqual(folded);
  });
});

test('DESIGN 2: a log that is folded again is not held in memory: each event is folded before the next is read', async () => {
  let looked = 0;
  const at = (seq: number) => ({ seq, id: `e${seq}`, at: NOON, data: {}, state: { ...initialState, seq, version: 5 } });
  const range: Log['range'] = async function* () {
    for (let seq = 1; seq <= 10; seq++) {
      const event = {
        ...at(seq),
        get type() {
          looked = seq;
          return 'another';
        },
      };
      yield event;
      expect(looked).toBe(seq);
    }
  };
  const state = await stateOf({ range } as Log, PLACE, { ...at(10), type: 'another' });
  expect(state).toMatchObject({ seq: 10, version: STATE_VERSION });
});
