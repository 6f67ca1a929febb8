import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveModel } from '../../lib/providers/models.ts';
import { prepareLocalTenant } from '../../local/firstStart.ts';
import { createStores, type Stores } from '../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await createStores();
});
afterAll(() => stores.close());

const answering = async () => {
  const tenant = await stores.tenants.load('local');
  const resolved = resolveModel(tenant?.providers ?? [], {}, tenant?.settings ?? {});
  return resolved.ok && resolved.name;
};

test('SPEC 14.4: a fresh run is answered by the demo until its first provider is added, whatever its name; a later start changes nothing', async () => {
  const { tenants, secrets } = stores;
  const chat = await prepareLocalTenant(tenants, secrets, undefined);
  expect(await answering()).toBe('demo/demo');
  const own = { engine: 'openai' as const, models: [{ id: 'm' }], settings: {}, secrets: {} };
  await tenants.putProvider('local', { ...own, name: 'openai', addedAt: 1 });
  expect(await answering()).toBe('openai/m');
  const before = await tenants.load('local');
  expect(await prepareLocalTenant(tenants, secrets, chat)).toEqual(chat);
  expect(await tenants.load('local')).toEqual(before);
});
