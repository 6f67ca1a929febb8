import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE_MS } from '../domain/limits.ts';
import { type Credentials, credentialsOf, endpointOf, regionOf } from './environment.ts';
import { Connections } from './http.ts';
import { type Input, type OperationName, type Output, PROTOCOLS, type Service } from './operations.ts';
import { type Answer, refusalOf, ServiceError, unansweredOf } from './serviceError.ts';
import { type Sign, signer } from './signing.ts';

/** Where an AWS service is reached, and how long to wait for it. Every field has a default. */
export interface AwsOptions {
  /** Default: the one of the environment (`AWS_ENDPOINT_URL…`), else the service's own address in the region. */
  endpoint?: string;
  /** Default: the region of the environment. */
  region?: string;
  /** Default: the credentials of the environment, on Lambda those of the function's role. */
  credentials?: Credentials;
  /** How often a request is tried. Default 3. */
  maxAttempts?: number;
  /** One attempt's longest time to connect, ms. Default 1,000. */
  connectionTimeoutMs?: number;
  /** One attempt's longest time, ms; a long poll needs more than its wait. Default 2,000. */
  requestTimeoutMs?: number;
}

const DEFAULT_ATTEMPTS = 3;
/** The longest wait before the second attempt, ms; twice as long before each further one. */
const WAIT_MS = 50;
const THROTTLED_WAIT_MS = 200;
/** A service takes a time that is 5 minutes off; what is refused with less is refused for another reason. */
const SKEW_MS = 4 * MINUTE_MS;

/**
 * A client of one AWS service, without the SDK (docs/decisions/0005-a-small-client-for-aws.md): it signs, posts JSON, tries again, and keeps its
 * connections. Each attempt has a limit, so that a webhook can still answer its chat app when a service hangs.
 */
export class AwsClient<S extends Service> {
  readonly service: S;
  readonly maxAttempts: number;
  readonly #url: URL;
  readonly #sign: Sign;
  readonly #connections: Connections;
  /** How far the service's clock is ahead of ours, once it has refused a request for that, ms. */
  #skewMs = 0;

  /** @throws {SettingsError} if the region or the credentials are neither given nor in the environment. */
  constructor(service: S, options: AwsOptions) {
    const region = options.region ?? regionOf();
    this.service = service;
    this.maxAttempts = options.maxAttempts ?? DEFAULT_ATTEMPTS;
    this.#url = new URL(options.endpoint ?? endpointOf(service, region));
    this.#sign = signer(service, region, options.credentials ?? credentialsOf());
    this.#connections = new Connections(this.#url, {
      connectionTimeoutMs: options.connectionTimeoutMs ?? 1_000,
      requestTimeoutMs: options.requestTimeoutMs ?? 2_000,
    });
  }

  /**
   * Sends a request; again, with a growing wait, if it got no answer, was throttled or met a fault of the service.
   * @param options `abortSignal` ends it at once.
   * @throws {ServiceError}
   */
  async send<O extends OperationName<S>>(
    operation: O,
    input: Input<S, O>,
    options: { abortSignal?: AbortSignal } = {},
  ): Promise<Output<S, O>> {
    const body = Buffer.from(JSON.stringify(input));
    for (let attempt = 1; ; attempt++) {
      const at = Date.now() + this.#skewMs;
      try {
        return (await this.#attempt(operation, body, at, options.abortSignal)) as Output<S, O>;
      } catch (thrown) {
        const error = unansweredOf(thrown);
        const isCorrected = this.#correctClock(error, at);
        if (attempt >= this.maxAttempts || options.abortSignal?.aborted) throw error;
        if (!isCorrected) await pauseAfter(error, attempt);
      }
    }
  }

  /** Ends its connections. */
  destroy(): void {
    this.#connections.destroy();
  }

  async #attempt(operation: string, body: Uint8Array, at: number, signal?: AbortSignal): Promise<unknown> {
    const { target, contentType } = PROTOCOLS[this.service];
    const headers = { 'content-type': contentType, 'x-amz-target': `${target}.${operation}` };
    const signed = this.#sign({ url: this.#url, headers, body }, new Date(at));
    const answer = await this.#connections.post(signed, body, signal);
    if (answer.status !== 200) throw refusalOf(answer);
    return outputOf(answer);
  }

  /**
   * Other requests may have set the clock right while this one was under way: what counts is when it was signed.
   * @returns whether the request was refused because its clock was wrong, which from now on is reckoned with.
   */
  #correctClock({ serviceTime }: ServiceError, signedAt: number): boolean {
    if (serviceTime === undefined || Math.abs(serviceTime - signedAt) < SKEW_MS) return false;
    this.#skewMs = serviceTime - Date.now();
    return true;
  }
}

/** The CRC32 that DynamoDB sends is not looked at: the connection is TLS's, and what it cuts short is no JSON. */
function outputOf({ status, text }: Answer): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('MalformedAnswer', 'The answer is no JSON', { status, retryable: true });
  }
}

/** Waits before the next attempt. @throws the error itself if another attempt would not help. */
async function pauseAfter(error: ServiceError, attempt: number): Promise<void> {
  if (!error.retryable) throw error;
  const longest = error.throttled ? THROTTLED_WAIT_MS : WAIT_MS;
  await wait(Math.random() * longest * 2 ** (attempt - 1));
}

/** Makes a client of an AWS service. @throws {SettingsError} without a region or credentials. */
export function awsClient<S extends Service>(service: S, options: AwsOptions = {}): AwsClient<S> {
  return new AwsClient(service, options);
}
