import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { DynamoCapacity } from '../../lib/aws/capacity.ts';
import { awsClient } from '../../lib/aws/clients.ts';
import { DynamoUsage } from '../../lib/aws/usage.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import { capacityContract, cursorContract, rateContract, usageContract } from '../contracts/capacity.ts';
import { createStores, type Stores } from '../support/stores.ts';
import { interceptedTable, recordedTable, startLossyProxy } from './spies.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await createStores();
});
afterAll(() => stores.close());

describe('capacity in DynamoDB', () => {
  capacityContract(() => stores.capacity);

  test('a free slot is mostly taken with one request (DESIGN 3)', async () => {
    const { table, sent } = recordedTable(stores.table);
    await new DynamoCapacity(table).take('quiet', 10, 'holder', 1_000, 2_000);
    expect(sent.map(({ name }) => name)).toEqual(['PutItemCommand']);
  });

  test('two requests tell that no slot is free (DESIGN 3)', async () => {
    const { table, sent } = recordedTable(stores.table);
    for (const holder of ['a', 'b', 'c']) await stores.capacity.take('full', 3, holder, 1_000, 2_000);
    await new DynamoCapacity(table).take('full', 3, 'd', 1_000, 2_000);
    expect(sent.map(({ name }) => name)).toEqual(['PutItemCommand', 'QueryCommand']);
  });

  test('slots and waiting places are removed from the table a day after their time (DESIGN 2)', async () => {
    const { table, sent } = recordedTable(stores.table);
    const capacity = new DynamoCapacity(table);
    const slot = await capacity.take('expiring', 1, 'holder', 1_000, 2_000);
    await capacity.wait('expiring', 'place', 5_000);
    await capacity.renew(slot ?? { tenant: '', index: 0, holder: '' }, 3_000);
    expect(sent).toMatchObject([
      { input: { Item: { expiresAt: { N: '86402' } } } },
      { input: { Item: { expiresAt: { N: '86405' } } } },
      { input: { ExpressionAttributeValues: { ':gone': { N: '86403' } } } },
    ]);
  });
});

describe('usage in DynamoDB', () => {
  usageContract(() => stores.usage);
  rateContract(() => stores.usage);

  test('an addition whose answer is lost is not repeated (DESIGN 3)', async () => {
    const proxy = await startLossyProxy(inject('dynamodbEndpoint'), 'UpdateItem');
    const client = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: proxy.endpoint, maxAttempts: 1 });
    const add = new DynamoUsage(stores.table, client).add('lossy', '2026-11-30', { turns: 1 });
    await expect(add).rejects.toMatchObject({ code: 'dynamodb-unavailable' });
    expect(proxy.requests).toBe(1);
    expect((await stores.usage.read('lossy', 1))[0]?.turns).toBe(1);
    client.destroy();
    proxy.stop();
  });

  test.each(['Query', 'GetItem', 'PutItem', 'DeleteItem'])(
    'all else is asked again when an answer is lost, so that no message is refused for it (SPEC 2.2): %s',
    async (operation) => {
      const proxy = await startLossyProxy(inject('dynamodbEndpoint'), operation);
      const client = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: proxy.endpoint });
      const once = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: proxy.endpoint, maxAttempts: 1 });
      const usage = new DynamoUsage({ client, name: stores.tableName }, once);
      const who = { tenant: `lossy-${operation}`, channelId: 'c', person: 'p' };
      const rate = [{ at: 1_000, key: 'm' }];
      await stores.usage.add(who.tenant, '2026-11-30', { turns: 1 });
      expect((await usage.read(who.tenant, 1))[0]?.turns).toBe(1);
      expect(await usage.rate(who)).toEqual([]);
      // What had been written is in the way of the second try: whoever writes reads again, and finds its own message.
      expect(await usage.putRate(who, rate, [])).toBe(operation !== 'PutItem');
      expect(await usage.rate(who)).toEqual(rate);
      await usage.eraseRate(who);
      expect(await stores.usage.rate(who)).toEqual([]);
      for (const one of [client, once]) one.destroy();
      proxy.stop();
    },
  );

  test('a client for additions that repeats requests is refused at the start (DESIGN 3)', () => {
    expect(() => new DynamoUsage(stores.table, stores.table.client)).toThrow(/maxAttempts: 1/);
  });
});

test('deletions that the service leaves undone are asked for again', async () => {
  for (const day of ['2026-11-29', '2026-11-30']) await stores.usage.add('undone', day, { turns: 1 });
  let refused = 0;
  const once = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: inject('dynamodbEndpoint'), maxAttempts: 1 });
  const table = interceptedTable(stores.table, (sent, proceed) => {
    if (sent.name !== 'BatchWriteItemCommand' || refused === 2) return proceed();
    refused += 1;
    return Promise.resolve({ UnprocessedItems: sent.input.RequestItems });
  });
  await new DynamoUsage(table, once).erase('undone');
  once.destroy();
  expect(refused).toBe(2);
  expect(await stores.usage.read('undone', 9)).toEqual([]);
});

describe("the sweeper's cursor in DynamoDB", () => {
  cursorContract(() => stores.cursor);
});
