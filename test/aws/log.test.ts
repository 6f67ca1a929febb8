import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { awsClient } from '../../lib/aws/clients.ts';
import { logKey, readLogKey, seqKey } from '../../lib/aws/keys.ts';
import { DynamoLog } from '../../lib/aws/log.ts';
import { initialState } from '../../lib/domain/state.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import { freshPlace, logContract, storedEvent } from '../contracts/log.ts';
import { createStores, type Stores } from '../support/stores.ts';
import { interceptedTable, recordedTable, startLossyProxy } from './spies.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await createStores();
});
afterAll(() => stores.close());

describe('the log in DynamoDB', () => {
  logContract(() => stores.log);

  test('attributes that this version does not know are passed over (SPEC 2.5)', async () => {
    const place = freshPlace();
    const Item = {
      ...{ pk: { S: logKey(place) }, sk: { S: seqKey(1) }, id: { S: 'x' }, type: { S: 'later' }, at: { N: '7' } },
      ...{ data: { S: '{"a":1}' }, state: { S: JSON.stringify(initialState) }, later: { M: { a: { BOOL: true } } } },
    };
    await stores.client.send(new PutItemCommand({ TableName: stores.tableName, Item }));
    const event = { seq: 1, id: 'x', type: 'later', at: 7, data: { a: 1 }, state: initialState };
    expect(await stores.log.newest(place)).toEqual(event);
  });

  test('an item that holds no event is an error with a code', async () => {
    const place = freshPlace();
    const Item = { pk: { S: logKey(place) }, sk: { S: seqKey(1) }, id: { S: 'x' }, type: { S: 'y' }, at: { N: '7' } };
    await stores.client.send(new PutItemCommand({ TableName: stores.tableName, Item }));
    await expect(stores.log.newest(place)).rejects.toMatchObject({ code: 'broken-item' });
  });

  test('the winner is read strongly where the store does not give it with the failure (DESIGN 2)', async () => {
    const place = freshPlace();
    const silent = interceptedTable(stores.table, async (_sent, proceed) => {
      try {
        return await proceed();
      } catch (error) {
        throw Object.assign(error as object, { Item: undefined });
      }
    });
    const { table, sent } = recordedTable(silent);
    const log = new DynamoLog(table);
    const first = storedEvent(1, { id: 'first' });
    await log.append(place, first);
    expect(await log.append(place, storedEvent(1, { id: 'second' }))).toEqual({ ok: false, winner: first });
    expect(sent.at(-1)).toMatchObject({ name: 'GetItemCommand', input: { ConsistentRead: true } });
    expect(await log.append(place, storedEvent(1, { id: 'first' }))).toEqual({ ok: true });
  });

  test('an append is one write, the newest event one strongly consistent read of one item (DESIGN 2)', async () => {
    const { table, sent } = recordedTable(stores.table);
    const log = new DynamoLog(table);
    const place = freshPlace();
    await log.append(place, storedEvent(1));
    await log.newest(place);
    await log.at(place, 1, { strong: true });
    await log.at(place, 1);
    await Array.fromAsync(log.range(place, { from: 1 }));
    expect(sent).toMatchObject([
      { name: 'PutItemCommand' },
      { name: 'QueryCommand', input: { ConsistentRead: true, Limit: 1, ScanIndexForward: false } },
      { name: 'GetItemCommand', input: { ConsistentRead: true } },
      { name: 'GetItemCommand', input: { ConsistentRead: false } },
      { name: 'QueryCommand', input: { ConsistentRead: true } },
    ]);
  });

  test('an event that is too large makes no request', async () => {
    const { table, sent } = recordedTable(stores.table);
    const huge = storedEvent(1, { data: 'x'.repeat(410_000) });
    await expect(new DynamoLog(table).append(freshPlace(), huge)).rejects.toMatchObject({ code: 'event-too-large' });
    expect(sent).toEqual([]);
  });

  test('a put whose answer is lost is repeated and counts once (DESIGN 3a)', async () => {
    const proxy = await startLossyProxy(inject('dynamodbEndpoint'), 'PutItem');
    const client = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: proxy.endpoint });
    const place = freshPlace();
    const log = new DynamoLog({ client, name: stores.tableName });
    expect(await log.append(place, storedEvent(1))).toEqual({ ok: true });
    expect(proxy.requests).toBe(2);
    expect(await Array.fromAsync(stores.log.range(place, { from: 1 }))).toHaveLength(1);
    client.destroy();
    proxy.stop();
  });

  test('a store that cannot be reached, and one that says no, throw with code and cause', async () => {
    const client = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: 'http://127.0.0.1:9', maxAttempts: 1 });
    const away = new DynamoLog({ client, name: 'x' }).newest(freshPlace());
    await expect(away).rejects.toMatchObject({
      code: 'dynamodb-unavailable',
      retryable: true,
      cause: expect.any(Error),
    });
    const wrong = new DynamoLog({ ...stores.table, name: 'no-such-table' }).newest(freshPlace());
    await expect(wrong).rejects.toMatchObject({ code: 'dynamodb-failed', retryable: false, cause: expect.any(Error) });
  });
});

describe('keys', () => {
  test('tenant and place come back from a key (DESIGN 2)', () => {
    for (const ref of [
      { tenant: 'a.b', place: 'c~d#é👋' },
      { tenant: '.2e', place: '..~' },
    ]) {
      expect(readLogKey(logKey(ref))).toEqual(ref);
    }
    expect(() => readLogKey('T#a')).toThrow(expect.objectContaining({ code: 'bad-key' }));
  });
});
