import type { Incoming } from '../../ports/chatApp.ts';
import { pressedChoice } from '../shared/press.ts';
import { shaped } from '../shared/shape.ts';
import { ignored } from '../shared/unread.ts';
import { addressOf } from './address.ts';
import { type Activity, type Done, executeShape, pressDataShape } from './payload.ts';

const CARD_ACTION = 'adaptiveCard/action';

/** Of the name of a press that has none. */
const UPDATE_LIMIT_CHARS = 500;

/** Where a press came from: only an invoke is answered in the HTTP response. */
export type Origin = 'invoke' | 'message';

/** Whether a message is a press of a button in an older client: it has no words, but a value. */
export function isSubmit({ text, value, replyToId }: Activity): boolean {
  return !text && typeof value === 'object' && value !== null && Boolean(replyToId);
}

export function readSubmit(done: Done): Incoming {
  const parsed = shaped(pressDataShape, done.activity.value);
  return pressOf(done, parsed.ok ? parsed.value : {}, 'message');
}

/** A press of `Action.Execute`. What is not our value still gets an answer: it names no action. */
export function readInvoke(done: Done): Incoming {
  const { name, value } = done.activity;
  if (name !== CARD_ACTION) return ignored('a request that is not read');
  const parsed = shaped(executeShape, value);
  return pressOf(done, parsed.ok ? parsed.value.action.data : {}, 'invoke');
}

/** A press that Teams posts again keeps its id; without one, the card and the value name it. */
function pressOf(
  { activity, person, sentAt }: Done,
  { press, shown }: { press?: string | null | undefined; shown?: string | null | undefined },
  origin: Origin,
): Incoming {
  const { id, replyToId, value } = activity;
  const update = id ?? `${replyToId ?? ''}:${JSON.stringify(value ?? null)}`.slice(0, UPDATE_LIMIT_CHARS);
  return {
    kind: 'press',
    ...{ update, sentAt, person, to: addressOf(activity, person.id, replyToId) },
    ...pressedChoice(press),
    pressId: origin,
    ...(shown && { message: { words: shown } }),
  };
}
