import type { Limits } from '../../ports/chatApp.ts';

/**
 * Teams' limits. `textLimit`: a message may have about 100 KB in UTF-16, and 20,000 units are 40. `buttonLimit`: a card
 * shows no more than six actions. `minEditIntervalMs`: a bot may write 60 times in 30 s in a conversation, people's other
 * turns in it included. `answerWithinMs`: after about 15 s Teams posts an activity again, and a card says earlier that the
 * bot cannot be reached.
 */
export const limits: Limits = {
  textLimit: 20_000,
  buttonLimit: 6,
  hasButtons: true,
  canEdit: true,
  deliversMessages: true,
  minEditIntervalMs: { private: 1_500, group: 2_000 },
  commandPrefix: '/',
  emptyAnswers: true,
  answerWithinMs: 9_000,
};

/** Text in a card that has buttons: the card with its marks stays under `CARD_LIMIT_CHARS`. */
export const CARD_TEXT_LIMIT_CHARS = 4_000;
/** Of a card's JSON: 28 KB is what every way into Teams takes. */
export const CARD_LIMIT_CHARS = 12_000;
/** Version of the cards: the first that has `Action.Execute` in Teams. */
export const CARD_VERSION = '1.5';
export const LABEL_LIMIT_CHARS = 80;
/** Of what a notification shows of a card. */
export const SUMMARY_LIMIT_CHARS = 120;
export const PRESS_ANSWER_LIMIT_CHARS = 200;

/** Of the app package (manifest 1.19). */
export const COMMAND_LIMIT = 10;
export const COMMAND_TITLE_LIMIT_CHARS = 32;
export const COMMAND_DESCRIPTION_LIMIT_CHARS = 128;
export const APP_NAME_LIMIT_CHARS = 30;
