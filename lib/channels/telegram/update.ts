import * as z from 'zod/mini';

/** The parts of Telegram's `Update` that Conch uses. Loose: fields that it does not know are passed over. */

const id = z.int();
const text = z.optional(z.string());

const userSchema = z.looseObject({ id, is_bot: z.boolean(), first_name: text, last_name: text, username: text });
export type TelegramUser = z.infer<typeof userSchema>;

const chatSchema = z.looseObject({ id, type: z.string(), title: text });

const entitySchema = z.looseObject({ type: z.string(), offset: id, length: id, user: z.optional(userSchema) });
export type TelegramEntity = z.infer<typeof entitySchema>;

const fileSchema = z.looseObject({ file_id: z.string(), file_name: text, mime_type: text, file_size: z.optional(id) });
export type TelegramFile = z.infer<typeof fileSchema>;
const file = z.optional(fileSchema);

const originSchema = z.looseObject({
  type: z.string(),
  sender_user: z.optional(userSchema),
  sender_user_name: text,
  sender_chat: z.optional(chatSchema),
  chat: z.optional(chatSchema),
});
export type TelegramOrigin = z.infer<typeof originSchema>;

const repliedSchema = z.looseObject({
  from: z.optional(userSchema),
  sender_chat: z.optional(chatSchema),
  text,
  caption: text,
  forum_topic_created: z.optional(z.unknown()),
});

const messageSchema = z.looseObject({
  message_id: id,
  message_thread_id: z.optional(id),
  is_topic_message: z.optional(z.boolean()),
  date: id,
  chat: chatSchema,
  from: z.optional(userSchema),
  sender_chat: z.optional(chatSchema),
  via_bot: z.optional(userSchema),
  is_automatic_forward: z.optional(z.boolean()),
  forward_origin: z.optional(originSchema),
  ephemeral_message_id: z.optional(id),
  receiver_user: z.optional(userSchema),
  reply_to_message: z.optional(repliedSchema),
  external_reply: z.optional(z.looseObject({ origin: z.optional(originSchema) })),
  quote: z.optional(z.looseObject({ text: z.string(), is_manual: z.optional(z.boolean()) })),
  text,
  entities: z.optional(z.array(entitySchema)),
  caption: text,
  caption_entities: z.optional(z.array(entitySchema)),
  photo: z.optional(z.array(fileSchema)),
  document: file,
  audio: file,
  voice: file,
  video: file,
  video_note: file,
  animation: file,
  sticker: file,
  migrate_to_chat_id: z.optional(id),
});
export type TelegramMessage = z.infer<typeof messageSchema>;

const callbackQuerySchema = z.looseObject({
  id: z.string().check(z.minLength(1)),
  from: userSchema,
  data: text,
  message: z.optional(
    z.looseObject({
      message_id: id,
      ephemeral_message_id: z.optional(id),
      message_thread_id: z.optional(id),
      is_topic_message: z.optional(z.boolean()),
      chat: chatSchema,
    }),
  ),
});
export type TelegramCallbackQuery = z.infer<typeof callbackQuerySchema>;

const membershipSchema = z.looseObject({
  chat: chatSchema,
  new_chat_member: z.looseObject({ status: z.string(), is_member: z.optional(z.boolean()) }),
});
export type TelegramMembership = z.infer<typeof membershipSchema>;

export const updateSchema = z.looseObject({
  update_id: id,
  message: z.optional(messageSchema),
  callback_query: z.optional(callbackQuerySchema),
  my_chat_member: z.optional(membershipSchema),
});

/** The kinds of update that are read, for `setWebhook`. */
export const ALLOWED_UPDATES = ['message', 'callback_query', 'my_chat_member'] as const;
