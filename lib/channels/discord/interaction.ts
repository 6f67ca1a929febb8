import * as z from 'zod/mini';

/** The parts of Discord's interactions and webhook events that Conch uses. Loose: fields that it does not know are passed over. */

const snowflake = z.string().check(z.regex(/^\d{1,20}$/));
const text = z.optional(z.nullable(z.string()));
const secret = z.string().check(z.minLength(1), z.maxLength(1_000));

const userSchema = z.looseObject({ id: snowflake, username: text, global_name: text, bot: z.optional(z.boolean()) });
export type DiscordUser = z.infer<typeof userSchema>;

const attachmentSchema = z.looseObject({
  id: snowflake,
  filename: text,
  content_type: text,
  size: z.optional(z.number()),
});
export type DiscordAttachment = z.infer<typeof attachmentSchema>;

const wordsSchema = z.looseObject({
  content: text,
  attachments: z.optional(z.array(attachmentSchema)),
  embeds: z.optional(z.array(z.looseObject({ title: text, description: text }))),
});

const messageSchema = z.extend(wordsSchema, {
  id: snowflake,
  flags: z.optional(z.int()),
  author: z.optional(userSchema),
  message_snapshots: z.optional(z.array(z.looseObject({ message: wordsSchema }))),
});
export type DiscordMessage = z.infer<typeof messageSchema>;

/** An option of a command, or a sub-command, which holds options. */
export interface DiscordOption {
  name: string;
  type: number;
  value?: string | number | boolean | undefined;
  focused?: boolean | undefined;
  options?: DiscordOption[] | undefined;
}
const optionSchema: z.ZodMiniType<DiscordOption> = z.looseObject({
  name: z.string(),
  type: z.int(),
  value: z.optional(z.union([z.string(), z.number(), z.boolean()])),
  focused: z.optional(z.boolean()),
  get options() {
    return z.optional(z.array(optionSchema));
  },
});

/** A field of a form: in a label, or in a row. */
const inputSchema = z.looseObject({ custom_id: text, value: text });
const fieldSchema = z.looseObject({
  component: z.optional(inputSchema),
  components: z.optional(z.array(inputSchema)),
});

const dataSchema = z.looseObject({
  name: text,
  type: z.optional(z.int()),
  options: z.optional(z.array(optionSchema)),
  target_id: z.optional(snowflake),
  resolved: z.optional(z.looseObject({ messages: z.optional(z.record(z.string(), messageSchema)) })),
  custom_id: text,
  values: z.optional(z.array(z.string())),
  components: z.optional(z.array(fieldSchema)),
});

export const interactionSchema = z.looseObject({
  id: snowflake,
  application_id: z.optional(snowflake),
  type: z.int(),
  token: secret,
  guild_id: z.optional(snowflake),
  channel_id: z.optional(snowflake),
  channel: z.optional(z.looseObject({ id: z.optional(snowflake), type: z.optional(z.int()) })),
  context: z.optional(z.nullable(z.int())),
  user: z.optional(userSchema),
  member: z.optional(z.looseObject({ user: z.optional(userSchema) })),
  message: z.optional(messageSchema),
  data: z.optional(dataSchema),
});
export type DiscordField = z.infer<typeof fieldSchema>;
export type Interaction = z.infer<typeof interactionSchema>;

/** Kinds of interaction. */
export const PING = 1;
export const COMMAND = 2;
export const COMPONENT = 3;
export const AUTOCOMPLETE = 4;
export const FORM = 5;

/** Kinds of the HTTP answer to one. */
export const PONG = 1;
export const SHOW_MESSAGE = 4;
export const DEFER_MESSAGE = 5;
export const DEFER_UPDATE = 6;
export const UPDATE_MESSAGE = 7;
export const SUGGEST = 8;
export const SHOW_FORM = 9;

/** A webhook event, which comes signed in the same way: 0 asks whether we are there, 1 tells something. */
export const eventSchema = z.looseObject({
  version: z.int(),
  application_id: z.optional(snowflake),
  type: z.enum({ ping: 0, event: 1 }),
  event: z.optional(
    z.looseObject({
      type: z.string(),
      data: z.optional(
        z.looseObject({ user: z.optional(userSchema), guild: z.optional(z.looseObject({ id: snowflake })) }),
      ),
    }),
  ),
});
