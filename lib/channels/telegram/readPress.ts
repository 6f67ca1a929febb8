import type { Incoming } from '../../ports/chatApp.ts';
import { pressedChoice } from '../shared/press.ts';
import { ignored } from '../shared/unread.ts';
import { addressOf, isNobody, personOf, type TelegramAddress } from './address.ts';
import type { TelegramCallbackQuery } from './payload.ts';

/** A press. What is not our data still has to be answered, or the button keeps spinning: it names no action. @param now time in ms. */
export function readPress(query: TelegramCallbackQuery, update: string, now: number): Incoming {
  const { from, message } = query;
  if (from.is_bot || isNobody(from)) return ignored('a press by nobody in particular');
  if (!message) return ignored('a press without a message');
  const to: TelegramAddress = { ...addressOf(message), press: query.id };
  return {
    kind: 'press',
    update,
    sentAt: now,
    person: personOf(from),
    to,
    ...pressedChoice(query.data),
    pressId: query.id,
  };
}
