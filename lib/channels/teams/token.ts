import { createHash } from 'node:crypto';
import { BoundedMap } from '../../domain/boundedMap.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/limits.ts';
import type { Channel } from '../../ports/chatApp.ts';
import { type HttpOutcome, postText } from '../shared/http.ts';
import { asObject } from '../shared/json.ts';
import { withoutEndSlash } from '../shared/roots.ts';
import { LOGIN_ROOT } from './settings.ts';

/** A token, or why there is none. `refused`: Microsoft does not know the app, its secret or its organisation. */
export type TokenOutcome =
  | { kind: 'token'; token: string }
  | { kind: 'refused'; error: string; code?: number }
  | { kind: 'busy'; reason: string; retryAfterMs?: number };

const SCOPE = 'https://api.botframework.com/.default';
/** A token is not used in its last minutes. */
const MARGIN_MS = 5 * MINUTE_MS;
/** One that says nothing of its life has an hour. */
const LIFETIME_S = HOUR_MS / 1000;
const KEPT_LIMIT = 1_000;

const kept = new BoundedMap<string, { token: string; until: number }>(KEPT_LIMIT);
const underWay = new Map<string, Promise<TokenOutcome>>();

/** The channel's token for the API, which serves for about an hour; all that need one at once wait for the same. */
export async function accessToken(channel: Channel, signal: AbortSignal): Promise<TokenOutcome> {
  const key = keyOf(channel);
  const known = kept.get(key);
  if (known && Date.now() < known.until) return { kind: 'token', token: known.token };
  const running = underWay.get(key) ?? fetchToken(channel, key, signal).finally(() => underWay.delete(key));
  underWay.set(key, running);
  return running;
}

/** Forgets the token, if it is still this one: Teams does not take it any more. */
export function forgetToken(channel: Channel, token: string): void {
  const key = keyOf(channel);
  if (kept.get(key)?.token === token) kept.delete(key);
}

/** Asks for a token, whatever is kept. */
export async function fetchToken(channel: Channel, key: string, signal: AbortSignal): Promise<TokenOutcome> {
  const { appId = '', appTenantId = '', loginRoot = LOGIN_ROOT } = channel.settings;
  const { appPassword } = channel.secrets;
  if (!appPassword) return { kind: 'refused', error: 'no_secret' };
  const url = `${withoutEndSlash(loginRoot)}/${encodeURIComponent(appTenantId)}/oauth2/v2.0/token`;
  const asked = { grant_type: 'client_credentials', client_id: appId, client_secret: appPassword, scope: SCOPE };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const outcome = await postText(url, `${new URLSearchParams(asked)}`, headers, signal);
  const read = readOutcome(outcome);
  if ('lifetimeMs' in read) keep(key, read.token, read.lifetimeMs);
  return read;
}

/** Names the app and its secret, which may be put anew. */
export function keyOf({ settings, secrets }: Channel): string {
  const { appId, appTenantId, loginRoot } = settings;
  const what = JSON.stringify([loginRoot, appTenantId, appId, secrets.appPassword]);
  return createHash('sha256').update(what).digest('base64url');
}

function keep(key: string, token: string, lifetimeMs: number): void {
  kept.set(key, { token, until: Date.now() + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 2) });
}

function readOutcome(outcome: HttpOutcome): TokenOutcome | { kind: 'token'; token: string; lifetimeMs: number } {
  if (outcome.kind !== 'answer') return { kind: 'busy', reason: outcome.reason };
  const { status, body, retryAfterMs } = outcome;
  const { access_token: token, expires_in: lifetimeS, error, error_codes: codes } = asObject(body);
  if (status === 200 && typeof token === 'string') {
    return { kind: 'token', token, lifetimeMs: (Number(lifetimeS) || LIFETIME_S) * 1000 };
  }
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (!isRefusal || typeof error !== 'string') {
    return { kind: 'busy', reason: `status ${status}`, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  const [code] = Array.isArray(codes) ? codes : [];
  return { kind: 'refused', error: errorName(error), ...(typeof code === 'number' && { code }) };
}

/** Microsoft's name of an error, for the log; nothing that does not look like one. */
function errorName(error: string): string {
  return /^[a-z_]{1,60}$/.test(error) ? error : 'unnamed_error';
}
