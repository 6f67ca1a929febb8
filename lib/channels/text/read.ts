import * as z from 'zod/mini';
import { keyPart } from '../../domain/place.ts';
import type { Channel, Incoming } from '../../ports/chatApp.ts';
import { beginsWithSlash, readAddressing, withoutAddress } from '../shared/addressing.ts';
import { faultOf } from '../shared/faults.ts';
import { ignored } from '../shared/ignored.ts';
import { jsonOf } from '../shared/json.ts';
import { AHEAD_LIMIT_MS, INCOMING_NAME_LIMIT, INCOMING_TEXT_LIMIT, KEY_LIMIT_BYTES, KNOWN_AGAIN_MS } from './limits.ts';

const text = z.string().check(
  z.maxLength(INCOMING_TEXT_LIMIT),
  z.refine((value) => value.isWellFormed()),
);
const name = text.check(z.minLength(1), z.maxLength(INCOMING_NAME_LIMIT));

const messageSchema = z.looseObject({
  /** The client's own id of the message, the same when it sends it again. */
  id: name,
  chat: name,
  person: name,
  /** When it was sent first, in ms: the same when it is sent again. */
  at: z.optional(z.int().check(z.minimum(0))),
  /** The person's name to show. */
  name: z.optional(name),
  text,
  group: z.optional(z.boolean()),
  /** In a group: the message is meant for the bot though it does not begin with its name. */
  mentioned: z.optional(z.boolean()),
});

/** What names take in a key: a place is made of parts, and is itself a part. */
function keyBytes(...names: string[]): number {
  return names.reduce((sum, one) => sum + keyPart(keyPart(one)).length, 0);
}

/** Whether a chat can have this name. */
export function isChatName(chat: string): boolean {
  return name.safeParse(chat).success && keyBytes(chat) <= KEY_LIMIT_BYTES;
}

function tooLong({ chat, person, group }: z.infer<typeof messageSchema>): string | undefined {
  const why =
    'is too long: a character that is no Latin letter, digit, "-" or "_" counts up to five for each of its bytes';
  if (keyBytes(chat) > KEY_LIMIT_BYTES) return `chat ${why}`;
  if (keyBytes(person) > KEY_LIMIT_BYTES) return `person ${why}`;
  return group && keyBytes(chat, person) > KEY_LIMIT_BYTES ? `chat and person together ${why}` : undefined;
}

const pathsOf = (issues: readonly { path: readonly PropertyKey[] }[]) => issues.map(({ path }) => path.join('.'));

/** Name of the bot in groups, unless the channel's record has another. */
const BOT_NAME = 'conch';

/** Reads one message. If it has no time of its own, `now` (ms) stands for it. Never throws. */
export function read(body: Uint8Array, channel: Channel, now: number): Incoming[] {
  const parsed = messageSchema.safeParse(jsonOf(body));
  if (!parsed.success) {
    return [
      {
        kind: 'malformed',
        reason: faultOf(pathsOf(parsed.error.issues), 'is missing, too long or has the wrong type'),
      },
    ];
  }
  const message = parsed.data;
  const { at } = message;
  const ahead = at !== undefined && at > now + AHEAD_LIMIT_MS ? 'at is in the future' : undefined;
  const reason = tooLong(message) ?? ahead;
  if (reason !== undefined) return [{ kind: 'malformed', reason }];
  if (message.text.trim() === '') return [{ kind: 'malformed', reason: 'text is blank' }];
  const words = readAddressing(message.text, channel.bot?.username ?? BOT_NAME);
  if (words.kind === 'other-bot') return [ignored('a command for another bot')];
  return [
    {
      kind: 'message',
      key: `m:${keyPart(message.chat)}:${keyPart(message.id)}`,
      update: message.id,
      sentAt: Math.min(at ?? now, now),
      ...(at === undefined ? { notBefore: now - KNOWN_AGAIN_MS } : {}),
      person: message.name === undefined ? { id: message.person } : { id: message.person, name: message.name },
      to: { chat: message.chat, message: message.id, ...(message.group && { group: true }) },
      content: { text: withoutAddress(message.text, words) },
      typed: words.typed,
      addressed: !message.group || message.mentioned === true || words.mentioned || words.namesUs,
      // A command that the client says is for the bot names it; a bot has no name of its own here to be written.
      namesUs: words.namesUs || (message.mentioned === true && beginsWithSlash(words.typed)),
    },
  ];
}
