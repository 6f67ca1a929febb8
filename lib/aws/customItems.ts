import * as z from 'zod/mini';
import { ConchError } from '../domain/errors.ts';
import type { CommandRecord, MenuRecord, SkillRecord } from '../ports/tenants.ts';
import type { Item } from './calls.ts';
import { json, readJson, readText, text } from './items.ts';

/** Hears of a stored item that is not as it should be. */
export type OnBroken = (error: ConchError) => void;

/**
 * The records of these items, in their order, with fields that this version does not know (SPEC 2.5). One that does not
 * fit is told, by its key and the fields at fault, and passed over: the others still work.
 */
export function readRecords<T>(items: readonly Item[], schema: z.ZodMiniType<T>, onBroken: OnBroken): T[] {
  return items.flatMap((item) => {
    const { data, error } = z.safeParse(schema, recordIn(item));
    if (!error) return [data];
    const fields = error.issues.map(({ path }) => path.join('.') || 'record');
    onBroken(new ConchError('broken-item', `${readText(item, 'sk')} has no good ${fields.join(', ')}`));
    return [];
  });
}

/** Undefined where it is no JSON, which fits no schema. */
function recordIn(item: Item): unknown {
  try {
    return readJson(item, 'record');
  } catch {
    return undefined;
  }
}

const commandSchema: z.ZodMiniType<CommandRecord> = z.looseObject({
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  argumentHint: z.exactOptional(z.string()),
  who: z.enum(['people', 'owner']),
  template: z.string(),
});

const skillSchema: z.ZodMiniType<SkillRecord> = z.looseObject({
  name: z.string(),
  description: z.string(),
  text: z.string(),
});

/** The custom commands of these items, by name. */
export function toCommands(items: readonly Item[], onBroken: OnBroken): CommandRecord[] {
  return readRecords(items, commandSchema, onBroken);
}

/** The skills of these items, by name. */
export function toSkills(items: readonly Item[], onBroken: OnBroken): SkillRecord[] {
  return readRecords(items, skillSchema, onBroken);
}

/** A channel's menu. The mark has an attribute of its own, since a write may depend on it. */
export function menuItem({ mark, leftOut }: MenuRecord): Item {
  return { mark: text(mark), leftOut: json(leftOut) };
}

/** The menu in a stored item. */
export function toMenu(item: Item): MenuRecord {
  return { mark: item.mark?.S ?? '', leftOut: readJson(item, 'leftOut') as MenuRecord['leftOut'] };
}
