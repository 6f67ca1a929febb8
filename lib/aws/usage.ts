import { SettingsError } from '../domain/errors.ts';
import type { UsageCounters } from '../ports/capacity.ts';
import { call, type Item } from './calls.ts';
import { deleteItems, keyOf, number, partition, readText } from './items.ts';
import { usageKey } from './keys.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

const COUNTERS = ['turns', 'inputTokens', 'outputTokens'] as const;

const count = (item: Item, name: string) => Number(item[name]?.N ?? 0);

/** Counters of use in DynamoDB: one item a day. */
export class DynamoUsage implements UsageCounters {
  readonly #table: Table;

  /** @param table with a client of `maxAttempts: 1`: an addition that is repeated may count twice. */
  constructor(table: Table) {
    this.#table = table;
  }

  /** @throws {SettingsError} if the table's client repeats requests. */
  async add(tenant: string, day: string, counts: Parameters<UsageCounters['add']>[2]): Promise<void> {
    const used = COUNTERS.filter((name) => counts[name]);
    if (used.length === 0) return;
    if (this.#table.client.maxAttempts !== 1) throw new SettingsError('Counters want maxAttempts: 1');
    const input: Input<'dynamodb', 'UpdateItem'> = {
      TableName: this.#table.name,
      Key: keyOf(usageKey(tenant), day),
      UpdateExpression: `ADD ${used.map((name) => `${name} :${name}`).join(', ')}`,
      ExpressionAttributeValues: Object.fromEntries(used.map((name) => [`:${name}`, number(counts[name] ?? 0)])),
    };
    await call('dynamodb', this.#table.client.send('UpdateItem', input));
  }

  async read(tenant: string, days: number): ReturnType<UsageCounters['read']> {
    const rows = [];
    const newestFirst = { ScanIndexForward: false, Limit: days };
    for await (const item of partition(this.#table, usageKey(tenant), newestFirst)) {
      rows.push({
        day: readText(item, 'sk'),
        turns: count(item, 'turns'),
        inputTokens: count(item, 'inputTokens'),
        outputTokens: count(item, 'outputTokens'),
      });
      if (rows.length === days) break;
    }
    return rows;
  }

  async erase(tenant: string): Promise<void> {
    await deleteItems(this.#table, partition(this.#table, usageKey(tenant), { ProjectionExpression: 'pk, sk' }));
  }
}
