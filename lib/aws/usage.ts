import { SettingsError } from '../domain/errors.ts';
import { MINUTE_MS } from '../domain/limits.ts';
import type { Rate } from '../domain/rate.ts';
import type { PersonKey, UsageCounters } from '../ports/capacity.ts';
import { call, conditional, type Item } from './calls.ts';
import { deleteItems, json, keyOf, number, partition, readJson, readText, ttlSeconds } from './items.ts';
import { rateKey, ratesKey, usageKey } from './keys.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

const COUNTERS = ['turns', 'inputTokens', 'outputTokens'] as const;

const count = (item: Item, name: string) => Number(item[name]?.N ?? 0);

/** Counters of use in DynamoDB: one item a day, and one for how often a person writes, which expires after a minute. */
export class DynamoUsage implements UsageCounters {
  readonly #table: Table;
  readonly #once: Table['client'];

  /**
   * @param once a client of `maxAttempts: 1`, for additions alone: one that is repeated may count twice.
   * @throws {SettingsError} if that client repeats requests.
   */
  constructor(table: Table, once: Table['client']) {
    if (once.maxAttempts !== 1) throw new SettingsError('Counters want maxAttempts: 1');
    this.#table = table;
    this.#once = once;
  }

  async add(tenant: string, day: string, counts: Parameters<UsageCounters['add']>[2]): Promise<void> {
    const used = COUNTERS.filter((name) => counts[name]);
    if (used.length === 0) return;
    const input: Input<'dynamodb', 'UpdateItem'> = {
      TableName: this.#table.name,
      Key: keyOf(usageKey(tenant), day),
      UpdateExpression: `ADD ${used.map((name) => `${name} :${name}`).join(', ')}`,
      ExpressionAttributeValues: Object.fromEntries(used.map((name) => [`:${name}`, number(counts[name] ?? 0)])),
    };
    await call('dynamodb', this.#once.send('UpdateItem', input));
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

  async rate(who: PersonKey): Promise<Rate> {
    const input = { TableName: this.#table.name, Key: rateItemKey(who), ConsistentRead: true };
    const { Item } = await call('dynamodb', this.#table.client.send('GetItem', input));
    return Item ? (readJson(Item, 'rate') as Rate) : [];
  }

  /** The item of an empty rate is one that is not there. Repeated after a lost answer it is refused, and the rate read again. */
  async putRate(who: PersonKey, rate: Rate, before: Rate): Promise<boolean> {
    const expiresAt = ttlSeconds((rate.at(-1)?.at ?? 0) + MINUTE_MS);
    const condition = before.length === 0 ? 'attribute_not_exists(pk)' : 'rate = :before';
    const input: Input<'dynamodb', 'PutItem'> = {
      TableName: this.#table.name,
      Item: { ...rateItemKey(who), rate: json(rate), expiresAt },
      ConditionExpression: condition,
      ...(before.length === 0 ? {} : { ExpressionAttributeValues: { ':before': json(before) } }),
    };
    return (await conditional(this.#table.client.send('PutItem', input))).ok;
  }

  async eraseRate(who: PersonKey): Promise<void> {
    const input = { TableName: this.#table.name, Key: rateItemKey(who) };
    await call('dynamodb', this.#table.client.send('DeleteItem', input));
  }

  async erase(tenant: string): Promise<void> {
    for (const pk of [usageKey(tenant), ratesKey(tenant)]) {
      await deleteItems(this.#table, partition(this.#table, pk, { ProjectionExpression: 'pk, sk' }));
    }
  }
}

const rateItemKey = ({ tenant, channelId, person }: PersonKey) => keyOf(ratesKey(tenant), rateKey(channelId, person));
