import type { ClientRequest, IncomingMessage } from 'node:http';
import { Pool } from '../http/pool.ts';
import { type Answer, ServiceError } from './serviceError.ts';

/** The limits of one attempt, ms. */
export interface Limits {
  connectionTimeoutMs: number;
  requestTimeoutMs: number;
}

const MAX_SOCKETS = 100;

/** Kept connections to one address. */
export class Connections {
  readonly #url: URL;
  readonly #limits: Limits;
  readonly #pool: Pool;
  readonly #target: object;

  constructor(url: URL, limits: Limits) {
    this.#url = url;
    this.#limits = limits;
    this.#pool = new Pool(url.protocol, MAX_SOCKETS);
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port || undefined;
    this.#target = { protocol: url.protocol, hostname, port, path: url.pathname, method: 'POST' };
  }

  /**
   * Posts a body, whose length is among the headers, and reads the whole answer.
   * @throws whatever ended the request; `ServiceError` for a time-out.
   */
  post(headers: Record<string, string>, body: Uint8Array, signal?: AbortSignal): Promise<Answer> {
    const request = this.#pool.request({ ...this.#target, headers, ...(signal ? { signal } : {}) });
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
    });
  }

  destroy(): void {
    this.#pool.destroy();
  }

  #limitConnecting(request: ClientRequest, giveUp: () => void): void {
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = limit(request, this.#limits.connectionTimeoutMs, giveUp);
      socket.once(this.#url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    });
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
