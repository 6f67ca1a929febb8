import { describe, expect, test } from 'vitest';
import type { TenantRecord } from '../../lib/ports/tenants.ts';
import { TenantDirectory } from '../../lib/tenants/directory.ts';

const MINUTE_MS = 60_000;

function record(tenant: string, version: number): TenantRecord {
  const nothing = { channels: [], providers: [], commands: [], skills: [], toolServers: [] };
  return { tenant, version, settings: { turnsAtOnce: version }, ...nothing };
}

/** A directory over tenants that a test changes; `loads` names what was asked of the store, `hold` keeps it waiting. */
function directoryOf(versions: Record<string, number>, maxEntries?: number) {
  const state = { nowMs: 0, loads: [] as string[], held: [] as (() => void)[], holding: false, failing: false };
  const load = async (tenant: string) => {
    state.loads.push(tenant);
    const version = versions[tenant];
    if (state.holding) await new Promise<void>((resolve) => state.held.push(resolve));
    if (state.failing) throw new Error('The store is away');
    return version === undefined ? undefined : record(tenant, version);
  };
  return Object.assign(state, { directory: new TenantDirectory({ load }, () => state.nowMs, maxEntries) });
}

describe('get', () => {
  test('a tenant is loaded once in 5 minutes (DESIGN 2)', async () => {
    const versions = { t: 1 };
    const state = directoryOf(versions);
    expect(await state.directory.get('t')).toEqual(record('t', 1));
    versions.t = 2;
    state.nowMs = 5 * MINUTE_MS - 1;
    expect(await state.directory.get('t')).toEqual(record('t', 1));
    expect(state.loads).toEqual(['t']);
    state.nowMs = 5 * MINUTE_MS;
    expect(await state.directory.get('t')).toEqual(record('t', 2));
  });

  test('an unknown tenant is remembered for a few seconds only', async () => {
    const versions: Record<string, number> = {};
    const state = directoryOf(versions);
    expect(await state.directory.get('t')).toBeUndefined();
    state.nowMs = 4_999;
    expect(await state.directory.get('t')).toBeUndefined();
    expect(state.loads).toEqual(['t']);
    versions.t = 1;
    state.nowMs = 5_000;
    expect(await state.directory.get('t')).toEqual(record('t', 1));
  });

  test('loads of one tenant that overlap are one request', async () => {
    const state = directoryOf({ t: 1, u: 1 });
    const all = Promise.all(['t', 't', 'u', 't'].map((tenant) => state.directory.get(tenant)));
    expect((await all).map((found) => found?.tenant)).toEqual(['t', 't', 'u', 't']);
    expect(state.loads).toEqual(['t', 'u']);
  });

  test('a load that fails is not kept', async () => {
    const state = directoryOf({ t: 1 });
    state.failing = true;
    await expect(state.directory.get('t')).rejects.toThrow('The store is away');
    state.failing = false;
    expect(await state.directory.get('t')).toEqual(record('t', 1));
  });

  test('the tenant that was not asked for longest goes when there are too many', async () => {
    const state = directoryOf({ a: 1, b: 1, c: 1 }, 2);
    for (const tenant of ['a', 'b', 'a', 'c', 'a', 'b']) await state.directory.get(tenant);
    expect(state.loads).toEqual(['a', 'b', 'c', 'b']);
  });
});

describe('fresh', () => {
  test('a change counts from the next message: an older entry is loaded again (DESIGN 2)', async () => {
    const versions = { t: 1 };
    const state = directoryOf(versions);
    await state.directory.get('t');
    expect(await state.directory.fresh('t', 1)).toEqual(record('t', 1));
    expect(state.loads).toHaveLength(1);
    versions.t = 2;
    expect(await state.directory.fresh('t', 2)).toEqual(record('t', 2));
    expect(await state.directory.fresh('t', 1)).toEqual(record('t', 2));
    expect(state.loads).toHaveLength(2);
  });

  test('a load that began before the change is not enough (DESIGN 2)', async () => {
    const versions = { t: 1 };
    const state = directoryOf(versions);
    state.holding = true;
    const early = state.directory.get('t');
    versions.t = 2;
    const late = state.directory.fresh('t', 2);
    state.holding = false;
    for (const release of state.held) release();
    expect(await early).toEqual(record('t', 1));
    expect(await late).toEqual(record('t', 2));
    expect(state.loads).toHaveLength(2);
  });

  test('a tenant that was deleted is not loaded again for each message, and seen when it comes back', async () => {
    const versions: Record<string, number> = {};
    const state = directoryOf(versions);
    expect(await state.directory.fresh('t', 7)).toBeUndefined();
    expect(await state.directory.fresh('t', 7)).toBeUndefined();
    expect(state.loads).toHaveLength(1);
    versions.t = 8;
    expect(await state.directory.fresh('t', 8)).toEqual(record('t', 8));
  });
});
