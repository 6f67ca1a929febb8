import type { Channel, Incoming } from '../../ports/chatApp.ts';
import { jsonOf } from '../shared/json.ts';
import { shaped } from '../shared/shape.ts';
import { ignored, malformed } from '../shared/unread.ts';
import { botId, isAnswerable, splitConversation } from './address.ts';
import { type Activity, activityShape, type Done } from './payload.ts';
import { readMessage } from './readMessage.ts';
import { isSubmit, readInvoke, readSubmit } from './readPress.ts';
import { answersTenant } from './settings.ts';

const BOT = /^28:/;

/** Reads an activity; never throws. @param now time in ms, for one that carries none. */
export function read(body: Uint8Array, channel: Channel, now: number): Incoming[] {
  const activity = shaped(activityShape, jsonOf(body));
  if (activity.ok) return [readActivity(activity.value, channel, now)];
  const paths = activity.paths.map((path) => path || 'the activity');
  return [malformed(`no activity: ${paths.join(', ').slice(0, 200)}`)];
}

function readActivity(activity: Activity, channel: Channel, now: number): Incoming {
  const foreign = foreignReason(activity, channel);
  if (foreign !== undefined) return ignored(foreign);
  if (activity.type === 'installationUpdate' || activity.type === 'conversationUpdate') return readMembership(activity);
  const { from } = activity;
  if (!from || BOT.test(from.id) || from.role === 'bot') return ignored('from a bot, or from nobody');
  const done: Done = {
    ...{ activity, channel, sentAt: timeOf(activity, now) },
    person: from.name ? { id: from.id, name: from.name } : { id: from.id },
  };
  if (activity.type === 'invoke') return readInvoke(done);
  if (activity.type !== 'message') return ignored('an edit, or a kind of activity that is not read');
  return isSubmit(activity) ? readSubmit(done) : readMessage(done);
}

/** Why an activity is not for this channel; undefined if it is. */
function foreignReason(activity: Activity, channel: Channel): string | undefined {
  const { conversation, channelData, recipient, serviceUrl } = activity;
  if (recipient?.id !== botId(channel.settings.appId ?? '')) return 'for another bot';
  const tenants = [conversation.tenantId, channelData?.tenant?.id].filter((id) => typeof id === 'string');
  const isAllowed = tenants.length > 0 && tenants.every((id) => answersTenant(channel.settings, id));
  if (!isAllowed) return 'from an organisation that is not answered here';
  return isAnswerable(channel, serviceUrl) ? undefined : 'from an address that is not Microsoft’s';
}

/** The bot was added somewhere or taken away; what becomes of other people there is not read. */
function readMembership(activity: Activity): Incoming {
  const { type, action, recipient, membersAdded, membersRemoved, conversation } = activity;
  const isUs = (members: Activity['membersAdded']) => (members ?? []).some(({ id }) => id === recipient?.id);
  const verb = type === 'installationUpdate' ? (action ?? '').split('-')[0] : undefined;
  const { chat } = splitConversation(conversation.id);
  if (verb === 'add' || isUs(membersAdded)) return { kind: 'membership', change: 'back', chat };
  if (verb === 'remove' || isUs(membersRemoved)) return { kind: 'membership', change: 'gone', chat };
  return ignored('news of a chat');
}

/** Teams' time, else the one that is in a message's id, else ours. */
function timeOf({ timestamp, id }: Activity, now: number): number {
  const stamped = Date.parse(timestamp ?? '');
  if (stamped > 0) return stamped;
  return id && /^1\d{12}$/.test(id) ? Number(id) : now;
}
