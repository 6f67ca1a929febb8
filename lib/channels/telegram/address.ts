import type { Address, Person } from '../../domain/events.ts';
import { userName } from './content.ts';
import type { TelegramMessage, TelegramUser } from './payload.ts';

/** Where a reply goes in Telegram. */
export interface TelegramAddress extends Address {
  /** Id of the message that is answered, where its person alone sees it; it has no `message` then. */
  ephemeral?: string;
  /** Id of the press that is answered: a message for its person alone has to name it. */
  press?: string;
}

/** Stand-ins for somebody unnamed: an anonymous admin, Telegram itself, a channel's post. Never a person. */
const NOBODY = new Set([1087968824, 136817688, 777000]);

type Located = Pick<
  TelegramMessage,
  'chat' | 'message_id' | 'message_thread_id' | 'is_topic_message' | 'ephemeral_message_id'
>;

/**
 * Where a reply goes. Only a topic's thread counts: the General topic has none, and the thread of a plain chain of
 * replies is no topic, so that Telegram would refuse it.
 */
export function addressOf(message: Located): TelegramAddress {
  const ephemeral = message.ephemeral_message_id;
  const { is_topic_message: isTopic, message_thread_id: thread } = message;
  return {
    chat: String(message.chat.id),
    ...(isTopic && thread !== undefined && { thread: String(thread) }),
    ...(ephemeral === undefined ? { message: String(message.message_id) } : { ephemeral: String(ephemeral) }),
    ...(isGroup(message.chat) && { group: true }),
  };
}

export function isGroup(chat: { type: string }): boolean {
  return chat.type !== 'private';
}

/** A user as Conch keeps them. */
export function personOf(user: TelegramUser): Person {
  const name = userName(user);
  return name === undefined ? { id: String(user.id) } : { id: String(user.id), name };
}

/** Whether this user stands for nobody in particular: nothing that they do is read, and nobody's record names them (SPEC 3.4). */
export function isNobody({ id }: Pick<TelegramUser, 'id'>): boolean {
  return NOBODY.has(id);
}
