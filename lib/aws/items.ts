import {
  type AttributeValue,
  BatchWriteItemCommand,
  QueryCommand,
  type QueryCommandInput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { ConchError } from '../domain/errors.ts';
import { call, type Item } from './calls.ts';
import type { Table } from './table.ts';

/** Writers and readers of single attributes. Values that are more than a number or a name are stored as JSON text. */
export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });
/** JSON escapes lone surrogates, so that every string of JavaScript survives the way through UTF-8. */
export const json = (value: unknown): AttributeValue => ({ S: JSON.stringify(value) ?? 'null' });

function broken(name: string): ConchError {
  return new ConchError('broken-item', `A stored item has no good ${name}`);
}

/** @throws {ConchError} `broken-item` if the attribute is missing or no text. */
export function readText(item: Item, name: string): string {
  const value = item[name]?.S;
  if (value === undefined) throw broken(name);
  return value;
}

/** @throws {ConchError} `broken-item` if the attribute is missing or no number. */
export function readNumber(item: Item, name: string): number {
  const value = item[name]?.N;
  if (value === undefined) throw broken(name);
  return Number(value);
}

/** @throws {ConchError} `broken-item` if the attribute is missing or no JSON. */
export function readJson(item: Item, name: string): unknown {
  try {
    return JSON.parse(readText(item, name));
  } catch {
    throw broken(name);
  }
}

/** An expiry in ms as DynamoDB's TTL wants it: whole seconds, never before the time itself. */
export const ttlSeconds = (expiresAtMs: number): AttributeValue => number(Math.ceil(expiresAtMs / 1000));

export const keyOf = (pk: string, sk: string): Item => ({ pk: text(pk), sk: text(sk) });

type QueryInput = Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>;

/** All items of a Query, page by page, each page read when it is needed. */
export async function* query(table: Table, input: QueryInput): AsyncGenerator<Item> {
  let start: Item | undefined;
  do {
    const command = new QueryCommand({ ...input, TableName: table.name, ExclusiveStartKey: start });
    const page = await call('dynamodb', table.client.send(command));
    yield* page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start);
}

/** The items of one partition, strongly consistent, ascending. */
export function partition(table: Table, pk: string, input: Partial<QueryInput> = {}): AsyncGenerator<Item> {
  return query(table, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': text(pk) },
    ConsistentRead: true,
    ...input,
  });
}

/** The most items that one BatchWriteItem takes. */
const BATCH = 25;
const BATCH_ATTEMPTS = 6;
const BATCH_WAIT_MS = 25;

/** Repeats a batch with what the service left undone, with growing waits. @throws {ConchError} `dynamodb-unavailable`. */
export async function untilDone<T>(work: T | undefined, attempt: (work: T) => Promise<T | undefined>): Promise<void> {
  let left = work;
  for (let tries = 0; left !== undefined && tries < BATCH_ATTEMPTS; tries++) {
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * BATCH_WAIT_MS * 2 ** tries));
    left = await attempt(left);
  }
  if (left !== undefined) throw new ConchError('dynamodb-unavailable', 'A batch was not finished', { retryable: true });
}

async function writeBatch(table: Table, requests: WriteRequest[]): Promise<WriteRequest[] | undefined> {
  const command = new BatchWriteItemCommand({ RequestItems: { [table.name]: requests } });
  const answer = await call('dynamodb', table.client.send(command));
  const left = answer.UnprocessedItems?.[table.name];
  return left?.length ? left : undefined;
}

/** Writes all of them, in order, batch by batch. */
export async function writeAll(table: Table, requests: AsyncIterable<WriteRequest>): Promise<void> {
  let batch: WriteRequest[] = [];
  const flush = async () => {
    if (batch.length > 0) await untilDone(batch, (left) => writeBatch(table, left));
    batch = [];
  };
  for await (const request of requests) {
    batch.push(request);
    if (batch.length === BATCH) await flush();
  }
  await flush();
}

async function* deletions(items: AsyncIterable<Item>): AsyncGenerator<WriteRequest> {
  for await (const item of items) {
    yield { DeleteRequest: { Key: keyOf(readText(item, 'pk'), readText(item, 'sk')) } };
  }
}

/** Deletes the items with these keys, in order, batch by batch. */
export function deleteItems(table: Table, items: AsyncIterable<Item>): Promise<void> {
  return writeAll(table, deletions(items));
}
