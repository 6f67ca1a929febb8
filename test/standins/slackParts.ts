import type { Params } from './slackRules.ts';

/** What the stand-in of Slack keeps and answers. */

/** A call as it came, whether it was taken or not. */
export interface Call {
  /** A method of the Web API; `response_url`, `upload`. */
  method: string;
  params: Params;
  /** The error that it was refused with; undefined if it was taken. */
  error?: string;
}

export interface Message {
  /** The workspace. */
  team: string;
  channel: string;
  ts: string;
  thread?: string;
  text: string;
  blocks?: unknown;
  /** Every words that it has shown, oldest first. */
  history: string[];
  /** Shown to this person alone. */
  onlyFor?: string;
}

export interface File {
  channel: string;
  thread?: string;
  name: string;
  bytes: Uint8Array;
}

/** How a call fails. `effect`: whether it takes effect all the same. */
export type Failure =
  | { kind: 'error'; error: string; status?: number; retryAfterS?: number }
  | { kind: 'hang' | 'reset'; effect: boolean };

export const tooMany = (retryAfterS: number): Failure => ({
  kind: 'error',
  error: 'ratelimited',
  status: 429,
  retryAfterS,
});

/** Thrown for what Slack refuses. */
export class Refusal {
  readonly error: string;
  constructor(error: string) {
    this.error = error;
  }
}

/** Refuses if there is an error. */
export function refuse(error: string | undefined): void {
  if (error !== undefined) throw new Refusal(error);
}

const MESSAGE = ['channel', 'text', 'blocks', 'parse'];

/** Parameters that each known method takes. */
export const METHODS: Record<string, string[]> = {
  'auth.test': [],
  'oauth.v2.access': ['client_id', 'client_secret', 'code', 'redirect_uri', 'grant_type', 'refresh_token'],
  'chat.postMessage': [...MESSAGE, 'thread_ts', 'unfurl_links', 'unfurl_media'],
  'chat.postEphemeral': [...MESSAGE, 'thread_ts', 'user'],
  'chat.update': [...MESSAGE, 'ts'],
  'assistant.threads.setStatus': ['channel_id', 'thread_ts', 'status'],
  'conversations.open': ['users'],
  'files.getUploadURLExternal': ['filename', 'length'],
  'files.completeUploadExternal': ['files', 'channel_id', 'thread_ts'],
};

/** Methods that take no JSON. */
export const FORM_ONLY = new Set(['files.getUploadURLExternal', 'oauth.v2.access']);

export function paramsOf(body: Buffer, isForm: boolean): Params {
  if (isForm) return Object.fromEntries(new URLSearchParams(body.toString()));
  try {
    return JSON.parse(body.toString() || '{}') as Params;
  } catch {
    return {};
  }
}
