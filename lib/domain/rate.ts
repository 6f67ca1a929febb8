import { hash as digest } from 'node:crypto';
import { MESSAGES_PER_MINUTE, MINUTE_MS } from './limits.ts';

/** A person's messages of the last minute on a channel, wherever they were sent (SPEC 9.4), oldest first. */
export type Rate = readonly { at: number; key: string }[];

export type Taken =
  /** This very message was counted before: it is delivered again. */
  { kind: 'counted' } | { kind: 'take'; rate: Rate } | { kind: 'full'; opensAt: number };

const KEY_CHARS = 10;

/** How a rate and what was told name a message. */
export function shortKey(key: string): string {
  return digest('sha256', key, 'base64url').slice(0, KEY_CHARS);
}

/**
 * Counts a message, if there is room for it.
 * @param allowed how many in the window, from 1 to `MESSAGES_PER_MINUTE`.
 */
export function takeMessage(
  rate: Rate,
  message: { key: string; at: number },
  allowed: number,
  windowMs = MINUTE_MS,
): Taken {
  const key = shortKey(message.key);
  const recent = rate.filter(({ at }) => at > message.at - windowMs);
  if (recent.some((one) => one.key === key)) return { kind: 'counted' };
  const opens = recent.at(-allowed);
  if (opens) return { kind: 'full', opensAt: opens.at + windowMs };
  // The clocks of two processes differ a little.
  const at = Math.max(message.at, recent.at(-1)?.at ?? 0);
  return { kind: 'take', rate: [...recent, { at, key }].slice(-MESSAGES_PER_MINUTE) };
}
