import * as z from 'zod/mini';
import type { Person } from '../../domain/events.ts';
import type { Channel } from '../../ports/chatApp.ts';

/** The parts of Bot Framework's activities that Conch uses. Loose: fields that it does not know are passed over. */

const text = z.nullish(z.string());
/** Ids stand in keys and addresses. */
const id = z.string().check(z.minLength(1), z.maxLength(500));

const accountSchema = z.looseObject({ id, name: text, role: text });

const conversationSchema = z.looseObject({ id, conversationType: text, tenantId: text });

const attachmentSchema = z.looseObject({
  contentType: text,
  name: text,
  contentUrl: text,
  content: z.optional(z.unknown()),
});
export type TeamsAttachment = z.infer<typeof attachmentSchema>;

const entitySchema = z.looseObject({ type: z.string() });

/** `mentioned` is the person or bot that `text` stands for in the message's text. */
export const mentionSchema = z.looseObject({
  type: z.literal('mention'),
  mentioned: z.looseObject({ id: z.string(), name: text }),
  text: z.string().check(z.regex(/^<at\b/i), z.maxLength(500)),
});
export type TeamsMention = z.infer<typeof mentionSchema>;

export const quotedReplySchema = z.looseObject({
  type: z.literal('quotedReply'),
  quotedReply: z.looseObject({ messageId: text, senderId: text, senderName: text, preview: text }),
});
export type TeamsQuote = z.infer<typeof quotedReplySchema>['quotedReply'];

export const activitySchema = z.looseObject({
  type: z.string(),
  /** Of an invoke: what is asked for. */
  name: text,
  /** Of an installation: `add`, `remove`. */
  action: text,
  id: z.nullish(id),
  timestamp: text,
  serviceUrl: text,
  channelId: text,
  from: z.nullish(accountSchema),
  recipient: z.nullish(accountSchema),
  conversation: conversationSchema,
  replyToId: z.nullish(id),
  text,
  textFormat: text,
  attachments: z.nullish(z.array(attachmentSchema)),
  entities: z.nullish(z.array(entitySchema)),
  value: z.optional(z.unknown()),
  membersAdded: z.nullish(z.array(accountSchema)),
  membersRemoved: z.nullish(z.array(accountSchema)),
  channelData: z.nullish(z.looseObject({ tenant: z.nullish(z.looseObject({ id: text })) })),
});
export type Activity = z.infer<typeof activitySchema>;

/** What a pressed button brings back; `shown` are the card's words, from the field of the card that nobody sees. */
export const pressDataSchema = z.looseObject({ press: text, shown: text });

/** Of an invoke by `Action.Execute`. */
export const executeSchema = z.looseObject({ action: z.looseObject({ data: pressDataSchema }) });

/** A file that a person sent in a private chat. Its address opens it to everybody, so it is not kept. */
export const fileInfoSchema = z.looseObject({ uniqueId: text, fileType: text });

/** What the check of a request looks at. */
export const claimedSchema = z.looseObject({ serviceUrl: z.string(), channelId: z.string() });

/** An activity of a person in an organisation that the channel answers. */
export interface Done {
  activity: Activity;
  channel: Channel;
  person: Person;
  /** When it was done, ms. */
  sentAt: number;
}
