import { ConchError } from './errors.ts';

/** A place of a tenant: where one conversation goes on at a time, and so one log (SPEC 1). */
export interface PlaceRef {
  tenant: string;
  place: string;
}

/**
 * A part of a key, made of `A-Z a-z 0-9 _ -` only; anything else becomes `.` and two hex digits for each byte. So parts
 * can be joined by any other character without two different lists giving one key, and keys stand in a URL as they are.
 * @throws {ConchError} `missing-key-part` if the part is empty.
 */
export function keyPart(part: string): string {
  if (!part) throw new ConchError('missing-key-part', 'A part of a key is missing');
  return part.replace(/[^A-Za-z0-9_-]/gu, (char) =>
    [...new TextEncoder().encode(char)].map((byte) => `.${byte.toString(16).padStart(2, '0')}`).join(''),
  );
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
