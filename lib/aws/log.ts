import { erasure, isErased } from '../domain/erasure.ts';
import { ConchError } from '../domain/errors.ts';
import { DAY_MS } from '../domain/limits.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { AppendResult, Log, OwedEntry, StoredEvent } from '../ports/log.ts';
import { call, conditional, type Item } from './calls.ts';
import { eventItem, readEvent, shardOf } from './eventItems.ts';
import {
  keyOf,
  number,
  partition,
  query,
  readNumber,
  readText,
  text,
  ttlSeconds,
  type WriteRequest,
  writeAll,
} from './items.ts';
import { keyPart, logKey, MAX_SEQ, readLogKey, seqKey } from './keys.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

/** DynamoDB's limit for one item, names of attributes included. */
const MAX_ITEM_BYTES = 400 * 1024;
/** A number as long as the most that DynamoDB counts for one. */
const NUMBER = '9'.repeat(21);

function itemBytes(item: Item): number {
  const sizes = Object.entries(item).map(
    ([name, value]) =>
      Buffer.byteLength(name) +
      Buffer.byteLength(value.B ?? value.S ?? NUMBER, value.B === undefined ? 'utf8' : 'base64'),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Of what an erasure leaves: longer than any worker or webhook that had read before can live. */
const ERASED_LIFE_MS = DAY_MS;

function toItem(place: PlaceRef, event: StoredEvent, { owed, first }: { owed?: boolean; first?: boolean }): Item {
  const pk = logKey(place);
  return {
    ...eventItem(pk, event),
    ...(owed ? { owedShard: number(shardOf(pk)), owedAt: number(event.at) } : {}),
    ...(first || (event.seq === 1 && !isErased(event))
      ? { placesOf: text(keyPart(place.tenant)), firstAt: number(event.at) }
      : {}),
    ...(isErased(event) ? { expiresAt: ttlSeconds(event.at + ERASED_LIFE_MS) } : {}),
  };
}

/** The logs in DynamoDB: one item an event, one conditional put an append (DESIGN 2). */
export class DynamoLog implements Log {
  readonly #table: Table;
  readonly #now: () => number;

  constructor(table: Table, now: () => number = Date.now) {
    this.#table = table;
    this.#now = now;
  }

  async newest(place: PlaceRef): Promise<StoredEvent | undefined> {
    const newest = partition(this.#table, logKey(place), { ScanIndexForward: false, Limit: 1 });
    for await (const item of newest) return readEvent(item);
    return undefined;
  }

  async at(place: PlaceRef, seq: number, options: { strong?: boolean } = {}): Promise<StoredEvent | undefined> {
    const Key = keyOf(logKey(place), seqKey(seq));
    const input: Input<'dynamodb', 'GetItem'> = {
      TableName: this.#table.name,
      Key,
      ConsistentRead: options.strong === true,
    };
    const answer = await call('dynamodb', this.#table.client.send('GetItem', input));
    return answer.Item && readEvent(answer.Item);
  }

  /** @throws {ConchError} `event-too-large`, before any request, for an event that DynamoDB cannot hold. */
  async append(
    place: PlaceRef,
    event: StoredEvent,
    options: { owed?: boolean; first?: boolean } = {},
  ): Promise<AppendResult> {
    const item = toItem(place, event, options);
    if (itemBytes(item) > MAX_ITEM_BYTES) {
      throw new ConchError('event-too-large', `An event of type ${event.type} is larger than ${MAX_ITEM_BYTES} bytes`);
    }
    const input: Input<'dynamodb', 'PutItem'> = {
      TableName: this.#table.name,
      Item: item,
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    const put = await conditional(this.#table.client.send('PutItem', input));
    if (put.ok) return { ok: true };
    return this.#conflict(place, event, put.item);
  }

  /** A put that the client repeats after a lost answer meets itself: the winner with this event's id is this event. */
  async #conflict(place: PlaceRef, event: StoredEvent, item: Item | undefined): Promise<AppendResult> {
    const winner = item ? readEvent(item) : await this.at(place, event.seq, { strong: true });
    if (!winner) throw new ConchError('log-erased', 'The log was erased during an append', { retryable: true });
    if (winner.id === event.id) return { ok: true };
    return { ok: false, winner: isErased(winner) ? ((await this.newest(place)) ?? winner) : winner };
  }

  async *range(
    place: PlaceRef,
    options: { from: number; to?: number; newestFirst?: boolean; pageSize?: number },
  ): AsyncGenerator<StoredEvent> {
    const from = Math.max(1, options.from);
    const to = Math.min(MAX_SEQ, options.to ?? MAX_SEQ);
    if (from > to) return;
    const items = partition(this.#table, logKey(place), {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': text(logKey(place)), ':from': text(seqKey(from)), ':to': text(seqKey(to)) },
      ScanIndexForward: options.newestFirst !== true,
      Limit: options.pageSize,
    });
    for await (const item of items) yield readEvent(item);
  }

  async *owed(shard: number, from: number, to: number): AsyncGenerator<OwedEntry> {
    if (from >= to) return;
    const items = query(this.#table, {
      IndexName: 'owed',
      KeyConditionExpression: 'owedShard = :shard AND owedAt BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':shard': number(shard), ':from': number(from), ':to': number(to) },
    });
    for await (const item of items) {
      const owedAt = readNumber(item, 'owedAt');
      if (owedAt > from) yield { ...readLogKey(readText(item, 'pk')), seq: Number(readText(item, 'sk')), owedAt };
    }
  }

  async *places(tenant: string, { from = 0 } = {}): AsyncGenerator<{ place: string; firstAt: number }> {
    const items = query(this.#table, {
      IndexName: 'places',
      KeyConditionExpression: 'placesOf = :tenant AND firstAt >= :from',
      ExpressionAttributeValues: { ':tenant': text(keyPart(tenant)), ':from': number(from) },
    });
    const found = new Set<string>();
    for await (const item of items) {
      const { place } = readLogKey(readText(item, 'pk'));
      if (!found.has(place)) yield { place, firstAt: readNumber(item, 'firstAt') };
      found.add(place);
    }
  }

  /**
   * First the end, so that nothing more is appended to what was there; then newest first, so that a crash in between leaves
   * a log without gaps that `places` still finds. Events are replaced, not deleted: an append has no other condition than
   * that its seq is free, and one that was decided on the state before must not find it so.
   */
  async erase(place: PlaceRef): Promise<void> {
    const end = await this.#end(place);
    if (end !== undefined) await writeAll(this.#table, this.#replacements(place, end));
  }

  /** The seq of the `place.erased` behind all that was there; undefined for a place without events. */
  async #end(place: PlaceRef): Promise<number | undefined> {
    for (;;) {
      const [newest] = await Array.fromAsync(this.#kinds(place, { Limit: 1 }));
      if (!newest || newest.erased) return newest?.seq;
      const { ok } = await this.append(place, erasure(newest.seq + 1, this.#now()));
      if (ok) return newest.seq + 1;
    }
  }

  async *#replacements(place: PlaceRef, end: number): AsyncGenerator<WriteRequest> {
    for await (const { seq, erased } of this.#kinds(place, {})) {
      if (seq < end && !erased) yield { PutRequest: { Item: toItem(place, erasure(seq, this.#now()), {}) } };
    }
  }

  /** Newest first, whatever the items hold. */
  async *#kinds(place: PlaceRef, input: { Limit?: number }): AsyncGenerator<{ seq: number; erased: boolean }> {
    const items = partition(this.#table, logKey(place), {
      ...{ ProjectionExpression: 'sk, #type', ExpressionAttributeNames: { '#type': 'type' }, ScanIndexForward: false },
      ...input,
    });
    for await (const item of items) {
      yield { seq: Number(readText(item, 'sk')), erased: isErased({ type: item.type?.S ?? '' }) };
      if (input.Limit === 1) return;
    }
  }
}
