import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { PersonRecord } from '../ports/tenants.ts';
import { call, conditional, type Item } from './calls.ts';
import { json, keyOf, number, readJson } from './items.ts';
import { keyPart, peopleKey } from './keys.ts';
import type { Table } from './table.ts';

export const personItemKey = (tenant: string, channelId: string, person: string) =>
  keyOf(peopleKey(tenant, channelId), keyPart(person));

/** The person in a stored item. */
export const toPerson = (item: Item) => readJson(item, 'person') as PersonRecord;

/** The time of a decision has an attribute of its own, since writes test it. */
const personItem = (tenant: string, channelId: string, person: PersonRecord): Item => ({
  ...personItemKey(tenant, channelId, person.id),
  person: json(person),
  ...(person.at === undefined ? {} : { decidedAt: number(person.at) }),
});

/** For a store that does not give the item that was in the way. */
async function read(table: Table, Key: Item): Promise<Item | undefined> {
  const command = new GetItemCommand({ TableName: table.name, Key, ConsistentRead: true });
  return (await call('dynamodb', table.client.send(command))).Item;
}

/** Puts a person unless what is there was decided later. */
export async function putPersonItem(
  table: Table,
  tenant: string,
  channelId: string,
  person: PersonRecord,
): Promise<void> {
  const command = new PutItemCommand({
    TableName: table.name,
    Item: personItem(tenant, channelId, person),
    ConditionExpression: 'attribute_not_exists(decidedAt) OR decidedAt <= :at',
    ExpressionAttributeValues: { ':at': number(person.at ?? 0) },
  });
  await conditional(table.client.send(command));
}

/** Adds a person unless one is there. @returns the one that is there. */
export async function addPersonItem(
  table: Table,
  tenant: string,
  channelId: string,
  person: PersonRecord,
): Promise<PersonRecord> {
  const command = new PutItemCommand({
    TableName: table.name,
    Item: personItem(tenant, channelId, person),
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const added = await conditional(table.client.send(command));
  if (added.ok) return person;
  const there = added.item ?? (await read(table, personItemKey(tenant, channelId, person.id)));
  return there ? toPerson(there) : person;
}
