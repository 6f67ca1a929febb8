import { direct, LUNCH } from './teamsPayloads.ts';
import type { Params } from './teamsRules.ts';

/** What the stand-in of Teams keeps and answers. */

/** A call as it came, whether it was taken or not. */
export interface Call {
  /** `login`, `keys`, `metadata`, `create`, `post`, `put`. */
  kind: string;
  conversation?: string | undefined;
  body: Params;
  status?: number;
  code?: string | undefined;
}

export interface Message {
  conversation: string;
  id: string;
  activity: Params;
  /** Every words that it has shown, oldest first. */
  history: string[];
}

/** How a call fails. `effect`: whether it takes effect all the same. */
export type Failure =
  | { kind: 'error'; status: number; code?: string; retryAfterS?: number }
  | { kind: 'hang' | 'reset'; effect: boolean };

/** What Teams answers a press with: a card in the place of the pressed one, or a text for the presser. */
export interface PressAnswer {
  status: number;
  card?: Params;
  words: string;
}

export interface Answer {
  status: number;
  body?: unknown;
  code?: string;
}

/** How the API refuses. */
export const refusal = (status: number, code: string): Answer => ({
  status,
  body: { error: { code, message: 'No.' } },
  code,
});

/** A conversation as an activity names it. */
export function conversationFields(id: string, person: string): Params {
  if (id === direct(person)) return { conversationType: 'personal', id };
  return { conversationType: id.startsWith(LUNCH) ? 'groupChat' : 'channel', isGroup: true, id };
}

/** A form's fields, or JSON. */
export function bodyOf(text: string, type: string): Params {
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  return text === '' ? {} : (JSON.parse(text) as Params);
}

/** What a request asks for. */
export function routeOf(method: string, path: string): { kind: string; conversation?: string; id?: string } {
  if (path === '/v1/.well-known/openidconfiguration') return { kind: 'metadata' };
  if (path === '/v1/.well-known/keys') return { kind: 'keys' };
  if (path.endsWith('/oauth2/v2.0/token')) return { kind: 'login' };
  if (path === '/teams/v3/conversations') return { kind: 'create' };
  const [, conversation, id] = /^\/teams\/v3\/conversations\/([^/]+)\/activities(?:\/([^/]+))?$/.exec(path) ?? [];
  if (conversation === undefined) return { kind: 'unknown' };
  if (method === 'PUT' && id !== undefined) return { kind: 'put', conversation, id };
  return { kind: method === 'POST' && id === undefined ? 'post' : 'unknown', conversation };
}
