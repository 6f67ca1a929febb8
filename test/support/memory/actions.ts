import { actionsKey, keyPart } from '../../../lib/aws/keys.ts';
import {
  type ActionItem,
  type ActionKey,
  type Actions,
  type PressRefusal,
  REFUSALS_KEPT,
} from '../../../lib/ports/actions.ts';

const keyOf = (key: ActionKey) => `${actionsKey(key)}#${keyPart(key.id)}`;

/** Open actions in memory. */
export class MemoryActions implements Actions {
  readonly #items = new Map<string, string>();

  async put(item: ActionItem): Promise<void> {
    this.#items.set(keyOf(item), JSON.stringify(item));
  }

  async get(key: ActionKey): Promise<ActionItem | undefined> {
    const text = this.#items.get(keyOf(key));
    return text === undefined ? undefined : (JSON.parse(text) as ActionItem);
  }

  async delete(key: ActionKey): Promise<void> {
    this.#items.delete(keyOf(key));
  }

  async noteRefused(key: ActionKey, { update, text }: PressRefusal): Promise<void> {
    const item = await this.get(key);
    const refused = item?.refused ?? [];
    if (!item || refused.length >= REFUSALS_KEPT || refused.some((one) => one.update === update)) return;
    await this.put({ ...item, refused: [...refused, { update, text }] });
  }

  async list(chat: Omit<ActionKey, 'id'>): Promise<ActionItem[]> {
    const prefix = `${actionsKey(chat)}#`;
    const texts = [...this.#items].flatMap(([key, text]) => (key.startsWith(prefix) ? [text] : []));
    return texts.map((text) => JSON.parse(text) as ActionItem).sort((a, b) => a.createdAt - b.createdAt);
  }
}
