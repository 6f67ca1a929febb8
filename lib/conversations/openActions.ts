import type { ActionItem } from '../ports/actions.ts';

/** Whether choices can still be picked: they are not cancelled, and their time has not passed (SPEC 11.1). @param now ms. */
export function isOpen({ closed, expiresAt }: ActionItem, now: number): boolean {
  return !closed && expiresAt > now;
}
