import { type Told, toldUntil } from '../domain/told.ts';
import type { KnownPerson, PersonRecord } from '../ports/tenants.ts';
import { conditional, type Item } from './calls.ts';
import { json, keyOf, number, readJson, ttlSeconds } from './items.ts';
import { keyPart, peopleKey } from './keys.ts';
import { getItem } from './oneItem.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

export const personItemKey = (tenant: string, channelId: string, person: string) =>
  keyOf(peopleKey(tenant, channelId), keyPart(person));

/** The record in a stored item; undefined if it holds nothing but what somebody was told. */
export const toPerson = (item: Item) =>
  item.person === undefined ? undefined : (readJson(item, 'person') as PersonRecord);

/** All that a stored item says of a person. */
export function toKnown(item: Item): KnownPerson {
  const person = toPerson(item);
  return { ...(person ? { person } : {}), ...(item.told ? { told: readJson(item, 'told') as Told } : {}) };
}

/**
 * The time of a decision has an attribute of its own, since writes test it, and so has a record that says no more than that
 * they wrote. An item with a record never expires.
 */
function recordUpdate(table: Table, tenant: string, channelId: string, person: PersonRecord) {
  const [decided, wrote] = [person.at !== undefined, person.status === 'wrote'];
  const set = `person = :person${decided ? ', decidedAt = :at' : ''}${wrote ? ', wrote = :wrote' : ''}`;
  return {
    TableName: table.name,
    Key: personItemKey(tenant, channelId, person.id),
    UpdateExpression: `SET ${set} REMOVE expiresAt${wrote ? '' : ', wrote'}`,
    ExpressionAttributeValues: {
      ':person': json(person),
      ...(decided ? { ':at': number(person.at ?? 0) } : {}),
      ...(wrote ? { ':wrote': number(1) } : {}),
    },
  };
}

/** Puts a person unless what is there was decided later. */
export async function putPersonItem(
  table: Table,
  tenant: string,
  channelId: string,
  person: PersonRecord,
): Promise<void> {
  const update = recordUpdate(table, tenant, channelId, person);
  const input: Input<'dynamodb', 'UpdateItem'> = {
    ...update,
    ConditionExpression: 'attribute_not_exists(decidedAt) OR decidedAt <= :at',
    ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':at': number(person.at ?? 0) },
  };
  await conditional(table.client.send('UpdateItem', input));
}

/** Adds a person unless one is there who has done more than to write. @returns the one that is there. */
export async function addPersonItem(
  table: Table,
  tenant: string,
  channelId: string,
  person: PersonRecord,
): Promise<PersonRecord> {
  const update = recordUpdate(table, tenant, channelId, person);
  const replaces = person.status === 'wrote' ? '' : ' OR attribute_exists(wrote)';
  const input: Input<'dynamodb', 'UpdateItem'> = {
    ...update,
    ConditionExpression: `attribute_not_exists(person)${replaces}`,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const added = await conditional(table.client.send('UpdateItem', input));
  if (added.ok) return person;
  // A store may not give the item that was in the way.
  const there = added.item ?? (await getItem(table, update.Key));
  return (there && toPerson(there)) ?? person;
}

/** Puts what a person was told in the place of what was read. Without a record of them it expires with its own time. */
export async function noteToldItem(table: Table, Key: Item, told: Told, before: KnownPerson): Promise<boolean> {
  const isSame = before.told ? 'told = :before' : 'attribute_not_exists(told)';
  const [expires, isRecorded] = before.person
    ? ['', 'attribute_exists(person)']
    : [', expiresAt = :until', 'attribute_not_exists(person)'];
  const input: Input<'dynamodb', 'UpdateItem'> = {
    TableName: table.name,
    Key,
    UpdateExpression: `SET told = :told${expires}`,
    ConditionExpression: `${isSame} AND ${isRecorded}`,
    ExpressionAttributeValues: {
      ':told': json(told),
      ...(before.told ? { ':before': json(before.told) } : {}),
      ...(before.person ? {} : { ':until': ttlSeconds(toldUntil(told)) }),
    },
  };
  return (await conditional(table.client.send('UpdateItem', input))).ok;
}
