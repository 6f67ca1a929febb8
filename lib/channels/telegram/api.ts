import type { Channel, OutgoingFile, SendResult } from '../../ports/chatApp.ts';
import { type HttpOutcome, postForm, postText } from '../shared/http.ts';
import { asObject } from '../shared/json.ts';
import { apiRootOf } from '../shared/roots.ts';
import { fields } from './settings.ts';

/** Longest part of Telegram's own words that is kept, for the log. */
const DESCRIPTION_LIMIT_CHARS = 200;

/** How one call went. `refused` is an answer of the Bot API; the others are `HttpOutcome`'s. */
export type ApiOutcome =
  | { kind: 'ok'; result: unknown }
  | { kind: 'refused'; code: number; description: string; retryAfterMs?: number; migrateTo?: string }
  | Exclude<HttpOutcome, { kind: 'answer' }>;

/** Calls a method of the Bot API, with a file in one of its parameters or without. Never throws; no outcome holds the token, which stands in the address. */
export async function callApi(
  channel: Channel,
  method: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
  file?: { field: string; file: OutgoingFile },
): Promise<ApiOutcome> {
  const root = apiRootOf(channel, fields);
  const token = channel.secrets.token;
  if (!token) return { kind: 'refused', code: 401, description: 'no token is configured' };
  const url = `${root}/bot${token}/${method}`;
  const outcome = await (file
    ? postForm(url, formOf(params, file.field, file.file), {}, signal)
    : postText(url, JSON.stringify(params), {}, signal));
  return outcome.kind === 'answer' ? answered(outcome, token) : outcome;
}

/** In a form every parameter is text; what is an object is JSON. */
function formOf(params: Record<string, unknown>, field: string, { name, mimeType, bytes }: OutgoingFile): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(params)) {
    form.set(key, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  form.set(field, new Blob([new Uint8Array(bytes)], { type: mimeType }), name);
  return form;
}

function answered(answer: Extract<HttpOutcome, { kind: 'answer' }>, token: string): ApiOutcome {
  const body = asObject(answer.body);
  if (body.ok === true) return { kind: 'ok', result: body.result };
  if (answer.status >= 200 && answer.status < 300) return { kind: 'unknown', reason: 'an answer that cannot be read' };
  if (body.ok !== false) return notFromTelegram(answer);
  const parameters = asObject(body.parameters);
  const { retry_after: retryAfterS, migrate_to_chat_id: migrateTo } = parameters;
  const retryAfterMs = typeof retryAfterS === 'number' ? retryAfterS * 1000 : answer.retryAfterMs;
  const description = String(body.description ?? '').replaceAll(token, '…');
  return {
    kind: 'refused',
    code: answer.status,
    description: description.slice(0, DESCRIPTION_LIMIT_CHARS),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(typeof migrateTo === 'number' && { migrateTo: String(migrateTo) }),
  };
}

/** A proxy's own answer says nothing about the bot: the call was passed on only if it says so. */
function notFromTelegram({ status, retryAfterMs }: Extract<HttpOutcome, { kind: 'answer' }>): ApiOutcome {
  const reason = `status ${status}, not from the Bot API`;
  if (status === 408 || status >= 500) return { kind: 'unknown', reason };
  return retryAfterMs === undefined
    ? { kind: 'unreached', reason }
    : { kind: 'refused', code: 429, description: reason, retryAfterMs };
}

/** Refusals with 400 that are about the chat or topic, and not about the message. */
const CHAT_GONE =
  /chat not found|chat was deactivated|not enough rights|have no rights|CHAT_WRITE_FORBIDDEN|thread not found|TOPIC_|PEER_ID_INVALID/i;

/** Whether the bot was blocked or removed, or may not write there: nothing else would be taken either. */
function isGone({ code, description }: Extract<ApiOutcome, { kind: 'refused' }>): boolean {
  return code === 403 || (code === 400 && CHAT_GONE.test(description));
}

/** Whether the bot was blocked or removed, or the person is no more: whatever is left out, nothing is taken there. */
export function isBlocked({ code, description }: Extract<ApiOutcome, { kind: 'refused' }>): boolean {
  return code === 403 && /blocked|kicked|deactivated|not a member|can't initiate/i.test(description);
}

/** What a failed call means for what was to be sent (SPEC 13.6). */
export function failedSend(outcome: Exclude<ApiOutcome, { kind: 'ok' }>): SendResult {
  if (outcome.kind === 'unknown') return outcome;
  if (outcome.kind === 'unreached') return { kind: 'refused', retryAfterMs: 1_000, reason: outcome.reason };
  const { code, description } = outcome;
  const reason = `${code} ${description}`.trim();
  if (code === 429 || code === 409) return { kind: 'refused', retryAfterMs: outcome.retryAfterMs ?? 1_000, reason };
  if (code === 401 || code === 404) return { kind: 'dead', scope: 'channel', reason };
  if (isGone(outcome)) return { kind: 'dead', scope: 'chat', reason };
  if (code >= 400 && code < 500 && code !== 408) return { kind: 'dead', scope: 'message', reason };
  return { kind: 'unknown', reason };
}
