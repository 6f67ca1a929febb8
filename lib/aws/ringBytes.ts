import { ENTRY_CHARS, HASH_CHARS, TIME_CHARS } from '../domain/ring.ts';

/**
 * The ring's entries in fewer bytes: how many, each time as its difference from the one before (one or two bytes where
 * people write often), and the hashes, 60 bits each.
 */

const ENTRIES = new RegExp(`^(?:[A-Za-z0-9_-]{${HASH_CHARS}}[0-9a-z]{${TIME_CHARS}}){1,255}$`);

/** Seven bits a byte, the highest bit says that more come; the sign is the lowest bit. */
function pushDifference(bytes: number[], difference: number): void {
  let rest = difference < 0 ? -2 * difference - 1 : 2 * difference;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

/** The bytes, or undefined for text that is no list of entries. */
export function ringBytes(entries: string): Buffer | undefined {
  if (!ENTRIES.test(entries)) return undefined;
  const bytes = [entries.length / ENTRY_CHARS];
  let hashes = '';
  let before = 0;
  for (let i = 0; i < entries.length; i += ENTRY_CHARS) {
    hashes += entries.slice(i, i + HASH_CHARS);
    const time = Number.parseInt(entries.slice(i + HASH_CHARS, i + ENTRY_CHARS), 36);
    pushDifference(bytes, time - before);
    before = time;
  }
  // A last half byte counts only with another character behind it.
  return Buffer.concat([Buffer.from(bytes), Buffer.from(`${hashes}A`, 'base64url')]);
}

/** The entries that these bytes were made of. */
export function ringEntries(bytes: Buffer): string {
  const times: string[] = [];
  let at = 1;
  let time = 0;
  for (let n = bytes[0] ?? 0; n > 0; n--) {
    let rest = 0;
    for (let scale = 1, byte = 128; byte > 127; scale *= 128) {
      byte = bytes[at++] ?? 0;
      rest += (byte % 128) * scale;
    }
    time += rest % 2 === 1 ? -(rest + 1) / 2 : rest / 2;
    times.push(time.toString(36).padStart(TIME_CHARS, '0'));
  }
  const hashes = bytes.toString('base64url', at);
  return times.map((text, n) => hashes.slice(n * HASH_CHARS, (n + 1) * HASH_CHARS) + text).join('');
}
