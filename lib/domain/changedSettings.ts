import type { OptionsChange } from './events.ts';

/** The settings with the change; what it sets to null goes back to what is built in. Whatever else stands there stays. */
export function withChange<T extends object>(settings: T, change: OptionsChange): T {
  const merged = { ...settings, ...change };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null && value !== undefined)) as T;
}
