import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DynamoInstallations } from '../../lib/aws/installations.ts';
import { installationsContract } from '../contracts/installations.ts';
import { createStores, type Stores } from '../support/stores.ts';
import { interceptedTable } from './spies.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await createStores();
});
afterAll(() => stores.close());

describe('installations in DynamoDB', () => {
  installationsContract(() => ({
    installations: stores.installations,
    version: (tenant) => stores.tenants.version(tenant),
  }));

  test('a replacement that had arrived and is sent again is its own success', async () => {
    const scope = { tenant: 'twice', channelId: 'twice.c' };
    const record = { workspace: 'T1', bot: {}, secrets: {}, mark: 'm1', installedAt: 1 };
    await stores.installations.put(scope, record);
    const twice = interceptedTable(stores.table, async ({ name }, proceed) => {
      const answer = await proceed();
      return name === 'PutItemCommand' ? proceed() : answer;
    });
    expect(await new DynamoInstallations(twice).replace(scope, { ...record, mark: 'm2' }, 'm1')).toBe(true);
  });
});
