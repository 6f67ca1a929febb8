import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tenantKey } from '../../lib/aws/keys.ts';
import { personItemKey } from '../../lib/aws/people.ts';
import { DynamoTenants } from '../../lib/aws/tenants.ts';
import { channelRecord, tenantsContract } from '../contracts/tenants.ts';
import { createStores, type Stores } from '../support/stores.ts';
import { interceptedTable, recordedTable } from './spies.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await createStores();
});
afterAll(() => stores.close());

describe('tenants in DynamoDB', () => {
  tenantsContract(() => stores.tenants);

  test('attributes and kinds of items that this version does not know are passed over (SPEC 2.5)', async () => {
    const put = (sk: string, more: object) =>
      stores.client.send(
        new PutItemCommand({
          TableName: stores.tableName,
          Item: { pk: { S: tenantKey('later') }, sk: { S: sk }, ...more },
        }),
      );
    await put('settings', { record: { S: '{"later":1}' }, added: { N: '1' } });
    await put('unheard-of#x', { body: { M: {} } });
    const record = { S: '{"id":"later.x","name":"x","later":true}' };
    await put('channel#x', { record, added: { BOOL: true } });
    expect(await stores.tenants.load('later')).toEqual({
      ...{ tenant: 'later', version: 0, settings: { later: 1 }, providers: [], commands: [], skills: [] },
      toolServers: [],
      channels: [{ id: 'later.x', name: 'x', later: true }],
    });
  });

  test('SPEC 2.5, case D 77: a record that does not fit is told by its key and fields, and the others keep what nobody knows', async () => {
    const tenants = new DynamoTenants(stores.table, {
      error: (what, error, fields) => told.push([what, (error as Error).message, fields]),
    });
    const told: unknown[] = [];
    const put = (sk: string, record: object | undefined) =>
      stores.client.send(
        new PutItemCommand({
          TableName: stores.tableName,
          Item: {
            pk: { S: tenantKey('odd') },
            sk: { S: sk },
            ...(record && { record: { S: JSON.stringify(record) } }),
          },
        }),
      );
    await tenants.putSettings('odd', {});
    const command = { name: 'ok', description: '', enabled: true, who: 'people', template: 'x', later: { a: 1 } };
    const skill = { name: 'ok', description: '', text: 'x', later: [1] };
    const server = { name: 'old', url: 'https://a.example', revision: 'r', later: 'CANARY' };
    await put('command#ok', command);
    await put('command#no-enabled', { ...command, enabled: undefined });
    await put('command#no-record', undefined);
    await put('skill#ok', skill);
    await put('skill#no-text', { ...skill, text: 7 });
    await put('tool-server#old', server);
    await put('tool-server#bad', { ...server, headers: { a: 1 }, prompts: [{ name: 'p' }] });
    expect(await tenants.load('odd')).toMatchObject({
      ...{ commands: [command], skills: [skill] },
      toolServers: [{ ...server, headers: {}, prompts: [] }],
    });
    const about = (item: string, fields: string) => [
      ...['tenant.broken-record', `${item} has no good ${fields}`],
      { tenant: 'odd' },
    ];
    expect(told).toEqual([
      about('command#no-enabled', 'enabled'),
      about('command#no-record', 'record'),
      about('skill#no-text', 'text'),
      about('tool-server#bad', 'headers.a, prompts.0.arguments'),
    ]);
  });

  test('version and person are one strongly consistent request (DESIGN 2)', async () => {
    const { table, sent } = recordedTable(stores.table);
    await new DynamoTenants(table).check('t', 'c', 'p');
    const Keys = [expect.anything(), expect.anything()];
    expect(sent).toMatchObject([
      { name: 'BatchGetItemCommand', input: { RequestItems: { [table.name]: { ConsistentRead: true, Keys } } } },
    ]);
  });

  test('what a stranger was told expires, and stays once there is a record of them (SPEC 9.3)', async () => {
    const raw = async () => {
      const Key = personItemKey('told', 'c', 'p');
      const input = { TableName: stores.tableName, Key, ConsistentRead: true } as const;
      return (await stores.client.send(new GetItemCommand(input as never))).Item;
    };
    const refusal = { why: 'owner-only' as const, key: 'k', at: 1_500, sentAt: 1 };
    await stores.tenants.noteTold('told', 'c', 'p', { refusal }, {});
    expect((await raw())?.expiresAt).toEqual({ N: String(2 + 30 * 86_400) });
    await stores.tenants.addPerson('told', 'c', { id: 'p', status: 'asked' });
    expect((await raw())?.expiresAt).toBeUndefined();
    const read = await stores.tenants.check('told', 'c', 'p');
    await stores.tenants.noteTold('told', 'c', 'p', { ...read.told, limit: { key: 'm', at: 2_000 } }, read);
    expect((await raw())?.expiresAt).toBeUndefined();
  });

  test('keys that the service leaves out are asked for again (DESIGN 2)', async () => {
    await stores.tenants.putSettings('asked', {});
    await stores.tenants.putPerson('asked', 'c', { id: 'p', status: 'let-in' });
    let refused = 0;
    const table = interceptedTable(stores.table, (sent, proceed) => {
      if (sent.name !== 'BatchGetItemCommand' || refused === 2) return proceed();
      refused += 1;
      return Promise.resolve({ Responses: {}, UnprocessedKeys: sent.input.RequestItems });
    });
    expect(await new DynamoTenants(table).check('asked', 'c', 'p')).toEqual({
      ...{ version: 1, person: { id: 'p', status: 'let-in' } },
    });
    expect(refused).toBe(2);
  });

  test('a service that never finishes a batch is an error that may pass', async () => {
    const table = interceptedTable(stores.table, (sent) =>
      Promise.resolve({ Responses: {}, UnprocessedKeys: sent.input.RequestItems }),
    );
    const check = new DynamoTenants(table).check('t', 'c', 'p');
    await expect(check).rejects.toMatchObject({ code: 'dynamodb-unavailable', retryable: true });
  });

  test('a change between the reads of a load leaves new data under the old version (DESIGN 2)', async () => {
    await stores.tenants.putSettings('between', { turnsAtOnce: 1 });
    let changed = false;
    const table = interceptedTable(stores.table, async (_sent, proceed) => {
      const answer = await proceed();
      if (!changed) {
        changed = true;
        await stores.tenants.putSettings('between', { turnsAtOnce: 2 });
      }
      return answer;
    });
    const loaded = await new DynamoTenants(table).load('between');
    expect(loaded).toMatchObject({ version: 1, settings: { turnsAtOnce: 2 } });
  });

  test('a claim that comes between a channel being read and put is kept (SPEC 9.2)', async () => {
    const claim = { codeHash: 'h', expiresAt: 100 };
    const { owner: _, ...channel } = channelRecord('x', { claim });
    await stores.tenants.putSettings('raced', {});
    await stores.tenants.putChannel('raced', channel);
    const table = interceptedTable(stores.table, async (sent, proceed) => {
      if (sent.name === 'PutItemCommand') {
        await stores.tenants.claim('raced', 'x', { codeHash: 'h', person: 'p', now: 1 });
      }
      return proceed();
    });
    await new DynamoTenants(table).putChannel('raced', { ...channel, access: 'anyone' });
    const [found] = (await stores.tenants.load('raced'))?.channels ?? [];
    expect(found).toMatchObject({ access: 'anyone', owner: 'p', claim: { ...claim, usedBy: 'p' } });
  });
});
