import type { Limits } from '../../ports/chatApp.ts';

/** The text app is Conch's own: its clients read Markdown and have no buttons. */
export const limits: Limits = {
  textLimit: 100_000,
  textUnit: 'code-points',
  buttonLimit: 9,
  hasButtons: false,
  canEdit: false,
  ephemeral: false,
  deliversMessages: true,
  minEditIntervalMs: { private: 1_000, group: 1_000 },
  commandPrefix: '/',
};

/** Longest incoming message, in UTF-16 units, and longest name of a chat, a person or a message. */
export const INCOMING_TEXT_LIMIT = 100_000;
export const INCOMING_NAME_LIMIT = 200;
/** How far a request's timestamp may be from now. */
export const SIGNATURE_AGE_LIMIT_S = 300;
export const SECRET_MIN_CHARS = 16;
