import type { Channel, Incoming } from '../../ports/chatApp.ts';
import { pressedChoice } from '../shared/press.ts';
import { shaped } from '../shared/shape.ts';
import { ignored } from '../shared/unread.ts';
import { addressOf, isPrivate, messageId, personOf, safeUrl, sealedUrl } from './address.ts';
import { isForeign } from './foreign.ts';
import { pressShape, type SlackPress } from './payload.ts';
import { timeOf } from './readMessage.ts';

/** The thread that a message's buttons belong to, in their `block_id`: one for one person stands in no thread. */
const THREAD = /^t:(\d{1,12}\.\d{1,9})$/;

export function threadBlockId(thread: string): string {
  return `t:${thread}`;
}

/** A press of a button. What is not our value still gets an answer: it names no action. @param now time in ms. */
export function readPress(json: unknown, channel: Channel, now: number): Incoming {
  const parsed = shaped(pressShape, json);
  if (!parsed.ok) return ignored('an interaction that is not read');
  const press = parsed.value;
  if (isForeign(channel, press.api_app_id, press.team?.id)) {
    return ignored('of another app or workspace');
  }
  const { channel_id: where, message_ts: ts } = press.container;
  const [action] = press.actions;
  if (where === undefined || ts === undefined || !action) return ignored('a press without a message');
  const at = action.action_ts ?? '';
  const { username, name = username } = press.user;
  return {
    kind: 'press',
    update: at || String(now),
    sentAt: timeOf(at) || now,
    person: personOf(channel, press.user.id, name),
    to: pressAddress(press, channel, { where, ts }),
    ...pressedChoice(action.value),
    pressId: safeUrl(channel, press.response_url) ?? '',
    ...(press.message && { message: press.message }),
  };
}

/** A message for one person alone has an id that only its response URL leads to; its channel may not be ours. */
function pressAddress(press: SlackPress, channel: Channel, { where, ts }: { where: string; ts: string }) {
  const { is_ephemeral: isEphemeral, thread_ts: container } = press.container;
  const thread = container ?? THREAD.exec(press.actions[0]?.block_id ?? '')?.[1];
  const { channel: known, ...to } = addressOf(channel, { channel: where, user: press.user.id, thread });
  const token = isEphemeral || !isPrivate(where) ? sealedUrl(channel, press.response_url) : {};
  if (isEphemeral) return { ...to, chat: to.chat, ephemeral: messageId(where, ts), ...token };
  return { ...to, chat: to.chat, ...(known === undefined ? {} : { channel: known }), message: ts, ...token };
}
