import * as z from 'zod/mini';

/** The parts of Slack's payloads that Conch uses. Loose: fields that it does not know are passed over. */

const text = z.optional(z.string());
const id = z.string().check(z.regex(/^[A-Z0-9]{1,40}$/));
/** A time in seconds that is the message's name in its channel. */
const ts = z.string().check(z.regex(/^\d{1,12}\.\d{1,9}$/));

const fileSchema = z.looseObject({ id: z.string(), name: text, mimetype: text, size: z.optional(z.number()) });
export type SlackFile = z.infer<typeof fileSchema>;

const attachmentSchema = z.looseObject({ is_share: z.optional(z.boolean()), author_name: text, text, fallback: text });
export type SlackAttachment = z.infer<typeof attachmentSchema>;

export const messageSchema = z.looseObject({
  type: z.enum(['message', 'app_mention']),
  subtype: text,
  hidden: z.optional(z.boolean()),
  channel: id,
  channel_type: text,
  user: z.optional(id),
  bot_id: text,
  app_id: text,
  text,
  ts,
  thread_ts: z.optional(ts),
  parent_user_id: text,
  edited: z.optional(z.unknown()),
  files: z.optional(z.array(fileSchema)),
  attachments: z.optional(z.array(attachmentSchema)),
});
export type SlackMessage = z.infer<typeof messageSchema>;

/** Somebody joined or left a channel. */
export const memberSchema = z.looseObject({ type: z.string(), user: id, channel: id });

/** Ids of the users whose tokens are over. */
export const revokedSchema = z.looseObject({ tokens: z.looseObject({ bot: z.array(z.unknown()) }) });

/** `authorizations` names the workspace that the event is for: in a shared channel `team_id` may be another one. */
export const envelopeSchema = z.looseObject({
  type: z.string(),
  challenge: text,
  team_id: text,
  enterprise_id: z.nullish(z.string()),
  api_app_id: text,
  event_id: text,
  authorizations: z.optional(
    z.nullable(z.array(z.looseObject({ team_id: z.nullish(z.string()), enterprise_id: z.nullish(z.string()) }))),
  ),
  event: z.optional(z.looseObject({ type: z.string() })),
});
export type SlackEnvelope = z.infer<typeof envelopeSchema>;

/** What a command and a press say of where they come from. */
export const originSchema = z.looseObject({
  team_id: text,
  enterprise_id: text,
  team: z.nullish(z.looseObject({ id: text })),
  enterprise: z.nullish(z.looseObject({ id: text })),
});

export const commandSchema = z.looseObject({
  command: z.string(),
  text,
  team_id: id,
  channel_id: id,
  channel_name: text,
  user_id: id,
  user_name: text,
  api_app_id: text,
  trigger_id: z.string().check(z.minLength(1), z.maxLength(200)),
  response_url: text,
});

const actionSchema = z.looseObject({ action_id: text, block_id: text, value: text, action_ts: text });

export const pressSchema = z.looseObject({
  type: z.literal('block_actions'),
  api_app_id: text,
  team: z.optional(z.nullable(z.looseObject({ id: text }))),
  user: z.looseObject({ id, username: text, name: text }),
  response_url: text,
  container: z.looseObject({
    message_ts: z.optional(ts),
    channel_id: z.optional(id),
    thread_ts: z.optional(ts),
    is_ephemeral: z.optional(z.boolean()),
  }),
  message: z.optional(z.looseObject({ text, blocks: z.optional(z.array(z.looseObject({ type: z.string() }))) })),
  actions: z.array(actionSchema).check(z.minLength(1)),
});
export type SlackPress = z.infer<typeof pressSchema>;
