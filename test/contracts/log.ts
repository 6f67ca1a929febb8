import { describe, expect, test } from 'vitest';
import { isErased, isUntouched } from '../../lib/domain/erasure.ts';
import type { PlaceRef } from '../../lib/domain/place.ts';
import { initialState } from '../../lib/domain/state.ts';
import { type Log, OWED_SHARDS, type OwedEntry, type StoredEvent } from '../../lib/ports/log.ts';

let counter = 0;

/** A place that no other test uses. */
export function freshPlace(): PlaceRef {
  counter += 1;
  return { tenant: `tenant-${counter}`, place: `channel~chat-${counter}` };
}

/** An event as a writer would append it at `seq`. */
export function storedEvent(seq: number, more: Partial<StoredEvent> = {}): StoredEvent {
  return {
    seq,
    id: `id-${seq}`,
    type: 'message',
    at: 1_000_000 + seq,
    data: { content: { text: `text ${seq}` } },
    state: { ...initialState, seq },
    ...more,
  };
}

async function appendAll(log: Log, place: PlaceRef, count: number, more: Partial<StoredEvent> = {}): Promise<void> {
  for (let seq = 1; seq <= count; seq++) await log.append(place, storedEvent(seq, more));
}

/** Appends as a caller does: after a conflict it looks again, at a moment that differs from the others'. */
async function appendBehind(log: Log, place: PlaceRef, id: string): Promise<number> {
  for (;;) {
    const seq = ((await log.newest(place))?.seq ?? 0) + 1;
    const result = await log.append(place, storedEvent(seq, { id }));
    if (result.ok) return seq;
    expect(result.winner.seq).toBe(seq);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
  }
}

async function owedAnywhere(log: Log, from: number, to: number): Promise<(OwedEntry & { shard: number })[]> {
  const shards = Array.from({ length: OWED_SHARDS }, (_, shard) => shard);
  const found = await Promise.all(
    shards.map(async (shard) =>
      (await Array.fromAsync(log.owed(shard, from, to))).map((entry) => ({ ...entry, shard })),
    ),
  );
  return found.flat();
}

const seqs = async (events: AsyncIterable<StoredEvent>) => (await Array.fromAsync(events)).map((event) => event.seq);

/** What every `Log` does. @param make gives a log; tests use places of their own. */
export function logContract(make: () => Log): void {
  describe('append and read', () => {
    test('a place without events has nothing to read (DESIGN 2)', async () => {
      const [log, place] = [make(), freshPlace()];
      expect(await log.newest(place)).toBeUndefined();
      expect(await log.at(place, 1)).toBeUndefined();
      expect(await seqs(log.range(place, { from: 1 }))).toEqual([]);
    });

    test('an event comes back exactly, with fields and types that nobody knows (SPEC 2.5)', async () => {
      const [log, place] = [make(), freshPlace()];
      const data = {
        text: '\ud800 lone, 👋 pair, \u0000 nul, é',
        none: null,
        list: [1.5, { deep: true }],
        '': 'empty key',
      };
      const state = { ...initialState, seq: 1, goal: '\udfff', later: { field: 1 } } as StoredEvent['state'];
      const event = storedEvent(1, { type: 'from.the.future', data, state });
      expect(await log.append(place, event)).toEqual({ ok: true });
      expect(await log.newest(place)).toEqual(event);
      expect(await log.at(place, 1, { strong: true })).toEqual(event);
    });

    test('a seq that is taken gives the winner with its state and stays as it is (SPEC 2.2)', async () => {
      const [log, place] = [make(), freshPlace()];
      const first = storedEvent(1, { id: 'first', state: { ...initialState, goal: 'won' } });
      await log.append(place, first);
      expect(await log.append(place, storedEvent(1, { id: 'second' }))).toEqual({ ok: false, winner: first });
      expect(await log.newest(place)).toEqual(first);
    });

    test('a conflict with my own id is my success (DESIGN 3a)', async () => {
      const [log, place] = [make(), freshPlace()];
      await log.append(place, storedEvent(1, { id: 'mine' }));
      await log.append(place, storedEvent(2, { id: 'other' }));
      expect(await log.append(place, storedEvent(1, { id: 'mine' }))).toEqual({ ok: true });
      expect(await seqs(log.range(place, { from: 1 }))).toEqual([1, 2]);
    });

    test('50 writers that race all succeed, one after the other, without a gap (SPEC 2.2)', async () => {
      const [log, place] = [make(), freshPlace()];
      const ids = Array.from({ length: 50 }, (_, i) => `writer-${i}`);
      const taken = await Promise.all(ids.map((id) => appendBehind(log, place, id)));
      expect(taken.toSorted((a, b) => a - b)).toEqual(ids.map((_, i) => i + 1));
      const events = await Array.fromAsync(log.range(place, { from: 1 }));
      expect(events.map((event) => event.seq)).toEqual(ids.map((_, i) => i + 1));
      expect(events.map((event) => event.id).sort()).toEqual(ids.toSorted());
    });

    test('an event of 100 KB is kept, and one that no item can hold is refused for good (DESIGN 2)', async () => {
      const [log, place] = [make(), freshPlace()];
      const big = storedEvent(1, { data: { text: 'é'.repeat(50 * 1024) } });
      expect(await log.append(place, big)).toEqual({ ok: true });
      expect(await log.newest(place)).toEqual(big);
      const largest = storedEvent(2, { data: 'x'.repeat(400 * 1024 - 1_500) });
      expect(await log.append(place, largest)).toEqual({ ok: true });
      const tooBig = log.append(place, storedEvent(3, { data: 'é'.repeat(200 * 1024) }));
      await expect(tooBig).rejects.toMatchObject({ code: 'event-too-large', retryable: false });
      expect((await log.newest(place))?.seq).toBe(2);
    });
  });

  describe('keys', () => {
    test('parts of a key never run into each other (DESIGN 2)', async () => {
      const log = make();
      const places = [
        ...[
          ['a:b', 'c'],
          ['a', 'b:c'],
          ['a#b', 'c'],
          ['a', 'b#c'],
          ['a.23b', 'c'],
          ['a', 'b'],
          ['A', 'b'],
        ],
        ...[
          ['é', '名~前'],
          ['e\u0301', '名~前'],
          ['👋', ' '],
        ],
      ].map(([tenant = '', place = '']) => ({ tenant, place }));
      await Promise.all(places.map((place, i) => log.append(place, storedEvent(1, { id: `own-${i}` }))));
      const found = await Promise.all(places.map(async (place) => (await log.newest(place))?.id));
      expect(found).toEqual(places.map((_, i) => `own-${i}`));
    });

    test('a missing part is refused (DESIGN 2)', async () => {
      const log = make();
      const refused = { code: 'missing-key-part', retryable: false };
      await expect(log.append({ tenant: '', place: 'p' }, storedEvent(1))).rejects.toMatchObject(refused);
      await expect(log.newest({ tenant: 't', place: '' })).rejects.toMatchObject(refused);
    });

    test('a seq that is none is refused', async () => {
      const [log, place] = [make(), freshPlace()];
      for (const seq of [0, -1, 1.5, Number.NaN, 10 ** 12]) {
        await expect(log.append(place, storedEvent(seq))).rejects.toMatchObject({ code: 'bad-seq' });
        await expect(log.at(place, seq)).rejects.toMatchObject({ code: 'bad-seq' });
      }
    });
  });

  describe('range', () => {
    test('gives what was asked for, in order, past 9 and 99 (SPEC 2.2)', async () => {
      const [log, place] = [make(), freshPlace()];
      await appendAll(log, place, 102);
      const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
      expect(await seqs(log.range(place, { from: 1, pageSize: 7 }))).toEqual(upTo(102));
      expect(await seqs(log.range(place, { from: 98, to: 101 }))).toEqual([98, 99, 100, 101]);
      expect(await seqs(log.range(place, { from: 0, to: 3, newestFirst: true, pageSize: 2 }))).toEqual([3, 2, 1]);
      expect(await seqs(log.range(place, { from: 5, to: 4 }))).toEqual([]);
      expect((await log.newest(place))?.seq).toBe(102);
    });

    test('goes on past what one answer holds', async () => {
      const [log, place] = [make(), freshPlace()];
      await appendAll(log, place, 12, { data: { text: 'x'.repeat(100_000) } });
      expect(await seqs(log.range(place, { from: 1 }))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    });
  });

  describe('indexes', () => {
    test('owed work is found by its time, once, in one shard for a place (DESIGN 3, Outbox)', async () => {
      const log = make();
      const places = Array.from({ length: 6 }, (_, i) => ({ tenant: 'owing:ü', place: `c~${i}~👋` }));
      for (const place of places) {
        await log.append(place, storedEvent(1, { at: 5_000_001 }), { owed: true });
        await log.append(place, storedEvent(2, { at: 5_000_002 }));
        await log.append(place, storedEvent(3, { at: 5_000_003 }), { owed: true });
      }
      const found = await owedAnywhere(log, 5_000_000, 5_000_003);
      for (const { place } of places) {
        const mine = found.filter((entry) => entry.place === place);
        expect(mine.map(({ tenant, seq, owedAt }) => ({ tenant, seq, owedAt }))).toEqual([
          { tenant: 'owing:ü', seq: 1, owedAt: 5_000_001 },
          { tenant: 'owing:ü', seq: 3, owedAt: 5_000_003 },
        ]);
        expect(new Set(mine.map((entry) => entry.shard)).size).toBe(1);
      }
      expect(new Set(found.map((entry) => entry.shard)).size).toBeGreaterThan(1);
    });

    test('owed work is read from after one time up to another (DESIGN 3, Outbox)', async () => {
      const [log, place] = [make(), freshPlace()];
      for (const seq of [1, 2, 3]) await log.append(place, storedEvent(seq, { at: 6_000_000 + seq }), { owed: true });
      const times = async (from: number, to: number) =>
        (await owedAnywhere(log, from, to)).map((entry) => entry.owedAt);
      expect(await times(6_000_001, 6_000_002)).toEqual([6_000_002]);
      expect(await times(6_000_000, 6_000_003)).toEqual([6_000_001, 6_000_002, 6_000_003]);
      expect(await times(6_000_002, 6_000_002)).toEqual([]);
    });

    test("a tenant's places are listed with the time of their first event, no other tenant's (SPEC 1)", async () => {
      const log = make();
      const mine = ['c~1', 'c~ü', 'd#2'].map((place) => ({ tenant: 'listing:1', place }));
      for (const place of mine) {
        await log.append(place, storedEvent(1, { at: 42 }));
        await log.append(place, storedEvent(2, { at: 43 }));
      }
      await log.append({ tenant: 'listing', place: '1' }, storedEvent(1));
      const found = await Array.fromAsync(log.places('listing:1'));
      expect(found.toSorted((a, b) => (a.place < b.place ? -1 : 1))).toEqual([
        { place: 'c~1', firstAt: 42 },
        { place: 'c~ü', firstAt: 42 },
        { place: 'd#2', firstAt: 42 },
      ]);
    });

    test('they come by their beginning, from whenever is wanted (SPEC 14.1)', async () => {
      const log = make();
      for (const [place, at] of [
        ['late', 9],
        ['early', 7],
        ['middle', 8],
      ] as const) {
        await log.append({ tenant: 'listing:2', place }, storedEvent(1, { at }));
      }
      const names = async (options?: { from: number }) =>
        (await Array.fromAsync(log.places('listing:2', options))).map(({ place }) => place);
      expect(await names()).toEqual(['early', 'middle', 'late']);
      expect(await names({ from: 8 })).toEqual(['middle', 'late']);
      expect(await names({ from: 10 })).toEqual([]);
    });
  });

  describe('erase', () => {
    const SECRET = 'what nobody should find again';
    const secret = (seq: number) => storedEvent(seq, { data: SECRET, state: { ...initialState, seq, goal: SECRET } });
    const listed = async (log: Log, { tenant }: PlaceRef) =>
      (await Array.fromAsync(log.places(tenant))).map(({ place }) => place);
    const readable = async (log: Log, place: PlaceRef) =>
      JSON.stringify(await Array.fromAsync(log.range(place, { from: 1 })));

    test('nothing is left of any event of the place, and every other place stays', async () => {
      const [log, place, other] = [make(), freshPlace(), freshPlace()];
      for (let seq = 1; seq <= 60; seq++) await log.append(place, secret(seq), { owed: seq === 60 });
      await log.append(other, storedEvent(1));
      await log.erase(place);
      await log.erase(freshPlace());
      expect(await readable(log, place)).not.toContain(SECRET);
      const events = await Array.fromAsync(log.range(place, { from: 1 }));
      expect(events.every(isErased)).toBe(true);
      expect(events.map(({ seq, state }) => state.seq - seq)).toEqual(events.map(() => 0));
      expect(await listed(log, place)).toEqual([]);
      expect((await owedAnywhere(log, 0, 2_000_000)).filter((entry) => entry.tenant === place.tenant)).toEqual([]);
      expect((await log.newest(other))?.seq).toBe(1);
      await log.erase(place);
      expect((await log.newest(place))?.seq).toBe(61);
    });

    test('whoever read before appends nothing, at whatever seq, and sees that nothing is in force', async () => {
      const [log, place] = [make(), freshPlace()];
      for (let seq = 1; seq <= 5; seq++) await log.append(place, secret(seq));
      await log.erase(place);
      for (let seq = 1; seq <= 6; seq++) {
        const result = await log.append(place, { ...secret(seq), id: 'late' });
        expect(result).toMatchObject({ ok: false, winner: { type: 'place.erased', seq: 6, state: { seq: 6 } } });
        expect(isUntouched((result as { winner: StoredEvent }).winner.state)).toBe(true);
      }
      expect(await readable(log, place)).not.toContain(SECRET);
    });

    test('what comes afterwards is listed by its first event, and erased like what was before', async () => {
      const [log, place] = [make(), freshPlace()];
      await log.append(place, secret(1));
      await log.erase(place);
      expect(await log.append(place, { ...secret(3), at: 77 }, { first: true })).toEqual({ ok: true });
      await log.append(place, secret(4));
      expect(await Array.fromAsync(log.places(place.tenant))).toEqual([{ place: place.place, firstAt: 77 }]);
      await log.erase(place);
      expect(await listed(log, place)).toEqual([]);
      expect(await readable(log, place)).not.toContain(SECRET);
      expect((await log.newest(place))?.seq).toBe(5);
    });

    test('20 writers that race with an erasure leave nothing of before, and what they leave is listed', async () => {
      const [log, place] = [make(), freshPlace()];
      for (let seq = 1; seq <= 30; seq++) await log.append(place, secret(seq));
      // Each carries on what it has seen, as the state does: the goal of before, or none.
      const write = async (id: string) => {
        let before = await log.newest(place);
        for (;;) {
          const { goal, seq = 0, ring = initialState.ring } = before?.state ?? {};
          const entries = `${ring.entries}0123456789aaaaaa`;
          const state = { ...initialState, seq: seq + 1, ring: { entries, floorS: 0 }, ...(goal ? { goal } : {}) };
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
          const first = ring.entries === '' && goal === undefined;
          const result = await log.append(place, storedEvent(seq + 1, { id, data: goal, state }), { first });
          if (result.ok) return;
          before = result.winner;
        }
      };
      const writers = Array.from({ length: 20 }, (_, n) => write(`writer-${n}`));
      await new Promise((resolve) => setTimeout(resolve, 50));
      await Promise.all([...writers, log.erase(place)]);
      expect(await readable(log, place)).not.toContain(SECRET);
      const left = (await Array.fromAsync(log.range(place, { from: 1 }))).filter((event) => !isErased(event));
      expect(await listed(log, place)).toEqual(left.length > 0 ? [place.place] : []);
      await Promise.all([log.erase(place), log.erase(place)]);
      expect((await Array.fromAsync(log.range(place, { from: 1 }))).every(isErased)).toBe(true);
      expect(await listed(log, place)).toEqual([]);
    });
  });
}
