import type { Address, Person } from '../../domain/events.ts';
import type { Channel, Incoming, IncomingMessage } from '../../ports/chatApp.ts';
import { type Addressing, readAddressing, withoutAddress, withoutBlank } from '../shared/addressing.ts';
import { faultOf } from '../shared/faults.ts';
import { ignored } from '../shared/ignored.ts';
import { jsonOf } from '../shared/json.ts';
import { readPress } from '../shared/press.ts';
import { shaped } from '../shared/shape.ts';
import { contentOf, userName } from './content.ts';
import {
  type TelegramCallbackQuery,
  type TelegramEntity,
  type TelegramMembership,
  type TelegramMessage,
  type TelegramUser,
  updateShape,
} from './update.ts';

/** Stand-ins for somebody unnamed: an anonymous admin, a channel's post, Telegram itself. Never a person. */
const NOBODY = new Set([1087968824, 136817688, 777000]);

/** Reads one update. Unknown kinds and edits are ignored (SPEC 3.3); never throws. @param now time in ms, for a press. */
export function read(body: Uint8Array, channel: Channel, now: number): Incoming[] {
  const json = jsonOf(body);
  if (json === undefined) return [{ kind: 'malformed', reason: 'the body is no JSON' }];
  const update = shaped(updateShape, json);
  if (!update.ok) {
    return [{ kind: 'malformed', reason: faultOf(update.paths) }];
  }
  const { update_id, message, callback_query, my_chat_member } = update.value;
  const id = String(update_id);
  if (message) return [readMessage(message, id, channel)];
  if (callback_query) return [readCallbackQuery(callback_query, id, now)];
  if (my_chat_member) return [readMembership(my_chat_member)];
  return [ignored('a kind of update that is not read')];
}

function readMessage(message: TelegramMessage, update: string, channel: Channel): Incoming {
  const { from } = message;
  const reason = reasonToIgnore(message, channel);
  const content = contentOf(message, channel.bot?.id);
  if (reason || !content || !from) return ignored(reason ?? 'a service message');
  const words = wordsOf(message.text, message.entities, message, channel);
  if (words.kind === 'other-bot') return ignored('a command for another bot');
  const isOwnText = message.text !== undefined && !message.forward_origin;
  const addressed = !isGroup(message.chat) || words.namesUs || isAddressed(message, channel);
  const caption = wordsOf(message.caption, message.caption_entities, message, channel);
  const text = withoutAddress(content.text, message.text === undefined ? caption : words);
  const incoming: IncomingMessage = {
    kind: 'message',
    key: messageKey(message, from),
    update,
    sentAt: message.date * 1000,
    person: personOf(from),
    to: addressOf(message),
    content: { ...content, text },
    addressed: addressed || (words.mentioned && isOwnText),
    namesUs: words.namesUs && isOwnText,
  };
  return isOwnText ? { ...incoming, typed: words.typed } : incoming;
}

/** Why nobody in particular said this to us (SPEC 3.2, 3.4); undefined for a person's own message. */
function reasonToIgnore(message: TelegramMessage, channel: Channel): string | undefined {
  const { from, chat, receiver_user: receiver } = message;
  if (message.migrate_to_chat_id !== undefined) return 'the group became a supergroup';
  if (chat.type === 'channel') return 'a channel post';
  if (message.is_automatic_forward) return 'an automatic forward of a channel post';
  if (message.sender_chat) return 'written in the name of a chat';
  if (!from || NOBODY.has(from.id)) return 'from nobody in particular';
  if (from.is_bot) return 'from a bot';
  if (message.via_bot) return 'sent by means of a bot';
  if (receiver && String(receiver.id) !== channel.bot?.id) return 'for somebody else alone';
  return undefined;
}

/** The text or caption, read for our name. Of a forward nothing is addressed to anybody. */
function wordsOf(
  text = '',
  entities: TelegramEntity[] | undefined,
  message: TelegramMessage,
  channel: Channel,
): Addressing {
  if (message.forward_origin) return { kind: 'ours', typed: text, mentioned: false, namesUs: false };
  const blankLength = text.length - withoutBlank(text).length;
  const named = entities?.find((entity) => entity.offset === blankLength && namesBot(entity, text, channel));
  return readAddressing(text, channel.bot?.username, named ? named.offset + named.length : 0);
}

/** Whether a message in a group is meant for the bot without naming it in front (SPEC 3.5). */
function isAddressed(message: TelegramMessage, channel: Channel): boolean {
  const botId = channel.bot?.id;
  if (message.ephemeral_message_id !== undefined) return true;
  const replied = message.reply_to_message;
  // In a topic every message that replies to nothing counts as a reply to the message that opened the topic.
  const repliesToUs = replied?.from !== undefined && replied.forum_topic_created === undefined;
  if (repliesToUs && botId !== undefined && String(replied.from?.id) === botId) return true;
  if (message.forward_origin) return false;
  const text = message.text ?? message.caption ?? '';
  const entities = message.entities ?? message.caption_entities ?? [];
  return entities.some((entity) => namesBot(entity, text, channel));
}

/** Whether the entity (offsets in UTF-16 units) is a mention of our bot. */
function namesBot(entity: TelegramEntity, text: string, channel: Channel): boolean {
  const { id, username } = { id: channel.bot?.id, username: channel.bot?.username };
  if (entity.type === 'text_mention') return id !== undefined && String(entity.user?.id) === id;
  if (entity.type !== 'mention' || username === undefined) return false;
  const name = text.slice(entity.offset, entity.offset + entity.length);
  return name.toLowerCase() === `@${username.toLowerCase()}`;
}

/** An ephemeral message has no message id, and its own id may be used again later. */
function messageKey(message: TelegramMessage, from: TelegramUser): string {
  const chat = message.chat.id;
  if (message.ephemeral_message_id === undefined) return `m:${chat}:${message.message_id}`;
  return `e:${chat}:${from.id}:${message.ephemeral_message_id}:${message.date}`;
}

function isGroup(chat: { type: string }): boolean {
  return chat.type !== 'private';
}

function personOf(user: TelegramUser): Person {
  const name = userName(user);
  return name === undefined ? { id: String(user.id) } : { id: String(user.id), name };
}

type Located = Pick<
  TelegramMessage,
  'chat' | 'message_id' | 'message_thread_id' | 'is_topic_message' | 'ephemeral_message_id'
>;

/**
 * Where a reply goes. Only a topic's thread counts: the General topic has none, and the thread of a plain chain of
 * replies is no topic, so that Telegram would refuse it.
 */
function addressOf(message: Located): Address {
  const ephemeral = message.ephemeral_message_id;
  const { is_topic_message: isTopic, message_thread_id: thread } = message;
  return {
    chat: String(message.chat.id),
    ...(isTopic && thread !== undefined && { thread: String(thread) }),
    ...(ephemeral === undefined ? { message: String(message.message_id) } : { ephemeral: String(ephemeral) }),
    ...(isGroup(message.chat) && { group: true }),
  };
}

/** A press. What is not our data still has to be answered, or the button keeps spinning: it names no action. */
function readCallbackQuery(query: TelegramCallbackQuery, update: string, now: number): Incoming {
  const { from, message } = query;
  if (from.is_bot || NOBODY.has(from.id)) return ignored('a press by nobody in particular');
  if (!message) return ignored('a press without a message');
  const pressed = readPress(query.data ?? '') ?? { action: '', choice: 0 };
  return {
    kind: 'press',
    key: `u:${update}`,
    update,
    sentAt: now,
    person: personOf(from),
    to: { ...addressOf(message), press: query.id },
    ...pressed,
    pressId: query.id,
  };
}

function readMembership({ chat, new_chat_member: member }: TelegramMembership): Incoming {
  const isGone =
    member.status === 'kicked' || member.status === 'left' || (member.status === 'restricted' && !member.is_member);
  return { kind: 'membership', change: isGone ? 'gone' : 'back', chat: String(chat.id) };
}
