import type { Address } from '../../domain/events.ts';
import type { Channel } from '../../ports/chatApp.ts';
import { withoutEndSlash } from '../shared/roots.ts';
import type { Activity } from './payload.ts';
import { fields } from './settings.ts';

/** Where a reply goes in Teams. */
export interface TeamsAddress extends Address {
  /** A private chat's own conversation; its `chat` is the person. */
  channel?: string;
  /** The address of the API that the activity named. */
  serviceUrl?: string;
}

/** Where all that Microsoft lets send in Teams is reached. Anybody can have another name under trafficmanager.net. */
const GLOBAL_HOST = 'smba.trafficmanager.net';
const MICROSOFTS = '.teams.microsoft.com';

const THREAD = ';messageid=';
const PRIVATE = 'personal';

/** The bot's own id in Teams. */
export function botId(appId: string): string {
  return `28:${appId}`;
}

/**
 * Where a reply goes. The private chat with a person is named by the person, whose id leads to it; in a team's channel
 * the thread stands in the conversation's id.
 * @param message what was said or pressed there.
 */
export function addressOf(
  { conversation, serviceUrl }: Activity,
  person: string,
  message?: string | null,
): TeamsAddress {
  const { chat, thread } = splitConversation(conversation.id);
  const at = { ...(message && { message }), ...(serviceUrl && { serviceUrl }) };
  if (conversation.conversationType === PRIVATE) return { chat: person, channel: conversation.id, ...at };
  return { chat, ...(thread && { thread }), ...at, group: true };
}

/** The conversation to call Teams with; undefined for a private chat that only its person is known of. */
export function conversationOf({ chat, thread, group, channel }: TeamsAddress): string | undefined {
  if (group) return thread === undefined ? chat : `${chat}${THREAD}${thread}`;
  return channel;
}

/** A conversation's id without the thread in it, and the thread: the id of its first message. */
export function splitConversation(id: string): { chat: string; thread?: string } {
  const at = id.indexOf(THREAD);
  const thread = at > 0 ? id.slice(at + THREAD.length) : '';
  return thread ? { chat: id.slice(0, at), thread } : { chat: id };
}

/**
 * The address of the API, which each activity names, without a slash at the end. The bot's token goes there, so it is
 * only one of Microsoft's, or the channel's own.
 */
export function rootOf(channel: Channel, to: TeamsAddress): string | undefined {
  const { serviceUrl } = to;
  if (channel.apiRoot !== undefined) return withoutEndSlash(channel.apiRoot);
  if (serviceUrl === undefined) return fields.apiRoot;
  return isMicrosofts(serviceUrl) ? withoutEndSlash(serviceUrl) : undefined;
}

/** Whether an activity with this address can be answered. */
export function isAnswerable(channel: Channel, serviceUrl: string | null | undefined): boolean {
  return channel.apiRoot !== undefined || (typeof serviceUrl === 'string' && isMicrosofts(serviceUrl));
}

function isMicrosofts(address: string): boolean {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' || url.port || url.username || url.password) return false;
  return url.hostname === GLOBAL_HOST || url.hostname.endsWith(MICROSOFTS);
}
