import { MINUTE_MS } from '../../domain/limits.ts';
import type { Limits } from '../../ports/chatApp.ts';

/**
 * Discord's limits. `textLimit`: the unit is not documented, UTF-16 units count no less than any other.
 * `answerWithinMs`: after 3 s Discord gives an interaction up, and with it everything that could be answered.
 */
export const limits: Limits = {
  textLimit: 2_000,
  buttonLimit: 25,
  hasButtons: true,
  canEdit: true,
  deliversMessages: false,
  minEditIntervalMs: { private: 1_000, group: 1_000 },
  commandPrefix: '/',
  emptyAnswers: true,
  answerWithinMs: 2_500,
  repliesInHttp: true,
};

export const BUTTONS_IN_A_ROW = 5;
export const BUTTON_LABEL_LIMIT_CHARS = 80;
export const CUSTOM_ID_LIMIT_CHARS = 100;

/** Of the list of commands: slash commands in all, and the fields of each. */
export const COMMAND_LIMIT = 100;
export const COMMAND_NAME_LIMIT_CHARS = 32;
export const DESCRIPTION_LIMIT_CHARS = 100;
export const CHOICE_LIMIT = 25;
export const CHOICE_LIMIT_CHARS = 100;
/** Names, descriptions and values of one command together. */
export const COMMAND_SIZE_LIMIT_CHARS = 8_000;

/** A token serves for 15 minutes; the last one is left alone. */
export const TOKEN_LIFETIME_MS = 14 * MINUTE_MS;
/** An idempotency key (`nonce`). */
export const NONCE_LIMIT_CHARS = 25;
/** A paragraph that is typed into a form. */
export const INPUT_LIMIT_CHARS = 4_000;
