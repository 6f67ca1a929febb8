import { type ActionItem, type ActionKey, type Actions, type PressRefusal, REFUSALS_KEPT } from '../ports/actions.ts';
import { conditional, type Item } from './calls.ts';
import { json, keyOf, number, partition, readJson, ttlSeconds } from './items.ts';
import { actionsKey, keyPart } from './keys.ts';
import { deleteItem, getItem, putItem } from './oneItem.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

const itemKey = (key: ActionKey) => keyOf(actionsKey(key), keyPart(key.id));

/** Refusals are a set of their own, so that one is added to the action as it stands. */
const refusals = (all: readonly PressRefusal[]) => ({
  SS: all.map(({ update, text }) => JSON.stringify([update, text])),
});

function toAction(item: Item): ActionItem {
  const action = readJson(item, 'action') as ActionItem;
  const refused = item.refused?.SS?.map((one) => JSON.parse(one) as [string, string]);
  return refused ? { ...action, refused: refused.map(([update, text]) => ({ update, text })) } : action;
}

/** Open actions in DynamoDB: one item a message with choices, in its chat's partition. */
export class DynamoActions implements Actions {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async put(action: ActionItem): Promise<void> {
    const { refused = [], ...rest } = action;
    const Item = { ...itemKey(action), action: json(rest), expiresAt: ttlSeconds(action.expiresAt) };
    await putItem(this.#table, refused.length > 0 ? { ...Item, refused: refusals(refused) } : Item);
  }

  async get(key: ActionKey): Promise<ActionItem | undefined> {
    const item = await getItem(this.#table, itemKey(key));
    return item && toAction(item);
  }

  async delete(key: ActionKey): Promise<void> {
    await deleteItem(this.#table, itemKey(key));
  }

  async noteRefused(key: ActionKey, refusal: PressRefusal): Promise<void> {
    const input: Input<'dynamodb', 'UpdateItem'> = {
      TableName: this.#table.name,
      Key: itemKey(key),
      UpdateExpression: 'ADD refused :one',
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(refused) OR size(refused) < :most)',
      ExpressionAttributeValues: { ':one': refusals([refusal]), ':most': number(REFUSALS_KEPT) },
    };
    await conditional(this.#table.client.send('UpdateItem', input));
  }

  async list(chat: Omit<ActionKey, 'id'>): Promise<ActionItem[]> {
    const items = await Array.fromAsync(partition(this.#table, actionsKey(chat)));
    return items.map(toAction).sort((a, b) => a.createdAt - b.createdAt);
  }
}
