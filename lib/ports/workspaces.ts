import type { Channel } from './chatApp.ts';

/** What an installation gives: who the bot is there, and its secrets, still open. */
export interface Granted {
  ok: true;
  workspace: string;
  name?: string;
  bot: Record<string, string>;
  secrets: Record<string, string>;
  /** How long the token lives from now on; absent if it does not end. */
  expiresInMs?: number;
}

/** A new token. */
export type Renewed =
  | { kind: 'renewed'; secrets: Record<string, string>; expiresInMs?: number }
  /** The app gives none any more: it has to be installed again. */
  | { kind: 'refused'; reason: string }
  /** It is not known whether it gave one: to be asked again with the same secrets. */
  | { kind: 'unknown'; reason: string };

/** What an app that may be installed in many workspaces has besides (Slack). */
export interface WorkspaceApp {
  /** Whether this channel is such an app, and not one bot in one workspace. */
  has(channel: Pick<Channel, 'settings'>): boolean;
  /**
   * The workspaces, the nearest first, whose installation a verified request is for; undefined for one that needs none,
   * such as a check of the address. Pure.
   */
  ofRequest(body: Uint8Array): readonly string[] | undefined;
  /** The workspace that a chat (`Address.chat`) lies in. Pure. */
  ofChat(chat: string): string | undefined;
  /** The app's page that asks a person whether to install it. */
  authorizeUrl(channel: Channel, to: { state: string; redirectUrl: string }): string;
  /** Exchanges the code that came back from there. */
  exchange(channel: Channel, code: string, redirectUrl: string): Promise<Granted | { ok: false; reason: string }>;
  /** Fetches a new token. @param secrets those of the installation. */
  renew(channel: Channel, secrets: Record<string, string>): Promise<Renewed>;
  /** Whether the app takes this installation's token; undefined if it does not say. */
  isAlive(installed: Channel): Promise<boolean | undefined>;
}
