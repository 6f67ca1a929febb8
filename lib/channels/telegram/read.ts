import type { Channel, Incoming } from '../../ports/chatApp.ts';
import { faultOf } from '../shared/faults.ts';
import { jsonOf } from '../shared/json.ts';
import { shaped } from '../shared/shape.ts';
import { ignored, malformed } from '../shared/unread.ts';
import { type TelegramMembership, updateShape } from './payload.ts';
import { readMessage } from './readMessage.ts';
import { readPress } from './readPress.ts';

/** Reads one update. Unknown kinds and edits are ignored (SPEC 3.3); never throws. @param now time in ms, for a press. */
export function read(body: Uint8Array, channel: Channel, now: number): Incoming[] {
  const json = jsonOf(body);
  if (json === undefined) return [malformed('the body is no JSON')];
  const update = shaped(updateShape, json);
  if (!update.ok) return [malformed(faultOf(update.paths))];
  const { update_id, message, callback_query, my_chat_member } = update.value;
  const id = String(update_id);
  if (message) return [readMessage(message, id, channel)];
  if (callback_query) return [readPress(callback_query, id, now)];
  if (my_chat_member) return [readMembership(my_chat_member)];
  return [ignored('a kind of update that is not read')];
}

function readMembership({ chat, new_chat_member: member }: TelegramMembership): Incoming {
  const isGone =
    member.status === 'kicked' || member.status === 'left' || (member.status === 'restricted' && !member.is_member);
  return { kind: 'membership', change: isGone ? 'gone' : 'back', chat: String(chat.id) };
}
