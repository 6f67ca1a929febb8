import type { Role } from '../domain/access.ts';
import type { ChatUse, Handler } from './command.ts';

/** Who asks, and where. */
export interface Asker {
  role: Role;
  group: boolean;
}

export type Permission = { ok: true } | { ok: false; why: 'stranger' | 'private-only' | 'owner-only' | 'web-only' };

/** What the gate looks at: a row of the registry, or what a tenant adds to it. */
export interface Usable {
  chat?: ChatUse;
  handler?: Pick<Handler, 'before'>;
}

/**
 * Whether this person may run this command here: the one gate for every way in, on the canonical row (SPEC 4.9).
 * `/start` is open to strangers, since it carries the claim (SPEC 9.2).
 */
export function mayRun(command: Usable, { role, group }: Asker): Permission {
  if (!command.chat) return { ok: false, why: 'web-only' };
  if (group && !command.chat.groups) return { ok: false, why: 'private-only' };
  if (command.handler?.before?.includes('claim')) return { ok: true };
  if (role === 'stranger') return { ok: false, why: 'stranger' };
  if (command.chat.who === 'owner' && role !== 'owner') return { ok: false, why: 'owner-only' };
  return { ok: true };
}
