/**
 * How a request went: `answer` is any HTTP answer; `unreached` surely did not arrive; `unknown` may have arrived
 * (SPEC 13.6). `reason` never holds the address, which may contain a secret, nor the error's own message.
 */
export type HttpOutcome =
  | { kind: 'answer'; status: number; body: unknown; retryAfterMs?: number }
  | { kind: 'unreached'; reason: string }
  | { kind: 'unknown'; reason: string };

/** Failures before a byte of the request left. */
const BEFORE_SENDING = new Set([
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNREFUSED',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_INVALID_URL',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Posts a form with files, as `multipart/form-data`; otherwise as `postText`. */
export function postForm(url: string, form: FormData, signal: AbortSignal): Promise<HttpOutcome> {
  return post(url, { body: form, signal });
}

/**
 * Posts a text and reads a JSON answer (`undefined` if it is none). Follows no redirect and never throws.
 * @param signal ends the request; what was sent by then may have arrived.
 */
export function postText(
  url: string,
  body: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<HttpOutcome> {
  return post(url, { body, headers: { 'content-type': 'application/json', ...headers }, signal });
}

/** Posts bytes; otherwise as `postText`. */
export function postBytes(url: string, bytes: Uint8Array, type: string, signal: AbortSignal): Promise<HttpOutcome> {
  return post(url, { body: new Uint8Array(bytes), headers: { 'content-type': type }, signal });
}

/** Makes a request of any method, with or without a body; otherwise as `postText`. */
export async function request(url: string, init: RequestInit): Promise<HttpOutcome> {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const retryAfterMs = retryAfter(response.headers.get('retry-after'));
    const answer = { kind: 'answer', status: response.status, body: parsed(await response.text()) } as const;
    return retryAfterMs === undefined ? answer : { ...answer, retryAfterMs };
  } catch (error) {
    return failureOf(error);
  }
}

function post(url: string, init: RequestInit): Promise<HttpOutcome> {
  return request(url, { ...init, method: 'POST' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function retryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function failureOf(error: unknown): HttpOutcome {
  const code = codeOf(error) ?? 'network';
  return { kind: BEFORE_SENDING.has(code) ? 'unreached' : 'unknown', reason: code };
}

/** The code of an error or of what caused it, if it reads like one. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout';
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code)) return code;
  return codeOf(error.cause);
}
