import type { PersonRecord } from '../ports/tenants.ts';
import { conditional, type Item } from './calls.ts';
import { json, keyOf, number, readJson } from './items.ts';
import { keyPart, peopleKey } from './keys.ts';
import { getItem, putItemIf } from './oneItem.ts';
import type { Input } from './operations.ts';
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

/** Puts a person unless what is there was decided later. */
export async function putPersonItem(
  table: Table,
  tenant: string,
  channelId: string,
  person: PersonRecord,
): Promise<void> {
  const item = personItem(tenant, channelId, person);
  const notLater = 'attribute_not_exists(decidedAt) OR decidedAt <= :at';
  await putItemIf(table, item, notLater, { ':at': number(person.at ?? 0) });
}

/** Adds a person unless one is there. @returns the one that is there. */
export async function addPersonItem(
  table: Table,
  tenant: string,
  channelId: string,
  person: PersonRecord,
): Promise<PersonRecord> {
  const input: Input<'dynamodb', 'PutItem'> = {
    TableName: table.name,
    Item: personItem(tenant, channelId, person),
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const added = await conditional(table.client.send('PutItem', input));
  if (added.ok) return person;
  // A store may not give the item that was in the way.
  const there = added.item ?? (await getItem(table, personItemKey(tenant, channelId, person.id)));
  return there ? toPerson(there) : person;
}
