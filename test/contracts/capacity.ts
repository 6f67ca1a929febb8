import { describe, expect, test } from 'vitest';
import type { Capacity, PersonKey, SweepCursor, UsageCounters } from '../../lib/ports/capacity.ts';

let counter = 0;
const freshTenant = () => `capacity:${++counter}`;

function slotTests(make: () => Capacity): void {
  test('as many slots as the limit are taken, each once, and no more (DESIGN 3)', async () => {
    const [capacity, tenant] = [make(), freshTenant()];
    const slots = [];
    for (const holder of ['a', 'b', 'c']) slots.push(await capacity.take(tenant, 3, holder, 1_000, 2_000));
    expect(slots.map((slot) => slot?.holder)).toEqual(['a', 'b', 'c']);
    expect(slots.map((slot) => slot?.index).toSorted()).toEqual([0, 1, 2]);
    expect(await capacity.take(tenant, 3, 'd', 1_000, 2_000)).toBeUndefined();
    expect(await capacity.take(tenant, 0, 'd', 1_000, 2_000)).toBeUndefined();
    expect(await capacity.take(freshTenant(), 3, 'd', 1_000, 2_000)).toBeDefined();
  });

  test('30 workers that race get 5 different slots (DESIGN 3)', async () => {
    const [capacity, tenant] = [make(), freshTenant()];
    const holders = Array.from({ length: 30 }, (_, i) => `h-${i}`);
    const slots = await Promise.all(holders.map((holder) => capacity.take(tenant, 5, holder, 1_000, 2_000)));
    const taken = slots.filter((slot) => slot !== undefined);
    expect(taken.map((slot) => slot.index).toSorted()).toEqual([0, 1, 2, 3, 4]);
  });

  test('a slot whose lease has passed is free, one moment before it is not (DESIGN 3)', async () => {
    const [capacity, tenant] = [make(), freshTenant()];
    const slot = await capacity.take(tenant, 1, 'dead', 1_000, 2_000);
    expect(await capacity.take(tenant, 1, 'next', 1_999, 3_000)).toBeUndefined();
    expect(await capacity.take(tenant, 1, 'next', 2_000, 3_000)).toEqual({ ...slot, holder: 'next' });
  });

  test('a holder that asks again gets its own slot, also when all are taken', async () => {
    const [capacity, tenant] = [make(), freshTenant()];
    const slots = [];
    for (const holder of ['a', 'b']) slots.push(await capacity.take(tenant, 2, holder, 1_000, 2_000));
    expect(await capacity.take(tenant, 2, 'a', 1_500, 2_500)).toEqual(slots[0]);
    expect(await capacity.take(tenant, 2, 'b', 1_500, 2_500)).toEqual(slots[1]);
  });

  test('a lease is renewed by its holder only (DESIGN 3)', async () => {
    const [capacity, tenant] = [make(), freshTenant()];
    const slot = (await capacity.take(tenant, 1, 'a', 1_000, 2_000)) ?? { tenant, index: -1, holder: '' };
    expect(await capacity.renew(slot, 5_000)).toBe(true);
    expect(await capacity.take(tenant, 1, 'b', 4_999, 9_000)).toBeUndefined();
    expect(await capacity.take(tenant, 1, 'b', 5_000, 9_000)).toBeDefined();
    expect(await capacity.renew(slot, 20_000)).toBe(false);
    expect(await capacity.take(tenant, 1, 'c', 9_000, 9_500)).toBeDefined();
  });

  test('a slot is freed by its holder only, and a freed one is not renewed (DESIGN 3)', async () => {
    const [capacity, tenant] = [make(), freshTenant()];
    const slot = (await capacity.take(tenant, 1, 'a', 1_000, 2_000)) ?? { tenant, index: -1, holder: '' };
    await capacity.free({ ...slot, holder: 'b' });
    expect(await capacity.take(tenant, 1, 'b', 1_500, 2_500)).toBeUndefined();
    await capacity.free(slot);
    expect(await capacity.renew(slot, 5_000)).toBe(false);
    expect(await capacity.take(tenant, 1, 'b', 1_500, 2_500)).toBeDefined();
    await capacity.free(slot);
    expect(await capacity.take(tenant, 1, 'c', 1_500, 2_500)).toBeUndefined();
  });

  test('a lower limit leaves out the slots above it', async () => {
    const [capacity, tenant] = [make(), freshTenant()];
    for (const holder of ['a', 'b', 'c', 'd']) await capacity.take(tenant, 4, holder, 1_000, 2_000);
    expect(await capacity.take(tenant, 2, 'e', 1_500, 2_500)).toBeUndefined();
    expect((await capacity.take(tenant, 2, 'e', 2_000, 2_500))?.index).toBeLessThan(2);
  });
}

function waitingTests(make: () => Capacity): void {
  test('the place that has waited longest is next, from its first wait on (DESIGN 3)', async () => {
    const [capacity, tenant] = [make(), freshTenant()];
    await capacity.wait(tenant, 'z~ü\ud800', 1_000);
    await capacity.wait(tenant, 'a', 2_000);
    await capacity.wait(tenant, 'm', 3_000);
    await capacity.wait(tenant, 'z~ü\ud800', 9_000);
    await capacity.unwait(tenant, 'a');
    await capacity.unwait(tenant, 'never there');
    expect(await capacity.nextWaiting(`${tenant}x`)).toBeUndefined();
    expect(await capacity.nextWaiting(tenant)).toBe('z~ü\ud800');
    expect(await capacity.nextWaiting(tenant)).toBe('m');
    expect(await capacity.nextWaiting(tenant)).toBeUndefined();
  });

  test('of callers that race each gets another place (DESIGN 3)', async () => {
    const [capacity, tenant] = [make(), freshTenant()];
    const places = Array.from({ length: 10 }, (_, i) => `p-${i}`);
    await Promise.all(places.map((place, i) => capacity.wait(tenant, place, 1_000 + i)));
    const woken = await Promise.all(Array.from({ length: 12 }, () => capacity.nextWaiting(tenant)));
    expect(woken.filter((place) => place !== undefined).toSorted()).toEqual(places);
  });
}

/** What every `Capacity` does. @param make gives the store; tests use tenants of their own. */
export function capacityContract(make: () => Capacity): void {
  describe('slots', () => slotTests(make));
  describe('the waiting list', () => waitingTests(make));
}

/** What every `UsageCounters` does. */
export function usageContract(make: () => UsageCounters): void {
  const row = (day: string, turns: number, inputTokens: number, outputTokens: number) => ({
    ...{ day, turns, inputTokens, outputTokens },
  });

  test('counts of a day add up, also of those that race (SPEC 9.4)', async () => {
    const [usage, tenant] = [make(), freshTenant()];
    const add = () => usage.add(tenant, '2026-11-30', { turns: 1, inputTokens: 10 });
    await Promise.all(Array.from({ length: 20 }, add));
    await usage.add(tenant, '2026-11-30', { outputTokens: 3 });
    await usage.add(tenant, '2026-11-30', {});
    expect(await usage.read(tenant, 5)).toEqual([row('2026-11-30', 20, 200, 3)]);
  });

  test('days are read newest first, as many as asked for, and erased (DESIGN 2)', async () => {
    const [usage, tenant] = [make(), freshTenant()];
    for (const day of ['2026-09-30', '2026-10-01', '2026-10-02']) await usage.add(tenant, day, { turns: 1 });
    await usage.add(`${tenant}x`, '2026-10-02', { turns: 7 });
    expect(await usage.read(tenant, 2)).toEqual([row('2026-10-02', 1, 0, 0), row('2026-10-01', 1, 0, 0)]);
    await usage.erase(tenant);
    expect(await usage.read(tenant, 9)).toEqual([]);
    expect(await usage.read(`${tenant}x`, 9)).toHaveLength(1);
  });
}

/** How often a person writes, in every `UsageCounters`. */
export function rateContract(make: () => UsageCounters): void {
  const at = (n: number) => ({ at: 4_000_000_000_000 + n, key: `key-${n}` });
  const person = (more: Partial<PersonKey> = {}) => ({
    ...{ tenant: freshTenant(), channelId: 't.c', person: 'a#1' },
    ...more,
  });

  test('a rate is empty, then what was put in the place of what was read (SPEC 9.4)', async () => {
    const [usage, who] = [make(), person()];
    expect(await usage.rate(who)).toEqual([]);
    expect(await usage.putRate(who, [at(1)], [])).toBe(true);
    expect(await usage.putRate(who, [at(2)], [])).toBe(false);
    expect(await usage.putRate(who, [at(2)], [at(3)])).toBe(false);
    expect(await usage.rate(who)).toEqual([at(1)]);
    expect(await usage.putRate(who, [at(1), at(2)], [at(1)])).toBe(true);
    expect(await usage.rate(who)).toEqual([at(1), at(2)]);
  });

  test('of twenty that race from the same rate one puts its own (SPEC 9.4)', async () => {
    const [usage, who] = [make(), person()];
    for (const before of [[], [at(0)]]) {
      if (before.length > 0) await usage.putRate(who, before, await usage.rate(who));
      const puts = Array.from({ length: 20 }, (_, n) => usage.putRate(who, [...before, at(n + 1)], before));
      expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(1);
    }
  });

  test('each person on each channel has their own; it goes with the person, and with the tenant', async () => {
    const [usage, who] = [make(), person()];
    const others = [{ ...who, person: 'a' }, { ...who, channelId: 't.c#a' }, person()];
    for (const one of [who, ...others]) expect(await usage.putRate(one, [at(1)], [])).toBe(true);
    await usage.eraseRate(who);
    expect(await usage.rate(who)).toEqual([]);
    await usage.eraseRate(who);
    await usage.erase(who.tenant);
    expect(await Promise.all(others.map((one) => usage.rate(one)))).toEqual([[], [], [at(1)]]);
  });
}

/** What every `SweepCursor` does. @param make gives a store in which nobody has moved shards 1 to 4. */
export function cursorContract(make: () => SweepCursor): void {
  test('a cursor begins at 0 and only moves forward (DESIGN 3, Outbox)', async () => {
    const cursor = make();
    expect(await cursor.read(1)).toBe(0);
    await cursor.move(1, 1_800_000_000_000);
    await cursor.move(1, 1_700_000_000_000);
    await cursor.move(2, 5);
    expect(await cursor.read(1)).toBe(1_800_000_000_000);
    expect(await cursor.read(2)).toBe(5);
  });

  test('of moves that race the farthest stays (DESIGN 3, Outbox)', async () => {
    const cursor = make();
    await Promise.all([3, 9, 1, 7, 5].map((to) => cursor.move(3, to)));
    expect(await cursor.read(3)).toBe(9);
  });
}
