import * as z from 'zod';
import { nameKey } from '../commands/parse.ts';
import type { TenantRecord } from '../ports/tenants.ts';

/** Longest description, UTF-16 units. */
export const DESCRIPTION_CHARS = 10_000;
/**
 * Longest template or skill, UTF-16 units: it fits into a message with an argument, and its item stays well under
 * 400 KB also if each takes six bytes.
 */
export const TEXT_CHARS = 50_000;

/** How much a tenant may have of its own, since all of it is loaded at once. */
const MOST = { commands: 500, skills: 200 };
const ALL_CHARS = 2_000_000;

/** A text in which there is something to see. */
export function visible(max: number) {
  return z
    .string()
    .max(max)
    .refine((text) => text.trim() !== '', 'It is empty.');
}

/** Why this name cannot stand beside those, which differ from it in `-` and `_` only (SPEC 4.4); undefined if it can. */
export function clashOf(name: string, others: readonly { name: string }[]): string | undefined {
  const clash = others.find((one) => one.name !== name && nameKey(one.name) === nameKey(name));
  if (!clash) return undefined;
  return `It differs from “${clash.name}” in “-” and “_” only, which are the same in a command’s name.`;
}

/** Why a tenant cannot have all of this; undefined if it can. */
export function roomFault({ commands, skills }: Pick<TenantRecord, 'commands' | 'skills'>): string | undefined {
  if (commands.length > MOST.commands) return `A tenant can have ${MOST.commands} custom commands at most.`;
  if (skills.length > MOST.skills) return `A tenant can have ${MOST.skills} skills at most.`;
  const texts = [...commands.map(({ template }) => template), ...skills.map(({ text }) => text)];
  const descriptions = [...commands, ...skills].map(({ description }) => description);
  const chars = [...texts, ...descriptions].reduce((sum, text) => sum + text.length, 0);
  if (chars <= ALL_CHARS) return undefined;
  return `All of a tenant’s templates, skills and descriptions together can have ${ALL_CHARS} characters at most.`;
}
