import { call } from './calls.ts';
import { keyOf, number } from './items.ts';
import { VERSION_SORT_KEY, versionKey } from './keys.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

export const versionItemKey = (tenant: string) => keyOf(versionKey(tenant), VERSION_SORT_KEY);

/**
 * Raises the tenant's version, behind a write. The number tells one state of the tenant from another and need not be
 * dense: an addition that is repeated is harmless.
 */
export async function raiseVersion(table: Table, tenant: string): Promise<void> {
  const input: Input<'dynamodb', 'UpdateItem'> = {
    TableName: table.name,
    Key: versionItemKey(tenant),
    UpdateExpression: 'ADD #version :one',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':one': number(1) },
  };
  await call('dynamodb', table.client.send('UpdateItem', input));
}
