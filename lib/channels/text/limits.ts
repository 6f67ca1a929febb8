import { DAY_MS, MINUTE_MS } from '../../domain/limits.ts';
import type { Limits } from '../../ports/chatApp.ts';

/** The text app is Conch's own: its clients read Markdown and have no buttons. */
export const limits: Limits = {
  textLimit: 100_000,
  buttonLimit: 9,
  hasButtons: false,
  canEdit: false,
  deliversMessages: true,
  minEditIntervalMs: { private: 1_000, group: 1_000 },
  menuless: true,
  commandPrefix: '/',
};

/** Longest incoming message, in UTF-16 units, and longest name of a chat, a person or a message. */
export const INCOMING_TEXT_LIMIT = 100_000;
export const INCOMING_NAME_LIMIT = 200;
/**
 * How much a chat takes in the table's keys, in a group with the person, in bytes: with the channel and what stands
 * between it stays under the 1,024 that a sort key may have.
 */
export const KEY_LIMIT_BYTES = 920;
/** How far a message's own time may be ahead of ours: as far as clocks differ. */
export const AHEAD_LIMIT_MS = 5 * MINUTE_MS;
/** How long after its first delivery a message without a time of its own is still known as the same one. */
export const KNOWN_AGAIN_MS = DAY_MS;
export const SECRET_MIN_CHARS = 16;
