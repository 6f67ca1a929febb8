import { ConchError } from './errors.ts';

/** A place of a tenant: where one conversation goes on at a time, and so one log (SPEC 1). */
export interface PlaceRef {
  tenant: string;
  place: string;
}

/** What stands in a key as it is. Most parts are. */
const PLAIN = /^[A-Za-z0-9_-]+$/u;

/**
 * A part of a key, made of `A-Z a-z 0-9 _ -` only; anything else becomes `.` and two hex digits for each byte (half of a surrogate
 * pair: `.u` and its number). So parts
 * can be joined by any other character without two different lists giving one key, and keys stand in a URL as they are.
 * @throws {ConchError} `missing-key-part` if the part is empty.
 */
export function keyPart(part: string): string {
  if (!part) throw new ConchError('missing-key-part', 'A part of a key is missing');
  if (PLAIN.test(part)) return part;
  return part.replace(/[^A-Za-z0-9_-]/gu, (char) => {
    if (char < '\u0080') return `.${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
    if (!char.isWellFormed()) return `.u${char.charCodeAt(0).toString(16)}`; // half of a pair has no bytes of its own
    return [...new TextEncoder().encode(char)].map((byte) => `.${byte.toString(16).padStart(2, '0')}`).join('');
  });
}

/** The inverse of `keyPart`. */
export function readPart(part: string): string {
  return part
    .replace(/\.u([0-9a-f]{4})/gu, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)))
    .replace(/(?:\.[0-9a-f]{2})+/gu, (bytes) =>
      new TextDecoder().decode(Uint8Array.from(bytes.slice(1).split('.'), fromHex)),
    );
}

function fromHex(digits: string): number {
  return Number.parseInt(digits, 16);
}

/**
 * The place of a message: in a private chat the chat, in a group the sender in that chat and thread.
 * @param where `channel` is the channel's id, the others are the chat app's own ids.
 */
export function placeOf(where: {
  channel: string;
  chat: string;
  thread?: string | undefined;
  person?: string;
}): string {
  const parts = [keyPart(where.channel), keyPart(where.chat)];
  if (where.person !== undefined) parts.push(where.thread ? keyPart(where.thread) : '', keyPart(where.person));
  else if (where.thread) parts.push(keyPart(where.thread));
  return parts.join('~');
}

/** Whether the place is in a thread or topic. */
export function isInThread({ place }: PlaceRef): boolean {
  const [, , thread, person] = place.split('~');
  return person === undefined ? thread !== undefined : thread !== '';
}

/** Whether the place is somebody's in a group. */
export function isInGroup({ place }: PlaceRef): boolean {
  return place.split('~').length === 4;
}
