import { call, conditional, type Item } from './calls.ts';
import { untilDone } from './items.ts';
import type { Input, Output } from './operations.ts';
import type { Table } from './table.ts';

/** The item with this key, strongly consistent. */
export async function getItem(table: Table, Key: Item): Promise<Item | undefined> {
  const input: Input<'dynamodb', 'GetItem'> = { TableName: table.name, Key, ConsistentRead: true };
  return (await call('dynamodb', table.client.send('GetItem', input))).Item;
}

/** Those of the items with these keys that are there, in one request, strongly consistent, in any order. */
export async function getItems(table: Table, keys: Item[]): Promise<Item[]> {
  const found: Item[] = [];
  await untilDone<Item[]>(keys, async (Keys) => {
    const RequestItems = { [table.name]: { Keys, ConsistentRead: true } };
    const answer: Output<'dynamodb', 'BatchGetItem'> = await call(
      'dynamodb',
      table.client.send('BatchGetItem', { RequestItems }),
    );
    found.push(...(answer.Responses?.[table.name] ?? []));
    const left = answer.UnprocessedKeys?.[table.name]?.Keys;
    return left?.length ? left : undefined;
  });
  return found;
}

export async function putItem(table: Table, Item: Item): Promise<void> {
  await call('dynamodb', table.client.send('PutItem', { TableName: table.name, Item }));
}

/** Puts the item if this holds of the one that is there. @returns false if it does not. */
export async function putItemIf(
  table: Table,
  Item: Item,
  ConditionExpression: string,
  ExpressionAttributeValues: Item,
): Promise<boolean> {
  const input = { TableName: table.name, Item, ConditionExpression, ExpressionAttributeValues };
  return (await conditional(table.client.send('PutItem', input))).ok;
}

export async function deleteItem(table: Table, Key: Item): Promise<void> {
  await call('dynamodb', table.client.send('DeleteItem', { TableName: table.name, Key }));
}
