import type { Channel, Incoming, IncomingMessage } from '../../ports/chatApp.ts';
import {
  type Addressing,
  beginsWithSlash,
  readAddressing,
  withoutAddress,
  withoutBlank,
  withoutPause,
} from '../shared/addressing.ts';
import { ignored } from '../shared/unread.ts';
import { addressOf, isGroup, isNobody, personOf } from './address.ts';
import { contentOf } from './content.ts';
import type { TelegramEntity, TelegramMessage, TelegramUser } from './payload.ts';

/** A message, from an update. @param update its id. */
export function readMessage(message: TelegramMessage, update: string, channel: Channel): Incoming {
  const { from } = message;
  const reason = reasonToIgnore(message, channel);
  const content = contentOf(message, channel.bot?.id);
  if (reason || !content || !from) return ignored(reason ?? 'a service message');
  const words = wordsOf(message.text, message.entities, message, channel);
  if (words.kind === 'other-bot') return ignored('a command for another bot');
  const isOwnText = message.text !== undefined && !message.forward_origin;
  const isTyped = isOwnText && !words.isQuoted;
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
    namesUs: words.namesUs && isTyped,
  };
  return isTyped ? { ...incoming, typed: words.typed } : incoming;
}

/** Why nobody in particular said this to us (SPEC 3.2, 3.4); undefined for a person's own message. */
function reasonToIgnore(message: TelegramMessage, channel: Channel): string | undefined {
  const { from, chat, receiver_user: receiver } = message;
  if (message.migrate_to_chat_id !== undefined) return 'the group became a supergroup';
  if (chat.type === 'channel') return 'a channel post';
  if (message.is_automatic_forward) return 'an automatic forward of a channel post';
  if (message.sender_chat) return 'written in the name of a chat';
  if (!from || isNobody(from)) return 'from nobody in particular';
  if (from.is_bot) return 'from a bot';
  if (message.via_bot) return 'sent by means of a bot';
  if (receiver && String(receiver.id) !== channel.bot?.id) return 'for somebody else alone';
  return undefined;
}

/** What stands in code or a quotation is nobody's command, whatever it looks like (SPEC 3.3, case A 13). */
const CODE_OR_QUOTATION = new Set(['code', 'pre', 'blockquote', 'expandable_blockquote']);

/** The text or caption, read for our name. Of a forward nothing is addressed to anybody. */
function wordsOf(
  text = '',
  entities: TelegramEntity[] = [],
  message: TelegramMessage,
  channel: Channel,
): Addressing & { isQuoted?: boolean } {
  if (message.forward_origin) return { kind: 'ours', typed: text, mentioned: false, namesUs: false };
  const blankLength = text.length - withoutBlank(text).length;
  const named = entities.find((entity) => entity.offset === blankLength && namesBot(entity, text, channel));
  const namedLength = named ? named.offset + named.length : 0;
  const words = readAddressing(text, channel.bot?.username, namedLength);
  const isCommand = words.kind === 'other-bot' || beginsWithSlash(words.typed);
  const slash = text.indexOf('/', namedLength);
  const isQuoted = entities.some(
    ({ type, offset, length }) => CODE_OR_QUOTATION.has(type) && offset <= slash && slash < offset + length,
  );
  if (!isCommand || !isQuoted) return words;
  const typed = withoutPause(text.slice(namedLength));
  return { kind: 'ours', typed, mentioned: namedLength > 0, namesUs: false, isQuoted };
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
  const { id, username }: Record<string, string | undefined> = channel.bot ?? {};
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
