import {
  array,
  boolean,
  type Fitting,
  integer,
  matching,
  nothing,
  nullish,
  number,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  scalar,
  string,
} from '../shared/shape.ts';

/** The parts of Discord's interactions and webhook events that Conch uses. */

const snowflake = matching(/^\d{1,20}$/);
const text = nullish(string);
const secret = matching(/^.{1,1000}$/s);

const userShape = object({ id: snowflake, username: text, global_name: text, bot: optional(boolean) });
export type DiscordUser = Fitting<typeof userShape>;

const attachmentShape = object({
  id: snowflake,
  filename: text,
  content_type: text,
  size: optional(number),
});
export type DiscordAttachment = Fitting<typeof attachmentShape>;

const words = {
  content: text,
  attachments: optional(array(attachmentShape)),
  embeds: optional(array(object({ title: text, description: text }))),
};

const messageShape = object({
  ...words,
  id: snowflake,
  flags: optional(integer),
  author: optional(userShape),
  message_snapshots: optional(array(object({ message: object(words) }))),
});
export type DiscordMessage = Fitting<typeof messageShape>;

/** An option of a command, or a sub-command, which holds options. */
export interface DiscordOption {
  name: string;
  type: number;
  value?: string | number | boolean | undefined;
  focused?: boolean | undefined;
  options?: DiscordOption[] | undefined;
}
/** An option with no more than so many levels of options in it: a shape that went as deep as a body would have no end. */
function optionShape(levels: number): Shape<DiscordOption> {
  return object({
    name: string,
    type: integer,
    value: optional(scalar),
    focused: optional(boolean),
    options: optional(array(levels > 0 ? optionShape(levels - 1) : nothing)),
  });
}

/** Levels of options: groups of sub-commands, sub-commands, and what these take. */
const OPTION_LEVELS = 3;

/** A field of a form: in a label, or in a row. */
const inputShape = object({ custom_id: text, value: text });
const fieldShape = object({
  component: optional(inputShape),
  components: optional(array(inputShape)),
});

const dataShape = object({
  name: text,
  type: optional(integer),
  options: optional(array(optionShape(OPTION_LEVELS - 1))),
  target_id: optional(snowflake),
  resolved: optional(object({ messages: optional(record(messageShape)) })),
  custom_id: text,
  values: optional(array(string)),
  components: optional(array(fieldShape)),
});

export const interactionShape = object({
  id: snowflake,
  application_id: optional(snowflake),
  type: integer,
  token: secret,
  guild_id: optional(snowflake),
  channel_id: optional(snowflake),
  channel: optional(object({ id: optional(snowflake), type: optional(integer) })),
  context: nullish(integer),
  user: optional(userShape),
  member: optional(object({ user: optional(userShape) })),
  message: optional(messageShape),
  data: optional(dataShape),
});
export type DiscordField = Fitting<typeof fieldShape>;
export type Interaction = Fitting<typeof interactionShape>;

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
export const eventShape = object({
  version: integer,
  application_id: optional(snowflake),
  type: oneOf([0, 1]),
  event: optional(
    object({
      type: string,
      data: optional(object({ user: optional(userShape), guild: optional(object({ id: snowflake })) })),
    }),
  ),
});
export type DiscordEvent = Fitting<typeof eventShape>;
