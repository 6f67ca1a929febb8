import type { Channel, SendResult } from '../../ports/chatApp.ts';
import { type HttpOutcome, postText } from '../shared/http.ts';
import { asObject } from '../shared/json.ts';
import { apiRootOf } from '../shared/roots.ts';
import { fields } from './settings.ts';

/** How one call went. `refused` is an answer of Slack; the others are `HttpOutcome`'s. */
export type ApiOutcome =
  | { kind: 'ok'; result: Record<string, unknown> }
  | { kind: 'refused'; error: string; retryAfterMs?: number }
  | Exclude<HttpOutcome, { kind: 'answer' }>;

/** How long to wait after a refusal that names no time. */
const RETRY_MS = 1_000;
/** How long a workspace may be moved to an organisation, or Slack be away. */
const AWAY_MS = 30_000;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

/**
 * Calls a method of the Web API as the channel's bot. Never throws; no outcome holds the token.
 * @param params JSON, or form fields for the few methods that take nothing else.
 */
export async function callApi(
  channel: Channel,
  method: string,
  params: Record<string, unknown> | URLSearchParams,
  signal: AbortSignal,
): Promise<ApiOutcome> {
  const token = channel.secrets.botToken;
  if (!token) return { kind: 'refused', error: 'not_authed' };
  const isForm = params instanceof URLSearchParams;
  const headers = { ...(isForm ? FORM_TYPE : JSON_TYPE), authorization: `Bearer ${token}` };
  const body = isForm ? `${params}` : JSON.stringify(params);
  const outcome = await postText(`${apiRootOf(channel, fields)}/${method}`, body, headers, signal);
  return outcome.kind === 'answer' ? answered(outcome) : outcome;
}

/** Calls a method as the app itself, by secrets in the form. Never throws; no outcome holds one. */
export async function callApp(
  channel: Pick<Channel, 'apiRoot'>,
  method: string,
  form: URLSearchParams,
  signal: AbortSignal,
): Promise<ApiOutcome> {
  const outcome = await postText(`${apiRootOf(channel, fields)}/${method}`, `${form}`, FORM_TYPE, signal);
  return outcome.kind === 'answer' ? answered(outcome) : outcome;
}

/** What the bot's token may do, which comes with each answer; undefined if it does not. */
export async function grantedScopes(channel: Channel, signal: AbortSignal): Promise<string[] | undefined> {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${channel.secrets.botToken}` };
  const outcome = await postText(`${apiRootOf(channel, fields)}/auth.test`, '{}', headers, signal);
  const scopes = outcome.kind === 'answer' ? outcome.headers['x-oauth-scopes'] : undefined;
  return typeof scopes === 'string' ? scopes.split(/[,\s]+/) : undefined;
}

/** Posts to a response URL, which answers `ok` or why not. */
export async function callUrl(url: string, params: Record<string, unknown>, signal: AbortSignal): Promise<ApiOutcome> {
  const outcome = await postText(url, JSON.stringify(params), JSON_TYPE, signal);
  if (outcome.kind !== 'answer') return outcome;
  const { error } = asObject(outcome.body);
  if (outcome.status === 200 && error === undefined) return { kind: 'ok', result: {} };
  if (outcome.status >= 500 || outcome.status === 408) return { kind: 'unknown', reason: `status ${outcome.status}` };
  const reason = errorName(error ?? (outcome.status === 429 ? 'ratelimited' : 'expired_url'));
  return { kind: 'refused', error: reason, ...waitOf(outcome) };
}

function answered(answer: Extract<HttpOutcome, { kind: 'answer' }>): ApiOutcome {
  const body = asObject(answer.body);
  const { status } = answer;
  if (body.ok === true) return { kind: 'ok', result: body };
  const reason = `status ${status}`;
  if (status >= 500 || status === 408) return { kind: 'unknown', reason };
  if (status === 429) return { kind: 'refused', error: 'ratelimited', ...waitOf(answer) };
  if (typeof body.error === 'string') return { kind: 'refused', error: errorName(body.error), ...waitOf(answer) };
  // What is in between answered, and not Slack: the call was not passed on, unless it says that all went well.
  return status >= 400 ? { kind: 'unreached', reason } : { kind: 'unknown', reason };
}

function waitOf({ retryAfterMs }: { retryAfterMs?: number }): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

/** Slack's name of an error, for the log; nothing that does not look like one. */
export function errorName(error: unknown): string {
  return typeof error === 'string' && /^[a-z0-9_]{1,60}$/.test(error) ? error : 'unnamed_error';
}

const WAIT = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);
const AWAY = new Set(['service_unavailable', 'team_added_to_org']);
/** It may have happened all the same. */
const UNSURE = new Set(['internal_error', 'fatal_error', 'request_timeout']);
/** The app's installation is over, or lacks a right that only a new one gives. */
const INSTALLATION = new Set([
  ...['account_inactive', 'token_revoked', 'token_expired', 'invalid_auth', 'not_authed', 'missing_scope'],
  ...['not_allowed_token_type', 'org_login_required', 'ekm_access_denied', 'access_denied', 'team_access_not_granted'],
]);
/** The bot is not in the conversation any more, or nobody may write there. */
const CHAT_GONE = new Set([
  ...['channel_not_found', 'not_in_channel', 'is_archived', 'no_permission', 'messages_tab_disabled'],
  ...['user_not_found', 'user_disabled', 'user_not_visible', 'cannot_dm_bot', 'channel_type_not_supported'],
  ...['restricted_action', 'restricted_action_read_only_channel', 'restricted_action_non_threadable_channel'],
  ...['restricted_action_thread_only_channel', 'restricted_action_thread_locked'],
]);
/** Slack does not take the form of the message; its words alone may go. */
const FORM = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'invalid_arguments',
]);

/** Whether the same words may go out without formatting (SPEC 13.1). */
export function isFormRefused(outcome: ApiOutcome): boolean {
  return outcome.kind === 'refused' && FORM.has(outcome.error);
}

/** What a failed call means for what was to be sent (SPEC 13.6). */
export function failedSend(outcome: Exclude<ApiOutcome, { kind: 'ok' }>): SendResult {
  if (outcome.kind === 'unknown') return outcome;
  if (outcome.kind === 'unreached') return { kind: 'refused', retryAfterMs: RETRY_MS, reason: outcome.reason };
  const { error, retryAfterMs } = outcome;
  if (WAIT.has(error)) return { kind: 'refused', retryAfterMs: retryAfterMs ?? RETRY_MS, reason: error };
  if (AWAY.has(error)) return { kind: 'refused', retryAfterMs: retryAfterMs ?? AWAY_MS, reason: error };
  if (UNSURE.has(error)) return { kind: 'unknown', reason: error };
  if (INSTALLATION.has(error)) return { kind: 'dead', scope: 'channel', reason: error };
  return { kind: 'dead', scope: CHAT_GONE.has(error) ? 'chat' : 'message', reason: error };
}
