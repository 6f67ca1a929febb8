import type { Address } from '../../domain/events.ts';
import type { Channel } from '../../ports/chatApp.ts';
import { openToken, sealToken } from '../shared/sealed.ts';

const RESPONSE_ORIGIN = 'https://hooks.slack.com';

/** Where something was said or pressed. */
export interface Where {
  channel: string;
  user: string;
  thread?: string | undefined;
  message?: string | undefined;
}

/**
 * Where a reply goes. The private chat with a person is named by the person, since a command that is typed in a
 * conversation of two others acts on it too; `channel` is Slack's own name of it, where it is known.
 */
export function addressOf({ channel, user, thread, message }: Where): Address {
  const at = { ...(thread !== undefined && { thread }), ...(message !== undefined && { message }) };
  return isPrivate(channel) ? { chat: user, channel, ...at } : { chat: channel, ...at, group: true };
}

export function isPrivate(channel: string): boolean {
  return channel.startsWith('D');
}

/** The channel to call Slack with: for a private chat that was not written in yet, the person does. */
export function channelOf(to: Address): string {
  return typeof to.channel === 'string' ? to.channel : to.chat;
}

/**
 * The response URL that came with a command or a press, for the log: who knows it may write as the app for half an hour.
 * Only an address of Slack's, since whoever knows a channel's signing secret could have Conch call anything.
 */
export function sealedUrl(channel: Channel, url: string | undefined): { token?: string } {
  const secret = channel.secrets.signingSecret;
  const safe = secret && safeUrl(channel, url);
  return safe ? { token: sealToken(secret, safe) } : {};
}

/** The URL of `sealedUrl`. */
export function openedUrl(channel: Channel, to: Address): string | undefined {
  const secret = channel.secrets.signingSecret;
  return secret && typeof to.token === 'string' ? safeUrl(channel, openToken(secret, to.token)) : undefined;
}

/** The address if it is Slack's, or of where the channel's API is. */
export function safeUrl(channel: Channel, url: string | undefined): string | undefined {
  const origin = url === undefined ? undefined : URL.parse(url)?.origin;
  const own = channel.apiRoot === undefined ? undefined : URL.parse(channel.apiRoot)?.origin;
  return origin !== undefined && (origin === RESPONSE_ORIGIN || origin === own) ? url : undefined;
}

/** A message of ours as one text: its channel and its time, which together name it. */
export function messageId(channel: string, ts: string): string {
  return `${channel}:${ts}`;
}

export function readMessageId(id: string): { channel: string; ts: string } {
  const [channel = '', ts = ''] = id.split(':');
  return { channel, ts };
}
