import type { Limits } from '../../ports/chatApp.ts';

/** Telegram's limits. `textLimit`: in code points. At most 20 edits a minute go through in a group. */
export const limits: Limits = {
  textLimit: 4096,
  buttonLimit: 8,
  hasButtons: true,
  canEdit: true,
  deliversMessages: true,
  minEditIntervalMs: { private: 1_000, group: 3_000 },
  commandPrefix: '/',
  hyphen: '_',
};

/** Entities beyond this number have no effect. */
export const ENTITY_LIMIT = 100;
export const CALLBACK_DATA_LIMIT_BYTES = 64;
export const PRESS_ANSWER_LIMIT_CHARS = 200;
export const MENU_LIMIT = 100;
export const MENU_DESCRIPTION_LIMIT_CHARS = 256;
