import {
  anything,
  array,
  boolean,
  type Fitting,
  matching,
  nullish,
  number,
  object,
  oneOf,
  optional,
  string,
} from '../shared/shape.ts';

/** The parts of Slack's payloads that Conch uses. */

const text = optional(string);
const id = matching(/^[A-Z0-9]{1,40}$/);
/** A time in seconds that is the message's name in its channel. */
const ts = matching(/^\d{1,12}\.\d{1,9}$/);

const fileShape = object({ id: string, name: text, mimetype: text, size: optional(number) });
export type SlackFile = Fitting<typeof fileShape>;

const attachmentShape = object({ is_share: optional(boolean), author_name: text, text, fallback: text });
export type SlackAttachment = Fitting<typeof attachmentShape>;

export const messageShape = object({
  type: oneOf(['message', 'app_mention']),
  subtype: text,
  hidden: optional(boolean),
  channel: id,
  channel_type: text,
  user: optional(id),
  bot_id: text,
  app_id: text,
  text,
  ts,
  thread_ts: optional(ts),
  parent_user_id: text,
  edited: optional(anything),
  files: optional(array(fileShape)),
  attachments: optional(array(attachmentShape)),
});
export type SlackMessage = Fitting<typeof messageShape>;

/** Somebody joined or left a channel. */
export const memberShape = object({ type: string, user: id, channel: id });

/** Ids of the users whose tokens are over. */
export const revokedShape = object({ tokens: object({ bot: array(anything) }) });

/** `authorizations` names the workspace that the event is for: in a shared channel `team_id` may be another one. */
export const envelopeShape = object({
  type: string,
  challenge: text,
  team_id: text,
  enterprise_id: nullish(string),
  api_app_id: text,
  event_id: text,
  authorizations: nullish(array(object({ team_id: nullish(string), enterprise_id: nullish(string) }))),
  event: optional(object({ type: string })),
});
export type SlackEnvelope = Fitting<typeof envelopeShape>;

/** What a command and a press say of where they come from. */
export const originShape = object({
  team_id: text,
  enterprise_id: text,
  team: nullish(object({ id: text })),
  enterprise: nullish(object({ id: text })),
});

export const commandShape = object({
  command: string,
  text,
  team_id: id,
  channel_id: id,
  channel_name: text,
  user_id: id,
  user_name: text,
  api_app_id: text,
  trigger_id: matching(/^.{1,200}$/s),
  response_url: text,
});

const actionShape = object({ action_id: text, block_id: text, value: text, action_ts: text });

export const pressShape = object({
  type: oneOf(['block_actions']),
  api_app_id: text,
  team: nullish(object({ id: text })),
  user: object({ id, username: text, name: text }),
  response_url: text,
  container: object({
    message_ts: optional(ts),
    channel_id: optional(id),
    thread_ts: optional(ts),
    is_ephemeral: optional(boolean),
  }),
  message: optional(object({ text, blocks: optional(array(object({ type: string }))) })),
  actions: array(actionShape),
});
export type SlackPress = Fitting<typeof pressShape>;
