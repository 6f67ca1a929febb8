import type { ActionItem, ActionKey, Actions } from '../ports/actions.ts';
import type { Item } from './calls.ts';
import { json, keyOf, partition, readJson, ttlSeconds } from './items.ts';
import { actionsKey, keyPart } from './keys.ts';
import { deleteItem, getItem, putItem } from './oneItem.ts';
import type { Table } from './table.ts';

const itemKey = (key: ActionKey) => keyOf(actionsKey(key), keyPart(key.id));
const toAction = (item: Item) => readJson(item, 'action') as ActionItem;

/** Open actions in DynamoDB: one item a message with choices, in its chat's partition. */
export class DynamoActions implements Actions {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async put(action: ActionItem): Promise<void> {
    const Item = { ...itemKey(action), action: json(action), expiresAt: ttlSeconds(action.expiresAt) };
    await putItem(this.#table, Item);
  }

  async get(key: ActionKey): Promise<ActionItem | undefined> {
    const item = await getItem(this.#table, itemKey(key));
    return item && toAction(item);
  }

  async delete(key: ActionKey): Promise<void> {
    await deleteItem(this.#table, itemKey(key));
  }

  async list(chat: Omit<ActionKey, 'id'>): Promise<ActionItem[]> {
    const items = await Array.fromAsync(partition(this.#table, actionsKey(chat)));
    return items.map(toAction).sort((a, b) => a.createdAt - b.createdAt);
  }
}
