import { keyPart } from '../../domain/place.ts';
import type { Channel, Incoming } from '../../ports/chatApp.ts';
import { beginsWithSlash, readAddressing, withoutAddress } from '../shared/addressing.ts';
import { faultOf } from '../shared/faults.ts';
import { jsonOf } from '../shared/json.ts';
import { shaped } from '../shared/shape.ts';
import { ignored, malformed } from '../shared/unread.ts';
import { AHEAD_LIMIT_MS, KEY_LIMIT_BYTES, KNOWN_AGAIN_MS } from './limits.ts';
import { messageShape, nameShape, type TextMessage } from './payload.ts';

/** Name of the bot in groups, unless the channel's record has another. */
const BOT_NAME = 'conch';

/** Reads one message. If it has no time of its own, `now` (ms) stands for it. Never throws. */
export function read(body: Uint8Array, channel: Channel, now: number): Incoming[] {
  const parsed = shaped(messageShape, jsonOf(body));
  if (!parsed.ok) return [malformed(faultOf(parsed.paths, 'is missing, too long or has the wrong type'))];
  const fault = faultIn(parsed.value, now);
  return [fault === undefined ? readMessage(parsed.value, channel, now) : malformed(fault)];
}

function readMessage(message: TextMessage, channel: Channel, now: number): Incoming {
  const { id, chat, person, name, at, text, group, mentioned } = message;
  const words = readAddressing(text, channel.bot?.username ?? BOT_NAME);
  if (words.kind === 'other-bot') return ignored('a command for another bot');
  return {
    kind: 'message',
    key: `m:${keyPart(chat)}:${keyPart(id)}`,
    update: id,
    sentAt: Math.min(at ?? now, now),
    ...(at === undefined ? { notBefore: now - KNOWN_AGAIN_MS } : {}),
    person: name === undefined ? { id: person } : { id: person, name },
    to: { chat, message: id, ...(group && { group: true }) },
    content: { text: withoutAddress(text, words) },
    typed: words.typed,
    addressed: !group || mentioned === true || words.mentioned || words.namesUs,
    // A command that the client says is for the bot names it; a bot has no name of its own here to be written.
    namesUs: words.namesUs || (mentioned === true && beginsWithSlash(words.typed)),
  };
}

/** What is wrong with a message of the right shape, in words for who wrote the client; undefined if nothing is. */
function faultIn(message: TextMessage, now: number): string | undefined {
  const long = tooLong(message);
  if (long !== undefined) return long;
  if (message.at !== undefined && message.at > now + AHEAD_LIMIT_MS) return 'at is in the future';
  return message.text.trim() === '' ? 'text is blank' : undefined;
}

function tooLong({ chat, person, group }: TextMessage): string | undefined {
  const why =
    'is too long: a character that is no Latin letter, digit, "-" or "_" counts up to five for each of its bytes';
  if (keyBytes(chat) > KEY_LIMIT_BYTES) return `chat ${why}`;
  if (keyBytes(person) > KEY_LIMIT_BYTES) return `person ${why}`;
  return group && keyBytes(chat, person) > KEY_LIMIT_BYTES ? `chat and person together ${why}` : undefined;
}

/** What names take in a key: a place is made of parts, and is itself a part. */
function keyBytes(...names: string[]): number {
  return names.reduce((sum, one) => sum + keyPart(keyPart(one)).length, 0);
}

/** Whether a chat can have this name. */
export function isChatName(chat: string): boolean {
  return shaped(nameShape, chat).ok && keyBytes(chat) <= KEY_LIMIT_BYTES;
}
