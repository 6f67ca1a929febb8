import { hash as digest } from 'node:crypto';

/** How many deliveries are remembered in the state. */
export const RING_SIZE = 32;
/** What an entry is made of. */
export const HASH_CHARS = 10;
export const TIME_CHARS = 6;
export const ENTRY_CHARS = HASH_CHARS + TIME_CHARS;

/**
 * The newest deliveries, oldest first: fixed-width entries of a 60-bit hash of the key and the app's time in seconds,
 * base 36. `floorS` is the app's time of the newest delivery that was pushed out, in seconds.
 */
export interface Ring {
  entries: string;
  floorS: number;
}

let newest = { key: '', hash: '' };

/** The last one is kept: a delivery is looked for, and then remembered. */
function hash(key: string): string {
  if (newest.key !== key) newest = { key, hash: digested(key) };
  return newest.hash;
}

function digested(key: string): string {
  return digest('sha256', key, 'base64url').slice(0, HASH_CHARS);
}

/** Whether the delivery with this key is among the newest `RING_SIZE`. */
export function remembers(ring: Ring, key: string): boolean {
  const wanted = hash(key);
  for (let i = 0; i < ring.entries.length; i += ENTRY_CHARS) {
    if (ring.entries.startsWith(wanted, i)) return true;
  }
  return false;
}

/**
 * Whether a delivery that the ring does not remember may have been pushed out of it, so that it has to be looked up in
 * the log before it counts as new (DESIGN 3a).
 */
export function mayBeForgotten(ring: Ring, sentAtMs: number): boolean {
  return ring.entries.length >= RING_SIZE * ENTRY_CHARS && Math.floor(sentAtMs / 1000) <= ring.floorS;
}

/** The ring with one more delivery. */
export function remember(ring: Ring, key: string, sentAtMs: number): Ring {
  const seconds = Math.min(Math.max(0, Math.floor(sentAtMs / 1000)), 36 ** TIME_CHARS - 1);
  const entries = ring.entries + hash(key) + seconds.toString(36).padStart(TIME_CHARS, '0');
  if (entries.length <= RING_SIZE * ENTRY_CHARS) return { entries, floorS: ring.floorS };
  const pushedOutS = Number.parseInt(entries.slice(HASH_CHARS, ENTRY_CHARS), 36);
  return { entries: entries.slice(ENTRY_CHARS), floorS: Math.max(ring.floorS, pushedOutS) };
}
