import type { SweepCursor } from '../ports/capacity.ts';
import { conditional } from './calls.ts';
import { keyOf, number, readNumber } from './items.ts';
import { CURSOR_KEY } from './keys.ts';
import { getItem } from './oneItem.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

/** The sweeper's cursors in DynamoDB: one item a shard. */
export class DynamoSweepCursor implements SweepCursor {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async read(shard: number): Promise<number> {
    const item = await getItem(this.#table, keyOf(CURSOR_KEY, String(shard)));
    return item ? readNumber(item, 'readTo') : 0;
  }

  async move(shard: number, to: number): Promise<void> {
    const input: Input<'dynamodb', 'UpdateItem'> = {
      TableName: this.#table.name,
      Key: keyOf(CURSOR_KEY, String(shard)),
      UpdateExpression: 'SET readTo = :to',
      ConditionExpression: 'attribute_not_exists(readTo) OR readTo < :to',
      ExpressionAttributeValues: { ':to': number(to) },
    };
    await conditional(this.#table.client.send('UpdateItem', input));
  }
}
