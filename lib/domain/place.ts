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

/** A byte order mark is a part's own character, and stays. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The inverse of `keyPart`. */
export function readPart(part: string): string {
  if (!part.includes('.')) return part;
  return part
    .replace(/\.u([0-9a-f]{4})/gu, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)))
    .replace(/(?:\.[0-9a-f]{2})+/gu, (bytes) => UTF8.decode(Uint8Array.from(bytes.slice(1).split('.'), fromHex)));
}

function fromHex(digits: string): number {
  return Number.parseInt(digits, 16);
}

/** What a place is made of: the channel's own part of its id, and the chat app's own ids. */
export interface PlaceParts {
  channel: string;
  chat: string;
  thread?: string | undefined;
  /** Only in a group: the sender. */
  person?: string;
}

/** The place of a message: in a private chat the chat, in a group the sender in that chat and thread. */
export function placeOf(where: PlaceParts): string {
  const parts = [keyPart(where.channel), keyPart(where.chat)];
  if (where.person !== undefined) parts.push(where.thread ? keyPart(where.thread) : '', keyPart(where.person));
  else if (where.thread) parts.push(keyPart(where.thread));
  return parts.join('~');
}

/** The inverse of `placeOf`; undefined if the text is no place. */
export function readPlace(place: string): PlaceParts | undefined {
  const [channel, chat, thread, person, ...more] = place.split('~').map(readPart);
  const isEmpty = person === undefined ? thread === '' : person === '';
  if (!channel || !chat || isEmpty || more.length > 0) return undefined;
  return { channel, chat, ...(thread ? { thread } : {}), ...(person ? { person } : {}) };
}

/** Whether the place is in a thread or topic. */
export function isInThread({ place }: PlaceRef): boolean {
  const [, , thread] = place.split('~');
  return Boolean(thread);
}

/** Whether the place is somebody's in a group. */
export function isInGroup({ place }: PlaceRef): boolean {
  const [, , , person] = place.split('~');
  return person !== undefined;
}

/** The id of a tenant's channel; `own` is the part that tells it from the tenant's other channels. */
export function channelIdOf({ tenant, own }: ChannelIdParts): string {
  return `${tenant}.${own}`;
}

/** What the id of a channel is made of. */
export interface ChannelIdParts {
  tenant: string;
  own: string;
}

/** A channel's id as the administration makes it; what stands in a webhook's path may be anything of any length. */
const CHANNEL_ID = /^([a-z0-9][a-z0-9-]{0,38})\.([\w-]{1,40})$/;

/** The inverse of `channelIdOf`; undefined if the text is no id of a channel. */
export function readChannelId(id: string): ChannelIdParts | undefined {
  const [, tenant, own] = CHANNEL_ID.exec(id) ?? [];
  return tenant && own ? { tenant, own } : undefined;
}

/**
 * A channel's own part of its id, by which its places are named.
 * @throws {ConchError} `no-channel-id` if the text is no id of a channel.
 */
export function ownPart(channelId: string): string {
  const parts = readChannelId(channelId);
  if (!parts) throw new ConchError('no-channel-id', `Not an id of a channel: ${channelId}`);
  return parts.own;
}
