import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { type Answer, ServiceError } from './serviceError.ts';

/** The limits of one attempt, ms. */
export interface Limits {
  connectionTimeoutMs: number;
  requestTimeoutMs: number;
}

/** An idle connection is not used again after this time: the other side may have closed it. */
const IDLE_MS = 4_000;
const POOL = { keepAlive: true, timeout: IDLE_MS, maxSockets: 100 } as const;

/** Kept connections to one address, over Node's own client. */
export class Connections {
  readonly #url: URL;
  readonly #limits: Limits;
  readonly #isSecure: boolean;
  readonly #agent: PlainAgent;
  readonly #target: object;
  #usedAt = 0;

  constructor(url: URL, limits: Limits) {
    this.#url = url;
    this.#limits = limits;
    this.#isSecure = url.protocol === 'https:';
    this.#agent = this.#isSecure ? new SecureAgent(POOL) : new PlainAgent(POOL);
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port || undefined;
    this.#target = { protocol: url.protocol, hostname, port, path: url.pathname, method: 'POST', agent: this.#agent };
  }

  /**
   * Posts a body, whose length is among the headers, and reads the whole answer.
   * @throws whatever ended the request; `ServiceError` for a time-out.
   */
  post(headers: Record<string, string>, body: Uint8Array, signal?: AbortSignal): Promise<Answer> {
    this.#dropIdle();
    const options = { ...this.#target, headers, ...(signal ? { signal } : {}) };
    const request = (this.#isSecure ? secureRequest : plainRequest)(options);
    return new Promise<Answer>((resolve, reject) => {
      const giveUp = (what: string) => () => {
        const message = `${this.#url.host}: its time to ${what} is over`;
        reject(new ServiceError('TimeoutError', message, { retryable: true }));
        request.destroy();
      };
      limit(request, this.#limits.requestTimeoutMs, giveUp('answer'));
      this.#limitConnecting(request, giveUp('connect'));
      request.on('error', reject).on('response', (response) => read(response, resolve, reject));
      request.end(body);
    }).finally(() => {
      this.#usedAt = Date.now();
    });
  }

  destroy(): void {
    this.#agent.destroy();
  }

  #limitConnecting(request: ClientRequest, giveUp: () => void): void {
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = limit(request, this.#limits.connectionTimeoutMs, giveUp);
      socket.once(this.#isSecure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    });
  }

  /** While a function is frozen no timer closes an idle connection; the first request afterwards would go into a dead one. */
  #dropIdle(): void {
    const now = Date.now();
    if (now - this.#usedAt > IDLE_MS) {
      for (const socket of Object.values(this.#agent.freeSockets).flat()) socket?.destroy();
    }
    this.#usedAt = now;
  }
}

/** Calls `giveUp` unless the request is over by then. */
function limit(request: ClientRequest, ms: number, giveUp: () => void): NodeJS.Timeout {
  const timer = setTimeout(giveUp, ms);
  request.once('close', () => clearTimeout(timer));
  return timer;
}

/** By events: an iteration over so small a stream costs more than what it reads. */
function read(response: IncomingMessage, resolve: (answer: Answer) => void, reject: (error: Error) => void): void {
  let text = '';
  response
    .setEncoding('utf8')
    .on('data', (chunk: string) => {
      text += chunk;
    })
    .on('error', reject)
    .on('end', () => {
      const { date, 'x-amzn-errortype': type } = response.headers;
      const headers = { date, 'x-amzn-errortype': typeof type === 'string' ? type : undefined };
      resolve({ status: response.statusCode ?? 0, text, headers });
    });
}
