import type { Channel, SendResult } from '../../ports/chatApp.ts';
import { type HttpOutcome, request } from '../shared/http.ts';
import { asObject } from '../shared/json.ts';
import { rootOf, type TeamsAddress } from './address.ts';
import { accessToken, forgetToken, type TokenOutcome } from './token.ts';

/** How one call went. `refused` is an answer of Teams, with its own code; `login`: there was no token to call with. */
export type ApiOutcome =
  | { kind: 'ok'; result: Record<string, unknown> }
  | { kind: 'refused'; status: number; code: string; retryAfterMs?: number }
  | { kind: 'login'; error: string }
  | Exclude<HttpOutcome, { kind: 'answer' }>;

/** A call. `path` begins behind the address that the activity named. */
export interface ApiCall {
  method: 'POST' | 'PUT';
  path: string;
  body: Record<string, unknown>;
}

/** How long to wait after a refusal that names no time. */
const RETRY_MS = 1_000;

/** Calls Teams as the channel's bot, with a fresh token if it does not take the one that is kept. Never throws. */
export async function callApi(
  channel: Channel,
  to: TeamsAddress,
  call: ApiCall,
  signal: AbortSignal,
): Promise<ApiOutcome> {
  const root = rootOf(channel, to);
  if (root === undefined) return { kind: 'refused', status: 403, code: 'NotMicrosofts' };
  const first = await accessToken(channel, signal);
  if (first.kind !== 'token') return withoutToken(first);
  const outcome = await callWith(first.token, root, call, signal);
  if (outcome.kind !== 'refused' || outcome.status !== 401) return outcome;
  forgetToken(channel, first.token);
  const second = await accessToken(channel, signal);
  return second.kind === 'token' ? callWith(second.token, root, call, signal) : withoutToken(second);
}

async function callWith(token: string, root: string, call: ApiCall, signal: AbortSignal): Promise<ApiOutcome> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const body = JSON.stringify(call.body);
  const outcome = await request(`${root}${call.path}`, { method: call.method, headers, body, signal });
  return outcome.kind === 'answer' ? answered(outcome) : outcome;
}

function withoutToken(outcome: Exclude<TokenOutcome, { kind: 'token' }>): ApiOutcome {
  if (outcome.kind === 'refused') return { kind: 'login', error: outcome.error };
  const { reason, retryAfterMs } = outcome;
  if (retryAfterMs === undefined) return { kind: 'unreached', reason: `no token: ${reason}` };
  return { kind: 'refused', status: 429, code: 'Login', retryAfterMs };
}

function answered({ status, body, retryAfterMs }: Extract<HttpOutcome, { kind: 'answer' }>): ApiOutcome {
  if (status >= 200 && status < 300) return { kind: 'ok', result: asObject(body) };
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const { code } = asObject(asObject(body).error);
  if (typeof code === 'string') return { kind: 'refused', status, code: codeName(code), ...wait };
  if (status === 401 || status === 429) return { kind: 'refused', status, code: 'unnamed', ...wait };
  // What is in between answered, and not Teams.
  const reason = `status ${status}`;
  return status >= 500 || status === 408 || status < 400 ? { kind: 'unknown', reason } : { kind: 'unreached', reason };
}

/** Teams' name of an error, for the log; nothing that does not look like one. */
function codeName(code: string): string {
  return /^[\w .-]{1,60}$/.test(code) ? code : 'unnamed';
}

const NO_CONVERSATION = 'ConversationNotFound';
const NO_MESSAGE = 'ActivityNotFoundInConversation';
/** Others write to the conversation at the same moment: it was not written. */
const PRECONDITION = 412;

/** Whether the same words may go out without formatting (SPEC 13.1). */
export function isFormRefused(outcome: ApiOutcome): boolean {
  return outcome.kind === 'refused' && (outcome.status === 400 || outcome.status === 413);
}

/** Whether the bot was removed or blocked, or the conversation is gone: nothing else would be taken there either. */
function isGone({ status, code }: Extract<ApiOutcome, { kind: 'refused' }>): boolean {
  return status === 403 || code === NO_CONVERSATION;
}

/** Whether the message that was to be edited is not there any more. */
export function isMissing(outcome: ApiOutcome): boolean {
  return outcome.kind === 'refused' && outcome.code === NO_MESSAGE;
}

/** What a failed call means for what was to be sent (SPEC 13.6). */
export function failedSend(outcome: Exclude<ApiOutcome, { kind: 'ok' }>): SendResult {
  if (outcome.kind === 'unknown') return outcome;
  if (outcome.kind === 'unreached') return { kind: 'refused', retryAfterMs: RETRY_MS, reason: outcome.reason };
  if (outcome.kind === 'login') return { kind: 'dead', scope: 'channel', reason: outcome.error };
  const { status, code, retryAfterMs = RETRY_MS } = outcome;
  const reason = `${status} ${code}`;
  if (status === 429 || status === PRECONDITION) return { kind: 'refused', retryAfterMs, reason };
  if (status === 401) return { kind: 'dead', scope: 'channel', reason };
  if (isGone(outcome)) return { kind: 'dead', scope: 'chat', reason };
  if (status >= 400 && status < 500 && status !== 408) return { kind: 'dead', scope: 'message', reason };
  return { kind: 'unknown', reason };
}
