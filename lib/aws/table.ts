import type { TableDescription as SdkTableDescription } from '@aws-sdk/client-dynamodb';
import { ConchError } from '../domain/errors.ts';
import { call } from './calls.ts';
import type { AwsClient } from './clients.ts';
import type { Input, Wire } from './operations.ts';

/** The one table: which client reaches it, and its name. */
export interface Table {
  client: AwsClient<'dynamodb'>;
  name: string;
}

/**
 * The table's shape, for the stack, the local run and the tests (DESIGN 2). Both indexes are sparse (an item without
 * their keys is in none) and hold keys only:
 * - `owed`: events of webhooks that left work owed, by the time of their append (ms), in shards.
 * - `places`: the first event of each place, by its time (ms), for each tenant.
 */
export const TABLE = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
  /** Seconds since the epoch. What has expired may still be read for days: it is checked on read. */
  ttlAttribute: 'expiresAt',
  indexes: [
    { name: 'owed', partitionKey: { name: 'owedShard', type: 'N' }, sortKey: { name: 'owedAt', type: 'N' } },
    { name: 'places', partitionKey: { name: 'placesOf', type: 'S' }, sortKey: { name: 'firstAt', type: 'N' } },
  ],
} as const;

type Key = { partitionKey: { name: string; type: 'S' | 'N' }; sortKey: { name: string; type: 'S' | 'N' } };

const keySchema = ({ partitionKey, sortKey }: Key) => [
  { AttributeName: partitionKey.name, KeyType: 'HASH' as const },
  { AttributeName: sortKey.name, KeyType: 'RANGE' as const },
];

const attributes = ({ partitionKey, sortKey }: Key) =>
  [partitionKey, sortKey].map(({ name, type }) => ({ AttributeName: name, AttributeType: type }));

type TableDescription = Wire<SdkTableDescription>;

function definition(name: string): Input<'dynamodb', 'CreateTable'> {
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(TABLE),
    AttributeDefinitions: [TABLE, ...TABLE.indexes].flatMap(attributes),
    GlobalSecondaryIndexes: TABLE.indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    })),
  };
}

async function create(table: Table): Promise<void> {
  try {
    await table.client.send('CreateTable', definition(table.name));
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceInUseException') return;
    await call('dynamodb', Promise.reject(error));
  }
}

function checkIndexes(description: TableDescription | undefined): void {
  const found = new Set(description?.GlobalSecondaryIndexes?.map((index) => index.IndexName));
  const missing = TABLE.indexes.filter((index) => !found.has(index.name)).map((index) => index.name);
  if (missing.length > 0) throw new ConchError('wrong-table', `The table lacks an index: ${missing.join(', ')}`);
}

function isActive(description: TableDescription | undefined): boolean {
  const indexes = description?.GlobalSecondaryIndexes ?? [];
  return (
    description?.TableStatus === 'ACTIVE' && indexes.every((index) => (index.IndexStatus ?? 'ACTIVE') === 'ACTIVE')
  );
}

const POLL_MS = 50;
const CREATION_LIMIT_MS = 30_000;

/**
 * Creates the table on an endpoint if it is not there, and waits until it can be used. Expiry is not turned on: only
 * the stack's table removes expired items by itself.
 * @throws {ConchError} `wrong-table` if a table of this name has other indexes; `table-not-active` after 30 s.
 */
export async function createTable(table: Table): Promise<void> {
  await create(table);
  const deadline = Date.now() + CREATION_LIMIT_MS;
  while (Date.now() < deadline) {
    const answer = await call('dynamodb', table.client.send('DescribeTable', { TableName: table.name }));
    checkIndexes(answer.Table);
    if (isActive(answer.Table)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new ConchError('table-not-active', 'The table was not ready in time', { retryable: true });
}
