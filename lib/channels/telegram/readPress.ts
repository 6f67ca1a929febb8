import type { Incoming } from '../../ports/chatApp.ts';
import { ignored } from '../shared/ignored.ts';
import { pressedChoice } from '../shared/press.ts';
import { addressOf, isNobody, personOf } from './address.ts';
import type { TelegramCallbackQuery } from './payload.ts';

/** A press. What is not our data still has to be answered, or the button keeps spinning: it names no action. */
export function readPress(query: TelegramCallbackQuery, update: string, now: number): Incoming {
  const { from, message } = query;
  if (from.is_bot || isNobody(from)) return ignored('a press by nobody in particular');
  if (!message) return ignored('a press without a message');
  return {
    kind: 'press',
    key: `u:${update}`,
    update,
    sentAt: now,
    person: personOf(from),
    to: { ...addressOf(message), press: query.id },
    ...pressedChoice(query.data),
    pressId: query.id,
  };
}
