import { DAY_MS } from '../domain/limits.ts';

/** A reply in a chat of the text app, which its client fetches. */
export interface TextReply {
  /** Counts from 1 without gaps in its chat. */
  seq: number;
  /** Its writer's own; names it in `edit`. */
  id: string;
  text: string;
  /** When it was written, ms. */
  at: number;
}

/** A chat of the text app: a channel's id and the client's own name of the chat. */
export interface TextChat {
  tenant: string;
  channelId: string;
  chat: string;
}

/** How long a reply can be fetched, ms: 7 days. */
export const TEXT_REPLY_LIFE_MS = 7 * DAY_MS;
/** How many of a chat's newest replies are known by their id. */
export const TEXT_REPLIES_KNOWN = 64;

/** The replies that wait in the text app's chats. */
export interface TextReplies {
  /**
   * Adds a reply behind the newest one. Of the newest `TEXT_REPLIES_KNOWN`, one with the same id is given back as it is
   * stored and nothing is added, so that a send may be repeated.
   */
  append(chat: TextChat, reply: Omit<TextReply, 'seq'>): Promise<TextReply>;
  /** Changes a reply's text; false if none of the newest `TEXT_REPLIES_KNOWN` has this id. */
  edit(chat: TextChat, id: string, text: string): Promise<boolean>;
  /** The id of the newest reply, expired or not; undefined if there was never one. Strongly consistent. */
  newest(chat: TextChat): Promise<string | undefined>;
  /** At most `limit` replies behind `seq`, ascending, without expired ones. Strongly consistent. */
  after(chat: TextChat, seq: number, limit: number): Promise<TextReply[]>;
}

/** What deletes them; no chat app needs it. */
export interface TextReplyEraser {
  /** Deletes every reply of a chat; its numbers begin again. */
  erase(chat: TextChat): Promise<void>;
}
