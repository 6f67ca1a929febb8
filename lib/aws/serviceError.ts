import type { Item } from './calls.ts';

/** An answer as it came. */
export interface Answer {
  status: number;
  text: string;
  /** The names that the error's kind may stand under, and the service's clock. */
  headers: { 'x-amzn-errortype'?: string | undefined; date?: string | undefined };
}

interface Refusal {
  __type?: unknown;
  code?: unknown;
  message?: unknown;
  Message?: unknown;
  Item?: Item;
}

const THROTTLED = /Throttl|ThroughputExceeded|TooManyRequests|LimitExceeded|SlowDown/;
const MOMENTARY = /Timeout|TransactionInProgress/;
const SKEWED = /^(RequestTimeTooSkewed|RequestExpired|RequestInTheFuture|InvalidSignature|SignatureDoesNotMatch)/;
/** What these say repeats the request's headers, the role's token among them. */
const UNSPOKEN = /Signature|Token|Skewed/;

/** What a service refused, or a request that got no answer. It holds neither keys nor what was sent. */
export class ServiceError extends Error {
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly throttled: boolean;
  /** The item that a condition failed on, where it was asked for. */
  readonly Item: Item | undefined;
  /** When it was refused for its time or its signature: the time at the service, ms. */
  readonly serviceTime: number | undefined;

  /** @param name the exception's short name, or what ended the request. */
  constructor(name: string, message: string, facts: Partial<Omit<ServiceError, keyof Error>> & { cause?: unknown }) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = name;
    this.status = facts.status;
    this.retryable = facts.retryable ?? false;
    this.throttled = facts.throttled ?? false;
    this.Item = facts.Item;
    this.serviceTime = facts.serviceTime;
  }
}

function readRefusal(text: string): Refusal {
  try {
    return Object(JSON.parse(text)) as Refusal;
  } catch {
    return {};
  }
}

/** `com.amazonaws.dynamodb.v20120810#ResourceNotFoundException`, or with an address after a colon. */
function shortName(answer: Answer, { __type, code }: Refusal): string {
  const long = [__type, answer.headers['x-amzn-errortype'], code].find((name) => typeof name === 'string') ?? '';
  return String(long).replace(/^.*#/s, '').replace(/:.*$/s, '').slice(0, 100) || `Status${answer.status}`;
}

/** The error in an answer that is not a success. */
export function refusalOf(answer: Answer): ServiceError {
  const refusal = readRefusal(answer.text);
  const name = shortName(answer, refusal);
  const { status } = answer;
  const throttled = status === 429 || THROTTLED.test(name);
  const retryable = throttled || status >= 500 || MOMENTARY.test(name);
  const said = UNSPOKEN.test(name) ? '' : String(refusal.message ?? refusal.Message ?? '');
  const at = SKEWED.test(name) ? Date.parse(answer.headers.date ?? '') : Number.NaN;
  const serviceTime = Number.isNaN(at) ? undefined : at;
  return new ServiceError(name, said, { status, retryable, throttled, Item: refusal.Item, serviceTime });
}

/** The error for a request that had no whole answer: it may have been done or not. */
export function unansweredOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'NoAnswer';
  return new ServiceError(code, 'There was no whole answer', { retryable: true, cause: error });
}
