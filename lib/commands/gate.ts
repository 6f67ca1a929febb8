import type { Role } from '../domain/access.ts';
import type { OptionsChange } from '../domain/events.ts';
import type { MenuView } from '../ports/actions.ts';
import type { ChatUse, Handler } from './command.ts';

/** Who asks, and where. */
export interface Asker {
  role: Role;
  group: boolean;
  /** The app delivers no messages by themselves. */
  withoutMessages?: true;
}

/** Why somebody may not run a command. */
export type Refused = 'stranger' | 'private-only' | 'owner-only' | 'web-only' | 'absent';
export type Permission = { ok: true } | { ok: false; why: Refused };

/** What the gate looks at: a row of the registry, or what a tenant adds to it. */
export interface Usable {
  chat?: ChatUse;
  handler?: Pick<Handler, 'before'>;
}

/**
 * Whether this person may run this command here: the one gate for every way in, on the canonical row (SPEC 4.9).
 * `absent`: there is no such command in this app. A stranger hears of nothing else before they are let in (SPEC 9.3); in a
 * private chat `/start` is open to them, since it carries the claim (SPEC 9.2).
 */
export function mayRun(command: Usable, { role, group, withoutMessages }: Asker): Permission {
  if (command.chat?.withoutMessages && !withoutMessages) return { ok: false, why: 'absent' };
  const isClaim = command.handler?.before?.includes('claim') === true && !group;
  if (role === 'stranger' && !isClaim) return { ok: false, why: 'stranger' };
  if (!command.chat) return { ok: false, why: 'web-only' };
  if (group && !command.chat.groups) return { ok: false, why: 'private-only' };
  if (isClaim) return { ok: true };
  if (command.chat.who === 'owner' && role !== 'owner') return { ok: false, why: 'owner-only' };
  return { ok: true };
}

/** What anyone let in may change in their own conversation; all else, and every default, is the owner's. */
const OWN: ReadonlySet<string> = new Set(['model', 'effort', 'fast']);

/** Whether this person may make this change: permission goes by the value as well (SPEC 4.9, 7.5). */
export function mayChange(change: OptionsChange, scope: MenuView['scope'], { role, group }: Asker): boolean {
  if (group) return false;
  if (role === 'owner') return true;
  return role === 'let-in' && scope === 'chat' && Object.keys(change).every((key) => OWN.has(key));
}
