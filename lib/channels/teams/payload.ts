import type { Person } from '../../domain/events.ts';
import type { Channel } from '../../ports/chatApp.ts';
import { anything, array, type Fitting, matching, nullish, object, optional, string } from '../shared/shape.ts';

/** The parts of Bot Framework's activities that Conch uses. */

const text = nullish(string);
/** Ids stand in keys and addresses. */
const id = matching(/^.{1,500}$/s);

const accountShape = object({ id, name: text, role: text });

const conversationShape = object({ id, conversationType: text, tenantId: text });

const attachmentShape = object({ contentType: text, name: text, contentUrl: text, content: optional(anything) });
export type TeamsAttachment = Fitting<typeof attachmentShape>;

const entityShape = object({ type: string });

/** `mentioned` is the person or bot that `text` stands for in the message's text. */
export const mentionShape = object({
  type: matching(/^mention$/),
  mentioned: object({ id: string, name: text }),
  text: matching(/^<at\b.{1,500}$/is),
});
export type TeamsMention = Fitting<typeof mentionShape>;

export const quotedReplyShape = object({
  type: matching(/^quotedReply$/),
  quotedReply: object({ messageId: text, senderId: text, senderName: text, preview: text }),
});
export type TeamsQuote = Fitting<typeof quotedReplyShape>['quotedReply'];

export const activityShape = object({
  type: string,
  /** Of an invoke: what is asked for. */
  name: text,
  /** Of an installation: `add`, `remove`. */
  action: text,
  id: nullish(id),
  timestamp: text,
  serviceUrl: text,
  channelId: text,
  from: nullish(accountShape),
  recipient: nullish(accountShape),
  conversation: conversationShape,
  replyToId: nullish(id),
  text,
  textFormat: text,
  attachments: nullish(array(attachmentShape)),
  entities: nullish(array(entityShape)),
  value: optional(anything),
  membersAdded: nullish(array(accountShape)),
  membersRemoved: nullish(array(accountShape)),
  channelData: nullish(object({ tenant: nullish(object({ id: text })) })),
});
export type Activity = Fitting<typeof activityShape>;

/** What a pressed button brings back; `shown` are the card's words, from the field of the card that nobody sees. */
export const pressDataShape = object({ press: text, shown: text });

/** Of an invoke by `Action.Execute`. */
export const executeShape = object({ action: object({ data: pressDataShape }) });

/** A file that a person sent in a private chat. Its address opens it to everybody, so it is not kept. */
export const fileInfoShape = object({ uniqueId: text });

/** What the check of a request looks at. */
export const claimedShape = object({ serviceUrl: string, channelId: string });

/** An activity of a person in an organisation that the channel answers. */
export interface Done {
  activity: Activity;
  channel: Channel;
  person: Person;
  /** When it was done, ms. */
  sentAt: number;
}
