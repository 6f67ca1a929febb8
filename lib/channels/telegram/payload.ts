import {
  anything,
  array,
  boolean,
  type Fitting,
  integer as id,
  matching,
  object,
  optional,
  string,
} from '../shared/shape.ts';

/** The parts of Telegram's `Update` that Conch uses. */

const text = optional(string);

const user = object({ id, is_bot: boolean, first_name: text, last_name: text, username: text });
export type TelegramUser = Fitting<typeof user>;

const chat = object({ id, type: string, title: text });

const entity = object({ type: string, offset: id, length: id, user: optional(user) });
export type TelegramEntity = Fitting<typeof entity>;

const file = object({ file_id: string, file_name: text, mime_type: text, file_size: optional(id) });
export type TelegramFile = Fitting<typeof file>;

const origin = object({
  type: string,
  sender_user: optional(user),
  sender_user_name: text,
  sender_chat: optional(chat),
  chat: optional(chat),
});
export type TelegramOrigin = Fitting<typeof origin>;

const replied = object({
  from: optional(user),
  sender_chat: optional(chat),
  text,
  caption: text,
  forum_topic_created: anything,
});

const message = object({
  message_id: id,
  message_thread_id: optional(id),
  is_topic_message: optional(boolean),
  date: id,
  chat,
  from: optional(user),
  sender_chat: optional(chat),
  via_bot: optional(user),
  is_automatic_forward: optional(boolean),
  forward_origin: optional(origin),
  ephemeral_message_id: optional(id),
  receiver_user: optional(user),
  reply_to_message: optional(replied),
  external_reply: optional(object({ origin: optional(origin) })),
  quote: optional(object({ text: string, is_manual: optional(boolean) })),
  text,
  entities: optional(array(entity)),
  caption: text,
  caption_entities: optional(array(entity)),
  photo: optional(array(file)),
  document: optional(file),
  audio: optional(file),
  voice: optional(file),
  video: optional(file),
  video_note: optional(file),
  animation: optional(file),
  sticker: optional(file),
  migrate_to_chat_id: optional(id),
});
export type TelegramMessage = Fitting<typeof message>;

const pressedMessage = object({
  message_id: id,
  ephemeral_message_id: optional(id),
  message_thread_id: optional(id),
  is_topic_message: optional(boolean),
  chat,
});

const callbackQuery = object({
  id: matching(/./s),
  from: user,
  data: text,
  message: optional(pressedMessage),
});
export type TelegramCallbackQuery = Fitting<typeof callbackQuery>;

const membership = object({ chat, new_chat_member: object({ status: string, is_member: optional(boolean) }) });
export type TelegramMembership = Fitting<typeof membership>;

export const updateShape = object({
  update_id: id,
  message: optional(message),
  callback_query: optional(callbackQuery),
  my_chat_member: optional(membership),
});

/** The kinds of update that are read, for `setWebhook`. */
export const ALLOWED_UPDATES = ['message', 'callback_query', 'my_chat_member'] as const;
