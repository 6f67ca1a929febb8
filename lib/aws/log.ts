import { createHash } from 'node:crypto';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ConchError } from '../domain/errors.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { State } from '../domain/state.ts';
import { type AppendResult, type Log, OWED_SHARDS, type OwedEntry, type StoredEvent } from '../ports/log.ts';
import { call, conditional, type Item } from './calls.ts';
import { deleteItems, json, keyOf, number, partition, query, readJson, readNumber, readText, text } from './items.ts';
import { keyPart, logKey, MAX_SEQ, readLogKey, seqKey } from './keys.ts';
import type { Table } from './table.ts';

/** DynamoDB's limit for one item, names of attributes included. */
const MAX_ITEM_BYTES = 400 * 1024;
/** A number as long as the most that DynamoDB counts for one. */
const NUMBER = '9'.repeat(21);

function shardOf(pk: string): number {
  return createHash('sha256').update(pk).digest().readUInt8(0) % OWED_SHARDS;
}

function itemBytes(item: Item): number {
  const sizes = Object.entries(item).map(
    ([name, value]) => Buffer.byteLength(name) + (value.B?.length ?? Buffer.byteLength(value.S ?? NUMBER)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * The state as attributes. The ring's entries are digits of base 64 and half of a short event: stored as bytes, most
 * events fit into one write unit.
 */
function stateAttributes(state: State): Item {
  const { entries = '', ...ring } = state.ring ?? {};
  const bytes = Buffer.from(entries, 'base64url');
  if (bytes.length === 0 || bytes.toString('base64url') !== entries) return { state: json(state) };
  return { state: json({ ...state, ring }), ring: { B: bytes } };
}

function readState(item: Item): State {
  const state = readJson(item, 'state') as State;
  const bytes = item.ring?.B;
  if (!bytes) return state;
  return { ...state, ring: { ...state.ring, entries: Buffer.from(bytes).toString('base64url') } };
}

function toItem(place: PlaceRef, event: StoredEvent, owed: boolean): Item {
  const pk = logKey(place);
  return {
    ...keyOf(pk, seqKey(event.seq)),
    id: text(event.id),
    type: text(event.type),
    at: number(event.at),
    data: json(event.data),
    ...stateAttributes(event.state),
    ...(owed ? { owedShard: number(shardOf(pk)), owedAt: number(event.at) } : {}),
    ...(event.seq === 1 ? { placesOf: text(keyPart(place.tenant)), firstAt: number(event.at) } : {}),
  };
}

function toEvent(item: Item): StoredEvent {
  return {
    seq: Number(readText(item, 'sk')),
    id: readText(item, 'id'),
    type: readText(item, 'type'),
    at: readNumber(item, 'at'),
    data: readJson(item, 'data'),
    state: readState(item),
  };
}

/** The logs in DynamoDB: one item an event, one conditional put an append (DESIGN 2). Unknown attributes are passed over. */
export class DynamoLog implements Log {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async newest(place: PlaceRef): Promise<StoredEvent | undefined> {
    const newest = partition(this.#table, logKey(place), { ScanIndexForward: false, Limit: 1 });
    for await (const item of newest) return toEvent(item);
    return undefined;
  }

  async at(place: PlaceRef, seq: number, options: { strong?: boolean } = {}): Promise<StoredEvent | undefined> {
    const Key = keyOf(logKey(place), seqKey(seq));
    const command = new GetItemCommand({ TableName: this.#table.name, Key, ConsistentRead: options.strong === true });
    const answer = await call('dynamodb', this.#table.client.send(command));
    return answer.Item && toEvent(answer.Item);
  }

  /** @throws {ConchError} `event-too-large`, before any request, for an event that DynamoDB cannot hold. */
  async append(place: PlaceRef, event: StoredEvent, options: { owed?: boolean } = {}): Promise<AppendResult> {
    const item = toItem(place, event, options.owed === true);
    if (itemBytes(item) > MAX_ITEM_BYTES) {
      throw new ConchError('event-too-large', `An event of type ${event.type} is larger than ${MAX_ITEM_BYTES} bytes`);
    }
    const command = new PutItemCommand({
      TableName: this.#table.name,
      Item: item,
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const put = await conditional(this.#table.client.send(command));
    if (put.ok) return { ok: true };
    return this.#conflict(place, event, put.item);
  }

  /** A put that the SDK repeats after a lost answer meets itself: the winner with this event's id is this event. */
  async #conflict(place: PlaceRef, event: StoredEvent, item: Item | undefined): Promise<AppendResult> {
    const winner = item ? toEvent(item) : await this.at(place, event.seq, { strong: true });
    if (!winner) throw new ConchError('log-erased', 'The log was erased during an append', { retryable: true });
    return winner.id === event.id ? { ok: true } : { ok: false, winner };
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
    for await (const item of items) yield toEvent(item);
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

  async *places(tenant: string): AsyncGenerator<{ place: string; firstAt: number }> {
    const items = query(this.#table, {
      IndexName: 'places',
      KeyConditionExpression: 'placesOf = :tenant',
      ExpressionAttributeValues: { ':tenant': text(keyPart(tenant)) },
    });
    for await (const item of items) {
      yield { place: readLogKey(readText(item, 'pk')).place, firstAt: readNumber(item, 'firstAt') };
    }
  }

  /**
   * Newest first, so that a crash in between leaves a log without gaps that `places` still finds; again until nothing is
   * left, for what was appended meanwhile.
   */
  async erase(place: PlaceRef): Promise<void> {
    const keysOnly = { ProjectionExpression: 'pk, sk', ScanIndexForward: false };
    while ((await deleteItems(this.#table, partition(this.#table, logKey(place), keysOnly))) > 0);
  }
}
