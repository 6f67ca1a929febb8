import { boolean, type Fitting, integerFrom, object, optional, stringThat } from '../shared/shape.ts';
import { INCOMING_NAME_LIMIT, INCOMING_TEXT_LIMIT } from './limits.ts';

/** What a client of the text app posts. */

/** Of a chat, a person or a message. */
export const nameShape = stringThat((name) => name !== '' && name.length <= INCOMING_NAME_LIMIT && name.isWellFormed());

export const messageShape = object({
  /** The client's own id of the message, the same when it sends it again. */
  id: nameShape,
  chat: nameShape,
  person: nameShape,
  /** When it was sent first, in ms: the same when it is sent again. */
  at: optional(integerFrom(0)),
  /** The person's name to show. */
  name: optional(nameShape),
  text: stringThat((text) => text.length <= INCOMING_TEXT_LIMIT && text.isWellFormed()),
  group: optional(boolean),
  /** In a group: the message is meant for the bot though it does not begin with its name. */
  mentioned: optional(boolean),
});
export type TextMessage = Fitting<typeof messageShape>;
