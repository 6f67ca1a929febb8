import type { Limits } from '../../ports/chatApp.ts';

/**
 * Slack's limits. `textLimit`: `chat.update` refuses a text over 4,000, and 3,000 is the most that any block is
 * documented to hold. `minEditIntervalMs`: `chat.update` is of tier 3, 50 calls a minute for a workspace.
 */
export const limits: Limits = {
  textLimit: 3_000,
  buttonLimit: 25,
  hasButtons: true,
  canEdit: true,
  deliversMessages: true,
  minEditIntervalMs: { private: 1_500, group: 1_500 },
  commandPrefix: '/conch ',
  threadPrefix: '!',
  menuless: true,
  emptyAnswers: true,
  answerWithinMs: 2_500,
};

/** Of one block of buttons. */
export const ACTIONS_LIMIT = 25;
export const LABEL_LIMIT_CHARS = 75;
export const VALUE_LIMIT_CHARS = 2_000;
export const URL_LIMIT_CHARS = 3_000;
/** The text of a message that an edit may have. */
export const UPDATE_TEXT_LIMIT_CHARS = 4_000;
export const PRESS_ANSWER_LIMIT_CHARS = 200;
/** Of the manifest. */
export const APP_NAME_LIMIT_CHARS = 35;
