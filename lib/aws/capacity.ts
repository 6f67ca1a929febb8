import { createHash } from 'node:crypto';
import { DAY_MS } from '../domain/limits.ts';
import type { Capacity, Slot } from '../ports/capacity.ts';
import { call, conditional, type Item } from './calls.ts';
import { json, keyOf, number, partition, readJson, readNumber, readText, text, ttlSeconds } from './items.ts';
import { keyPart, slotKey, slotsKey, waitingKey } from './keys.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

/** How long an item that nobody took away stays in the table, ms. */
const LEFT_OVER_MS = DAY_MS;

interface Claim extends Slot {
  now: number;
  leaseUntil: number;
}

/** Where a holder looks first: spread over the slots, and the same again when it repeats itself. */
function firstIndex(holder: string, limit: number): number {
  return createHash('sha256').update(holder).digest().readUInt32BE(0) % limit;
}

/** The slots below `limit` that `claim` may take, by what was read: the holder's own first, the others in any order. */
function openIndexes(items: Item[], limit: number, holder: string, now: number): number[] {
  const taken = new Map(items.map((item) => [Number(readText(item, 'sk')), item]));
  const isOwn = (index: number) => taken.get(index)?.holder?.S === holder;
  const isOpen = (index: number) => {
    const item = taken.get(index);
    return !item || isOwn(index) || readNumber(item, 'leaseUntil') <= now;
  };
  const open = Array.from({ length: limit }, (_, index) => index).filter(isOpen);
  const order = new Map(open.map((index) => [index, isOwn(index) ? -1 : Math.random()]));
  return open.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

/** Slots and the waiting list in DynamoDB: an item a slot, an item a waiting place, each taken by one conditional write. */
export class DynamoCapacity implements Capacity {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async take(
    tenant: string,
    limit: number,
    holder: string,
    now: number,
    leaseUntil: number,
  ): Promise<Slot | undefined> {
    if (limit < 1) return undefined;
    const claim = (index: number) => this.#claim({ tenant, index, holder, now, leaseUntil });
    // Mostly the first one is free, and one request is enough.
    const first = firstIndex(holder, limit);
    if (await claim(first)) return { tenant, index: first, holder };
    const items = await Array.fromAsync(partition(this.#table, slotsKey(tenant)));
    for (const index of openIndexes(items, limit, holder, now)) {
      if (await claim(index)) return { tenant, index, holder };
    }
    return undefined;
  }

  async #claim({ tenant, index, holder, now, leaseUntil }: Claim): Promise<boolean> {
    const input: Input<'dynamodb', 'PutItem'> = {
      TableName: this.#table.name,
      Item: {
        ...keyOf(slotsKey(tenant), slotKey(index)),
        holder: text(holder),
        leaseUntil: number(leaseUntil),
        expiresAt: ttlSeconds(leaseUntil + LEFT_OVER_MS),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR leaseUntil <= :now OR holder = :holder',
      ExpressionAttributeValues: { ':now': number(now), ':holder': text(holder) },
    };
    return (await conditional(this.#table.client.send('PutItem', input))).ok;
  }

  async renew(slot: Slot, leaseUntil: number): Promise<boolean> {
    const input: Input<'dynamodb', 'UpdateItem'> = {
      TableName: this.#table.name,
      Key: keyOf(slotsKey(slot.tenant), slotKey(slot.index)),
      UpdateExpression: 'SET leaseUntil = :lease, expiresAt = :gone',
      ConditionExpression: 'holder = :holder',
      ExpressionAttributeValues: {
        ':lease': number(leaseUntil),
        ':gone': ttlSeconds(leaseUntil + LEFT_OVER_MS),
        ':holder': text(slot.holder),
      },
    };
    return (await conditional(this.#table.client.send('UpdateItem', input))).ok;
  }

  async free(slot: Slot): Promise<void> {
    const input: Input<'dynamodb', 'DeleteItem'> = {
      TableName: this.#table.name,
      Key: keyOf(slotsKey(slot.tenant), slotKey(slot.index)),
      ConditionExpression: 'holder = :holder',
      ExpressionAttributeValues: { ':holder': text(slot.holder) },
    };
    await conditional(this.#table.client.send('DeleteItem', input));
  }

  async wait(tenant: string, place: string, now: number): Promise<void> {
    const input: Input<'dynamodb', 'PutItem'> = {
      TableName: this.#table.name,
      Item: {
        ...keyOf(waitingKey(tenant), keyPart(place)),
        place: json(place),
        since: number(now),
        expiresAt: ttlSeconds(now + LEFT_OVER_MS),
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    };
    await conditional(this.#table.client.send('PutItem', input));
  }

  async unwait(tenant: string, place: string): Promise<void> {
    const Key = keyOf(waitingKey(tenant), keyPart(place));
    await call('dynamodb', this.#table.client.send('DeleteItem', { TableName: this.#table.name, Key }));
  }

  /** If the answer to the deletion is lost, nobody gets the place: its own delayed hint wakes it then (DESIGN 3). */
  async nextWaiting(tenant: string): Promise<string | undefined> {
    const items = await Array.fromAsync(partition(this.#table, waitingKey(tenant)));
    for (const item of items.sort((a, b) => readNumber(a, 'since') - readNumber(b, 'since'))) {
      const input: Input<'dynamodb', 'DeleteItem'> = {
        TableName: this.#table.name,
        Key: keyOf(readText(item, 'pk'), readText(item, 'sk')),
        ConditionExpression: 'since = :since',
        ExpressionAttributeValues: { ':since': number(readNumber(item, 'since')) },
      };
      if ((await conditional(this.#table.client.send('DeleteItem', input))).ok)
        return readJson(item, 'place') as string;
    }
    return undefined;
  }
}
