import { expect, test } from 'vitest';
import type { InstallationRecord, Installations } from '../../lib/ports/installations.ts';

let counter = 0;

const fresh = () => {
  counter += 1;
  return { tenant: `inst-${counter}`, channelId: `inst-${counter}.channel` };
};

function installation(more: Partial<InstallationRecord> = {}): InstallationRecord {
  return {
    ...{ workspace: 'T1', name: 'Acme ↩️', bot: { id: 'U1' }, secrets: { botToken: 'sealed' }, mark: 'm1' },
    ...{ installedAt: 1_000, ...more },
  };
}

/**
 * What every `Installations` does. @param make gives the store, and the version of a tenant.
 */
export function installationsContract(
  make: () => { installations: Installations; version: (tenant: string) => Promise<number> },
): void {
  test('an installation comes back as it was put, and one put again takes its place', async () => {
    const [{ installations }, scope] = [make(), fresh()];
    expect(await installations.get(scope, 'T1')).toBeUndefined();
    await installations.put(scope, installation());
    expect(await installations.get(scope, 'T1')).toEqual(installation());
    const again = installation({ mark: 'm2', expiresAt: 5_000, refreshingUntil: 3_000, refused: 'why' });
    await installations.put(scope, again);
    expect(await installations.get(scope, 'T1')).toEqual(again);
    expect(await Array.fromAsync(installations.list(scope))).toEqual([again]);
  });

  test('one tenant, channel or workspace never sees another’s, however their names are cut', async () => {
    const { installations } = make();
    const scope = { tenant: 'a:b', channelId: 'c#T' };
    await installations.put(scope, installation({ workspace: '1' }));
    for (const [tenant, channelId, workspace] of [
      ['a', 'b:c#T', '1'],
      ['a:b', 'c', 'T#1'],
      ['a:b', 'c#T', '2'],
    ] as const) {
      expect(await installations.get({ tenant, channelId }, workspace)).toBeUndefined();
      expect(await Array.fromAsync(installations.list({ tenant, channelId: `${channelId}#` }))).toEqual([]);
    }
    await installations.erase(scope);
  });

  test('of two who replace the same one, one wins', async () => {
    const [{ installations }, scope] = [make(), fresh()];
    await installations.put(scope, installation());
    const tries = ['a', 'b', 'c', 'd'].map((mark) => installations.replace(scope, installation({ mark }), 'm1'));
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    expect(['a', 'b', 'c', 'd']).toContain((await installations.get(scope, 'T1'))?.mark);
  });

  test('what was removed meanwhile is not replaced', async () => {
    const [{ installations }, scope] = [make(), fresh()];
    expect(await installations.replace(scope, installation({ mark: 'm2' }), 'm1')).toBe(false);
    expect(await installations.get(scope, 'T1')).toBeUndefined();
  });

  test('one is removed only as long as it is the one that was meant', async () => {
    const [{ installations }, scope] = [make(), fresh()];
    await installations.put(scope, installation({ mark: 'again' }));
    expect(await installations.remove(scope, 'T1', 'm1')).toBe(false);
    expect(await installations.get(scope, 'T1')).toBeDefined();
    expect(await installations.remove(scope, 'T1', 'again')).toBe(true);
    expect(await installations.get(scope, 'T1')).toBeUndefined();
    expect(await installations.remove(scope, 'T1', 'again')).toBe(false);
  });

  test('what adds or removes one raises the tenant’s version; a new token does not', async () => {
    const [{ installations, version }, scope] = [make(), fresh()];
    const seen = [await version(scope.tenant)];
    const then = async (step: Promise<unknown>) => {
      await step;
      seen.push(await version(scope.tenant));
    };
    await then(installations.put(scope, installation()));
    await then(installations.replace(scope, installation({ mark: 'm2' }), 'm1'));
    await then(installations.remove(scope, 'T1', 'm2'));
    await then(installations.erase(scope));
    expect(seen.slice(1).map((after, n) => after > (seen[n] ?? 0))).toEqual([true, false, true, true]);
  });

  test('an erasure takes all of a channel’s, and of no other', async () => {
    const { installations } = make();
    const [one, other] = [fresh(), fresh()];
    for (let n = 0; n < 30; n++) await installations.put(one, installation({ workspace: `T${n}` }));
    await installations.put(other, installation());
    await installations.erase(one);
    expect(await Array.fromAsync(installations.list(one))).toEqual([]);
    expect(await Array.fromAsync(installations.list(other))).toHaveLength(1);
  });
}
