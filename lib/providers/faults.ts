import { ConchError } from '../domain/errors.ts';
import { asObject, jsonIn } from '../domain/json.ts';
import type { ProviderFailure, ProviderFault } from '../ports/engine.ts';

const WORTH_A_RETRY: ReadonlySet<ProviderFault> = new Set([
  'rate-limited',
  'overloaded',
  'failing',
  'unreachable',
  'silent',
]);

/** All that is kept of what a provider or the network answered: nothing that could hold a key or somebody's words. */
interface FaultSummary {
  name: string;
  /** The HTTP status. */
  status?: number;
  /** The provider's or the system's own code of the error, such as `model_not_found` or `ECONNRESET`. */
  code?: string;
}

/**
 * Thrown by every engine for a failure of its provider (SPEC 13.5). The message and the cause are for the log: they hold
 * no key, no request and no body of an answer, so that a logger may print the whole chain (SPEC 14.2).
 */
export class ProviderError extends ConchError implements ProviderFailure {
  readonly fault: ProviderFault;
  /** What the provider asks to wait, ms. */
  readonly retryAfterMs?: number;

  constructor(fault: ProviderFault, message: string, options: { retryAfterMs?: number; cause?: FaultSummary } = {}) {
    super(`provider-${fault}`, message, { retryable: WORTH_A_RETRY.has(fault), cause: options.cause });
    this.fault = fault;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/** What a failure says about itself; `words` is its text in lower case, used to tell faults apart and then dropped. */
interface Facts extends FaultSummary {
  words: string;
  headers: Record<string, string>;
}

/**
 * The ProviderError for whatever the AI SDK threw or put into its stream: an APICallError, a plain object of a
 * provider's error event, a network error.
 * @param now ms, to read a `retry-after` that is a date.
 */
export function providerErrorOf(error: unknown, now = Date.now()): ProviderError {
  if (error instanceof ProviderError) return error;
  const facts = factsOf(error);
  const fault = faultOf(facts);
  const { name, status, code } = facts;
  const cause = { name, ...(status === undefined ? {} : { status }), ...(code === undefined ? {} : { code }) };
  const waitMs = retryAfterMs(facts, now);
  const details = [status, code].filter((detail) => detail !== undefined).join(' ') || name;
  return new ProviderError(fault, `The provider failed, ${fault} (${details})`, {
    cause,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  });
}

/** Words that tell a fault whatever the status, the more special first. */
const BY_WORDS: readonly (readonly [ProviderFault, RegExp])[] = [
  // A bare "billing" tells nothing: Gemini's and OpenAI's texts for an ordinary rate limit mention it too.
  [
    'billing',
    /insufficient_quota|credit balance|insufficient (funds|balance|credits?)|billing_(not_active|hard_limit)|payment required/,
  ],
  ['unauthorized', /invalid_api_key|api_key_invalid|api key not valid|incorrect api key|authentication_error/],
  ['refused', /content_filter|content_policy_violation|content management policy|"?invalid_prompt|usage polic/],
  [
    'unknown-model',
    /model_not_found|model .{0,80}(does not exist|not found)|model identifier is invalid|unknown model/,
  ],
];

/** No API has a code of its own for it that others share: each says it in its own words. */
const TOO_LONG = new RegExp(
  [
    'context_length_exceeded|request_too_large|string_above_max_length|exceed_context_size_error',
    'prompt is too long|input is too long|input token count|prompt exceeds max length',
    'maximum (context|prompt) length|exceeds? the maximum number of tokens',
    'exceed(s|ed)? (the )?(available )?context (limit|size|window|length)|context window',
    '(longer|greater) than the model.s context length|greater than the context length|when context the overflows',
    'exceed(s|ed)? (the )?(configured limit of \\d+|model token limit)|prompt token count of \\d+ exceeds',
    'reduce the length of the (messages|prompt|input)',
  ].join('|'),
);

const OVERLOADED = /overload|unavailable|try again later/;

function faultOf({ status, words, name, code }: Facts): ProviderFault {
  const told = BY_WORDS.find(([, pattern]) => pattern.test(words));
  if (told) return told[0];
  if (status !== undefined && status >= 400) return faultOfStatus(status, words);
  if (TOO_LONG.test(words)) return 'too-long';
  if (/rate_limit|resource_exhausted|throttling|too many requests/.test(words)) return 'rate-limited';
  if (OVERLOADED.test(words)) return 'overloaded';
  if (/server_error|api_error|internal|unexpected error|model_?stream_?error/.test(words)) return 'failing';
  return isConnection(name, code, words) ? 'unreachable' : 'bad-request';
}

function faultOfStatus(status: number, words: string): ProviderFault {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 402) return 'billing';
  if (status === 429) return 'rate-limited';
  if (status === 413 || TOO_LONG.test(words)) return 'too-long';
  if (status === 404) return 'unknown-model';
  if (status === 503 || status === 529 || (status >= 500 && OVERLOADED.test(words))) return 'overloaded';
  return status === 408 || status === 409 || status === 424 || status === 425 || status >= 500
    ? 'failing'
    : 'bad-request';
}

/** An AI_APICallError that has no failing status never got a usable answer; the other names are broken streams. */
const CONNECTION_NAMES = new Set([
  'AbortError',
  'TimeoutError',
  'AI_APICallError',
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_NoOutputGeneratedError',
  'AI_TypeValidationError',
]);

function isConnection(name: string, code: string | undefined, words: string): boolean {
  if (CONNECTION_NAMES.has(name)) return true;
  if (code !== undefined && /^(E[A-Z]{3,}|UND_ERR)/.test(code)) return true;
  return /fetch failed|terminated|socket|network|timed? ?out/.test(words);
}

function factsOf(error: unknown): Facts {
  const fields = asObject(error);
  if (fields.name === 'AI_LoadAPIKeyError') return { name: fields.name, words: 'invalid_api_key', headers: {} };
  if (fields.name === 'AI_NoSuchModelError') return { name: fields.name, words: 'model_not_found', headers: {} };
  const body = asObject(
    fields.data ?? (typeof fields.responseBody === 'string' ? jsonIn(fields.responseBody) : undefined),
  );
  const inner = asObject(body.error ?? body);
  const status = [fields.statusCode, inner.statusCode].find((value) => typeof value === 'number');
  const code = [inner.code, inner.type, inner.status, fields.code, fields.type, asObject(fields.cause).code].find(
    isCode,
  );
  return {
    name: typeof fields.name === 'string' && isCode(fields.name) ? fields.name : 'Error',
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    words: wordsOf([fields.message, fields.type, fields.code, fields.responseBody, fields.data, error]),
    headers: asObject(fields.responseHeaders) as Record<string, string>,
  };
}

/** The searched text is bounded, so that a huge error page costs nothing. */
const MAX_WORDS = 20_000;

function wordsOf(values: unknown[]): string {
  const texts = values.map((value) => {
    if (typeof value === 'string') return value;
    return value instanceof Error || value === undefined ? '' : JSON.stringify(value);
  });
  return texts.join('\n').slice(0, MAX_WORDS).toLowerCase();
}

/** Names made of letters only: no key looks like that, even if a server repeats ours in its error. */
function isCode(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 64 && /^[a-z]+([_.-][a-z]+)*$/i.test(value);
}

/** `retry-after-ms`, `retry-after` in seconds or as a date, or Gemini's `retryDelay` in the body. */
function retryAfterMs({ headers, words }: Facts, now: number): number | undefined {
  const ms = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (ms >= 0) return Math.ceil(ms);
  const after = headers['retry-after'] ?? '';
  if (/^\s*\d+(\.\d+)?\s*$/.test(after)) return Math.ceil(Number.parseFloat(after) * 1000);
  const date = Date.parse(after);
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  const delay = /retrydelay\\?"\s*:\s*\\?"(\d+(?:\.\d+)?)s/.exec(words)?.[1];
  return delay === undefined ? undefined : Math.ceil(Number.parseFloat(delay) * 1000);
}
