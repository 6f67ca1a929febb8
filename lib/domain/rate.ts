import { hash as digest } from 'node:crypto';
import { MESSAGES_PER_MINUTE, MINUTE_MS } from './limits.ts';

/** A person's messages of the last minute on a channel, wherever they were sent (SPEC 9.4), oldest first. */
export type Rate = readonly { at: number; key: string }[];

export type Taken =
  /** This very message was counted before: it is delivered again. */
  { kind: 'counted' } | { kind: 'take'; rate: Rate } | { kind: 'full'; opensAt: number };

const KEY_CHARS = 10;

/** Counts a message, if there is room for it. @param allowed how many a minute, from 1 to `MESSAGES_PER_MINUTE`. */
export function takeMessage(rate: Rate, message: { key: string; at: number }, allowed: number): Taken {
  const key = digest('sha256', message.key, 'base64url').slice(0, KEY_CHARS);
  const recent = rate.filter(({ at }) => at > message.at - MINUTE_MS);
  if (recent.some((one) => one.key === key)) return { kind: 'counted' };
  const opens = recent.at(-allowed);
  if (opens) return { kind: 'full', opensAt: opens.at + MINUTE_MS };
  // The clocks of two processes differ a little.
  const at = Math.max(message.at, recent.at(-1)?.at ?? 0);
  return { kind: 'take', rate: [...recent, { at, key }].slice(-MESSAGES_PER_MINUTE) };
}
