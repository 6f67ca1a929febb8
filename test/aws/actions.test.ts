import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DynamoActions } from '../../lib/aws/actions.ts';
import { actionsKey } from '../../lib/aws/keys.ts';
import { actionItem, actionsContract } from '../contracts/actions.ts';
import { createStores, type Stores } from '../support/stores.ts';
import { recordedTable } from './spies.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await createStores();
});
afterAll(() => stores.close());

describe('actions in DynamoDB', () => {
  actionsContract(() => stores.actions);

  test('the store may remove an action in the second in which it has expired, not earlier (DESIGN 2)', async () => {
    const item = actionItem({ expiresAt: 1_800_000_000_001 });
    await stores.actions.put(item);
    const raw = await stores.client.send(
      new QueryCommand({
        TableName: stores.tableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: actionsKey(item) } },
      }),
    );
    expect(raw.Items?.[0]?.expiresAt).toEqual({ N: '1800000001' });
  });

  test('reads are strongly consistent, so that a used action is not read again (SPEC 11.1)', async () => {
    const { table, sent } = recordedTable(stores.table);
    const actions = new DynamoActions(table);
    await actions.get(actionItem());
    await actions.list(actionItem());
    expect(sent.map(({ input }) => input.ConsistentRead)).toEqual([true, true]);
  });
});
