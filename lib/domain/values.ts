import * as z from 'zod/mini';

/** What several types of event hold. Objects are loose: a field from a newer version is kept and passed over (SPEC 2.5). */

/** An event's number, or 0 for none. */
export const seq = z.int().check(z.nonnegative());
export const ms = z.number().check(z.nonnegative());

/** Who wrote or pressed: the chat app's own user id, and the name to show. */
export const personSchema = z.looseObject({ id: z.string().check(z.minLength(1)), name: z.optional(z.string()) });
export type Person = z.infer<typeof personSchema>;

/**
 * Where an answer goes (SPEC 13.7): the chat, the thread or topic in it, and the message that is answered. Ids are the
 * chat app's own, as strings. An app keeps more in it, which its `address.ts` declares and nobody else reads.
 */
export interface Address {
  chat: string;
  thread?: string | undefined;
  message?: string | undefined;
  /** Other people read along. */
  group?: boolean | undefined;
  /** The app shows the person that a reply follows, and keeps its place. */
  deferred?: boolean | undefined;
}

/** Whatever an app keeps in an address stays in it. */
export const addressSchema: z.ZodMiniType<Address, Address> = z.looseObject({
  chat: z.string().check(z.minLength(1)),
  thread: z.optional(z.string()),
  message: z.optional(z.string()),
  group: z.optional(z.boolean()),
  deferred: z.optional(z.boolean()),
});

/**
 * What makes a delivery the same one again (SPEC 2.3): `key` names the app's own message, or the action that a press
 * settles; `update` names the delivery, to tell a press that comes again from a second press; `sentAt` is the app's
 * time in milliseconds. Of a press `sentAt` is when its choices were shown, since no press of them can be in the log from
 * before, and `pressedAt` when it was made.
 */
export const deliverySchema = z.looseObject({
  key: z.string().check(z.minLength(1)),
  update: z.string(),
  sentAt: ms,
  pressedAt: z.optional(ms),
});
export type Delivery = z.infer<typeof deliverySchema>;

export const MODES = ['plan', 'ask', 'edit', 'auto', 'trust'] as const;
export type Mode = (typeof MODES)[number];
export const EFFORTS = ['low', 'medium', 'high', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** Settings of a chat; what is absent follows the tenant's defaults. `model` is `provider/model`. */
export const optionsSchema = z.looseObject({
  model: z.optional(z.string()),
  effort: z.optional(z.enum(EFFORTS)),
  fast: z.optional(z.boolean()),
  mode: z.optional(z.enum(MODES)),
});
export type ChatOptions = z.infer<typeof optionsSchema>;

/** A change of a chat's settings: null goes back to the tenant's default. */
export const optionsChangeSchema = z.looseObject({
  model: z.nullish(z.string()),
  effort: z.nullish(z.enum(EFFORTS)),
  fast: z.nullish(z.boolean()),
  mode: z.nullish(z.enum(MODES)),
});
export type OptionsChange = z.infer<typeof optionsChangeSchema>;

/** Something sent along with a message. The file stays with the app; `ref` is the app's own id of it. */
const attachmentSchema = z.looseObject({
  kind: z.enum(['image', 'audio', 'video', 'file', 'other']),
  name: z.optional(z.string()),
  mimeType: z.optional(z.string()),
  sizeBytes: z.optional(z.number()),
  ref: z.string(),
});
export type Attachment = z.infer<typeof attachmentSchema>;

/**
 * What a person sent. `text` is what the model reads; `quote` and `forwardedFrom` mark words that are not the person's
 * own (SPEC 3.3); `command` keeps what was typed when `text` was filled in from a template (SPEC 10.3).
 */
export const contentSchema = z.looseObject({
  text: z.string(),
  quote: z.optional(z.looseObject({ text: z.string(), by: z.optional(z.string()) })),
  forwardedFrom: z.optional(z.string()),
  attachments: z.optional(z.array(attachmentSchema)),
  command: z.optional(z.looseObject({ name: z.string(), display: z.string() })),
});
export type Content = z.infer<typeof contentSchema>;

/** A memory of the model: the events after `upTo` that carry `id`, plus the summary in event `summary` if there is one. */
export const memorySchema = z.looseObject({
  id: seq,
  upTo: seq,
  summary: z.optional(seq),
  /** Messages up to there that waited when it was summed up, and so are not in the summary. */
  waited: z.optional(z.array(seq)),
  messages: z.int().check(z.nonnegative()),
  /** Its newest message. */
  last: z.optional(seq),
});
export type Memory = z.infer<typeof memorySchema>;

/** How full the model's context is (SPEC 8.1); `compacted`: nothing is known since a compaction (SPEC 8.4). */
export const readingSchema = z.looseObject({
  tokens: z.number().check(z.nonnegative()),
  model: z.optional(z.string()),
  compacted: z.optional(z.literal(true)),
});
export type Reading = z.infer<typeof readingSchema>;

/** What belongs to a conversation and is put back with it (SPEC 4.11). */
export const conversationSchema = z.looseObject({
  conversation: seq,
  memory: memorySchema,
  /** Its first message, if it has one. */
  first: z.optional(seq),
  goal: z.optional(z.string()),
  /** It was in plan mode. */
  plan: z.optional(z.literal(true)),
  reading: z.optional(readingSchema),
});
export type Conversation = z.infer<typeof conversationSchema>;

export const usageSchema = z.looseObject({
  inputTokens: z.optional(z.number()),
  outputTokens: z.optional(z.number()),
  cachedTokens: z.optional(z.number()),
});
export type Usage = z.infer<typeof usageSchema>;
