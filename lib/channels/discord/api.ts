import type { Channel, SendResult } from '../../ports/chatApp.ts';
import { type HttpOutcome, postForm, request } from '../shared/http.ts';
import { asObject } from '../shared/json.ts';
import { apiRootOf } from '../shared/roots.ts';
import { fields } from './settings.ts';

/** Discord refuses clients that do not say who they are, in this form. */
const USER_AGENT = 'DiscordBot (https://conch.example, 0.1.0)';
/** Longest part of Discord's own words that is kept, for the log. */
const DESCRIPTION_LIMIT_CHARS = 200;

/** How one call went. `refused` is an answer of Discord's; `code` is its own, 0 without one. */
export type ApiOutcome =
  | { kind: 'ok'; result: Record<string, unknown> }
  | { kind: 'refused'; status: number; code: number; description: string; retryAfterMs?: number }
  | Exclude<HttpOutcome, { kind: 'answer' }>;

/** A call. `token`: the interaction's token, which stands in the path and takes the bot's place. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  path: string;
  token?: string;
  body?: unknown;
  form?: FormData;
}

/** Calls Discord's API. Never throws; no outcome holds a token. */
export async function callApi(channel: Channel, call: ApiCall, signal: AbortSignal): Promise<ApiOutcome> {
  const { method, path, token, body, form } = call;
  const { botToken } = channel.secrets;
  if (!botToken) return { kind: 'refused', status: 401, code: 0, description: 'no token is configured' };
  const root = apiRootOf(channel, fields);
  const url = `${root}${path}`;
  const headers = {
    'user-agent': USER_AGENT,
    ...(token === undefined && { authorization: `Bot ${botToken}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const text = body === undefined ? undefined : JSON.stringify(body);
  const outcome = await (form
    ? postForm(url, form, headers, signal)
    : request(url, { method, headers, body: text, signal }));
  return outcome.kind === 'answer' ? answered(outcome, [botToken, token ?? botToken]) : outcome;
}

function answered(answer: Extract<HttpOutcome, { kind: 'answer' }>, secrets: readonly string[]): ApiOutcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'ok', result: asObject(answer.body) };
  const { code, message, errors, retry_after: retryAfterS } = asObject(answer.body);
  if (typeof message !== 'string' && typeof code !== 'number') return notFromDiscord(answer);
  const words = [message, errors && JSON.stringify(errors)].filter(Boolean).join(' ');
  const told = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), words);
  const retryAfterMs = typeof retryAfterS === 'number' ? Math.ceil(retryAfterS * 1000) : answer.retryAfterMs;
  return {
    kind: 'refused',
    status,
    code: typeof code === 'number' ? code : 0,
    description: told.slice(0, DESCRIPTION_LIMIT_CHARS),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** The answer of a proxy, or of the wall in front of Discord, which says nothing about the bot. */
function notFromDiscord({ status, retryAfterMs }: Extract<HttpOutcome, { kind: 'answer' }>): ApiOutcome {
  const reason = `status ${status}, not from Discord's API`;
  if (status === 408 || status >= 500) return { kind: 'unknown', reason };
  if (status !== 429) return { kind: 'unreached', reason };
  return { kind: 'refused', status, code: 0, description: reason, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Limits with codes of their own: a channel's, an announcement's, edits of old messages. */
const WAITS = new Set([20016, 20022, 20028, 30046]);

/**
 * Refusals that are about the chat: no such channel or server, no access, no right to write, private messages closed, no
 * server in common, a thread that is archived.
 */
const CHAT_GONE = new Set([10003, 10004, 50001, 50007, 50013, 50083, 50278]);

/** What a failed call means for what was to be sent (SPEC 13.6). */
export function failedSend(outcome: Exclude<ApiOutcome, { kind: 'ok' }>): SendResult {
  if (outcome.kind === 'unknown') return outcome;
  if (outcome.kind === 'unreached') return { kind: 'refused', retryAfterMs: 1_000, reason: outcome.reason };
  const { status, code, description, retryAfterMs = 1_000 } = outcome;
  const reason = `${status} ${code} ${description}`.trim();
  if (status === 429 || WAITS.has(code)) return { kind: 'refused', retryAfterMs, reason };
  if (status === 401) return { kind: 'dead', scope: 'channel', reason };
  if (CHAT_GONE.has(code)) return { kind: 'dead', scope: 'chat', reason };
  if (status >= 400 && status < 500 && status !== 408) return { kind: 'dead', scope: 'message', reason };
  return { kind: 'unknown', reason };
}
