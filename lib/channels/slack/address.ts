import type { Address, Person } from '../../domain/events.ts';
import type { Channel } from '../../ports/chatApp.ts';
import { openToken, sealToken } from '../shared/sealed.ts';

/** Where a reply goes in Slack. */
export interface SlackAddress extends Address {
  /** A private chat's own channel, where it is known; its `chat` is the person. */
  channel?: string;
  /** The response URL of a command or a press, sealed. */
  token?: string;
  /** Id of the pressed message, where its person alone sees it; it has no `message` then. */
  ephemeral?: string;
}

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
 * @param to the channel that the request was taken for, in its workspace.
 */
export function addressOf(to: Pick<Channel, 'workspace'>, { channel, user, thread, message }: Where): SlackAddress {
  const at = { ...(thread !== undefined && { thread }), ...(message !== undefined && { message }) };
  if (isPrivate(channel)) return { chat: within(to, user), channel, ...at };
  return { chat: within(to, channel), ...at, group: true };
}

/**
 * An id of Slack's as Conch keeps it. Two workspaces may have the same one, so that of an app in many workspaces it says
 * in which: `T012AB3CD:U012AB3CD`.
 */
export function within({ workspace }: Pick<Channel, 'workspace'>, id: string): string {
  return workspace === undefined ? id : `${workspace}:${id}`;
}

/** Slack's own id of `within`. */
export function ownId(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}

/** The workspace of `within`; undefined of an app in one. */
export function workspaceOf(id: string): string | undefined {
  const end = id.indexOf(':');
  return end < 0 ? undefined : id.slice(0, end);
}

/** A person as Slack names them. */
export function personOf(to: Pick<Channel, 'workspace'>, user: string, name?: string): Person {
  const id = within(to, user);
  return name === undefined ? { id } : { id, name };
}

export function isPrivate(channel: string): boolean {
  return channel.startsWith('D');
}

/** The channel to call Slack with: for a private chat that was not written in yet, the person does. */
export function channelOf(to: SlackAddress): string {
  return to.channel ?? ownId(to.chat);
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
export function openedUrl(channel: Channel, to: SlackAddress): string | undefined {
  const secret = channel.secrets.signingSecret;
  return secret && to.token !== undefined ? safeUrl(channel, openToken(secret, to.token)) : undefined;
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
