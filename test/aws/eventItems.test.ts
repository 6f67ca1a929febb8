import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventItem, readEvent } from '../../lib/aws/eventItems.ts';
import { keyOf, number, text } from '../../lib/aws/items.ts';
import { seqKey } from '../../lib/aws/keys.ts';
import { ringBytes, ringEntries } from '../../lib/aws/ringBytes.ts';
import type { Event } from '../../lib/domain/events.ts';
import { evolve } from '../../lib/domain/evolve.ts';
import { RING_SIZE, remember } from '../../lib/domain/ring.ts';
import { initialState, type State } from '../../lib/domain/state.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';
import { anyLog } from '../support/arbitraryEvents.ts';

const stored = (state: State, seq = state.seq): StoredEvent => ({ seq, id: 'i', type: 't', at: 1, data: null, state });
const again = (event: StoredEvent) => readEvent(eventItem('pk', event));

const entry = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9_-]{10}$/), fc.stringMatching(/^[0-9a-z]{6}$/))
  .map(([hash, time]) => hash + time);
const entries = fc.oneof(
  fc.array(entry, { maxLength: 40 }).map((all) => all.join('')),
  fc.string(),
  fc.constantFrom('0123456789aaaaa', '0123456789AAAAAA', '0123456789aaaaaa\n'),
);
const small = fc.nat(3);
const anyState = fc
  .record(
    {
      ...{
        version: fc.nat(9),
        seq: small,
        lastMessageAt: fc.nat(2),
        conversation: small,
        options: fc.constantFrom({}, { mode: 'plan' }),
      },
      ...{
        ring: fc.record({ entries, floorS: fc.nat(2), later: fc.string() }, { requiredKeys: ['entries', 'floorS'] }),
      },
      memory: fc.record(
        { id: small, upTo: small, messages: small, last: small },
        { requiredKeys: ['id', 'upTo', 'messages'] },
      ),
      ...{ waiting: fc.array(small, { maxLength: 2 }), goal: fc.string(), later: fc.jsonValue() },
      turn: fc.record({ id: fc.string(), memory: fc.record({ id: small, upTo: small, messages: small }) }),
    },
    { requiredKeys: ['version', 'seq', 'ring', 'lastMessageAt', 'conversation', 'memory', 'options', 'waiting'] },
  )
  .map((state) => JSON.parse(JSON.stringify(state)) as State);

describe('an event as an item', () => {
  test('SPEC 2.5: any state comes back as it was, with fields that nobody knows', () => {
    const property = fc.property(anyState, fc.integer({ min: 1, max: 4 }), (state, seq) => {
      expect(again(stored(state, seq))).toEqual(stored(state, seq));
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('SPEC 2.4: every state of any log comes back as it was', () => {
    const property = fc.property(anyLog, (drafts) => {
      let state = initialState;
      for (const draft of drafts) {
        const event = { ...draft, seq: state.seq + 1, id: 'x', at: 5 } as Event;
        state = evolve(state, event);
        expect(again({ ...event, state })).toEqual(JSON.parse(JSON.stringify({ ...event, state })));
      }
    });
    fc.assert(property);
  });

  test('one stored before, with the whole state as text or the ring in digits of base 64, is still read', () => {
    const ring = remember(remember(initialState.ring, 'a', 1_000), 'b', 500_000);
    const state: State = { ...initialState, seq: 2, ring, waiting: [2] };
    const attributes = { ...keyOf('pk', seqKey(2)), id: text('i'), type: text('t'), at: number(1), data: text('null') };
    expect(readEvent({ ...attributes, state: text(JSON.stringify(state)) })).toEqual(stored(state));
    const bytes = { B: Buffer.from(ring.entries, 'base64url').toString('base64') };
    const without = { ...state, ring: { floorS: ring.floorS } };
    expect(readEvent({ ...attributes, state: text(JSON.stringify(without)), ring: bytes })).toEqual(stored(state));
  });
});

describe('the ring in bytes', () => {
  test('entries come back as they were; other text makes no bytes', () => {
    fc.assert(
      fc.property(entries, (given) => {
        const bytes = ringBytes(given);
        if (bytes) expect(ringEntries(bytes)).toBe(given);
        else expect(given).not.toMatch(/^(?:[\w-]{10}[0-9a-z]{6})+$(?!\n)/);
      }),
    );
  });

  test('a full one takes less than ten bytes a delivery where people write often', () => {
    let { ring } = initialState;
    for (let n = 0; n < RING_SIZE; n++) ring = remember(ring, `m:${n}`, 1_795_950_000_000 + n * 90_000);
    expect(ringBytes(ring.entries)?.length).toBeLessThan(RING_SIZE * 10);
  });
});
