import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { jsonIn } from '../../domain/json.ts';
import { Pool } from '../../http/pool.ts';
import { isUnsent } from '../../http/unsent.ts';

/**
 * How a request went: `answer` is any HTTP answer; `unreached` surely did not arrive; `unknown` may have arrived
 * (SPEC 13.6). `reason` never holds the address, which may contain a secret, nor the error's own message.
 */
export type HttpOutcome =
  | { kind: 'answer'; status: number; body: unknown; retryAfterMs?: number; headers: IncomingHttpHeaders }
  | { kind: 'unreached'; reason: string }
  | { kind: 'unknown'; reason: string };

/** Posts a form with files, as `multipart/form-data`; otherwise as `postText`. */
export async function postForm(
  url: string,
  form: FormData,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<HttpOutcome> {
  const encoded = new Response(form);
  const type = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return post(url, Buffer.from(await encoded.arrayBuffer()), { ...type, ...headers }, signal);
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
  return post(url, Buffer.from(body), { 'content-type': 'application/json', ...headers }, signal);
}

/** Posts bytes; otherwise as `postText`. */
export function postBytes(url: string, bytes: Uint8Array, type: string, signal: AbortSignal): Promise<HttpOutcome> {
  return post(url, Buffer.from(bytes), { 'content-type': type }, signal);
}

function post(url: string, body: Buffer, headers: Record<string, string>, signal: AbortSignal): Promise<HttpOutcome> {
  return request(url, { method: 'POST', headers, body, signal });
}

/** A request of any method, with or without a body. */
export interface HttpRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  signal: AbortSignal;
}

/** Makes a request; otherwise as `postText`. */
export async function request(url: string, wanted: HttpRequest): Promise<HttpOutcome> {
  try {
    const response = await responseTo(new URL(url), wanted);
    const retryAfterMs = retryAfter(response.headers['retry-after']);
    const text = await textOf(response);
    const { headers, statusCode: status = 0 } = response;
    const answer = { kind: 'answer', status, body: jsonIn(text), headers } as const;
    return retryAfterMs === undefined ? answer : { ...answer, retryAfterMs };
  } catch (error) {
    return failureOf(error);
  }
}

const plain = new Pool('http:');
const secure = new Pool('https:');

function responseTo(url: URL, { method, headers: more, body, signal }: HttpRequest): Promise<IncomingMessage> {
  const pool = url.protocol === 'https:' ? secure : plain;
  const headers = { ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }), ...more };
  return new Promise((resolve, reject) => {
    const request = pool.request({ ...urlToHttpOptions(url), method, headers, signal });
    request.on('response', resolve).on('error', reject).end(body);
  });
}

/** An answer that is longer is read no further. */
const ANSWER_LIMIT_CHARS = 1_000_000;

/** The whole answer; fails if the connection ends before it is complete, or if it is too long. */
async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    // To leave the loop destroys the connection.
    if (text.length > ANSWER_LIMIT_CHARS) throw Object.assign(new Error('Too long'), { code: 'ANSWER_TOO_LONG' });
  }
  return text;
}

function retryAfter(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function failureOf(error: unknown): HttpOutcome {
  const code = codeOf(error) ?? 'network';
  return { kind: isUnsent(code) ? 'unreached' : 'unknown', reason: code };
}

/** The code of an error or of what caused it, if it reads like one. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout';
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code)) return code;
  return codeOf(error.cause);
}
