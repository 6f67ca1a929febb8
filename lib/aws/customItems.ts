import type { CommandRecord, MenuRecord, SkillRecord } from '../ports/tenants.ts';
import type { Item } from './calls.ts';
import { json, readJson, text } from './items.ts';

/** The record of an item, if it has these fields as text. One that is broken is passed over: the others still work. */
export function readRecord(item: Item, fields: readonly string[]): Record<string, unknown>[] {
  try {
    const record = readJson(item, 'record') as Record<string, unknown>;
    return fields.every((field) => typeof record?.[field] === 'string') ? [record] : [];
  } catch {
    return [];
  }
}

/** The custom commands of these items, by name. */
export function toCommands(items: readonly Item[]): CommandRecord[] {
  return items.flatMap((item) =>
    readRecord(item, ['name', 'description', 'who', 'template']),
  ) as unknown as CommandRecord[];
}

/** The skills of these items, by name. */
export function toSkills(items: readonly Item[]): SkillRecord[] {
  return items.flatMap((item) => readRecord(item, ['name', 'description', 'text'])) as unknown as SkillRecord[];
}

/** A channel's menu. The mark has an attribute of its own, since a write may depend on it. */
export function menuItem({ mark, leftOut }: MenuRecord): Item {
  return { mark: text(mark), leftOut: json(leftOut) };
}

/** The menu in a stored item. */
export function toMenu(item: Item): MenuRecord {
  return { mark: item.mark?.S ?? '', leftOut: readJson(item, 'leftOut') as MenuRecord['leftOut'] };
}
