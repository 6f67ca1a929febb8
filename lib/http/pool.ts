import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';

/*
 * Not imported by their names: an ES module's import reads every export of a built-in module, and one of `node:http`'s loads
 * undici, which takes longer than all the rest of a webhook's cold start but Node's own.
 */
const plain = process.getBuiltinModule('node:http');
const secure = process.getBuiltinModule('node:https');

/** An idle connection is not used again after this time: the other side may have closed it. */
const IDLE_MS = 4_000;

/** Ends a request whose answer is a 101, which nobody asked for. */
export function refuseUpgrade(this: ClientRequest, _answer: IncomingMessage, socket: Duplex): void {
  socket.destroy();
  this.emit('error', Object.assign(new Error('The answer changes the protocol'), { code: 'UNWANTED_UPGRADE' }));
}

/** Kept connections of Node's own client; `fetch` takes twice the CPU, and a cold start would have to load it first. */
export class Pool {
  readonly #client: typeof plain | typeof secure;
  readonly #agent: Agent;
  #usedAt = 0;

  /** @param protocol `https:` or `http:`. @param maxSockets connections at once to one host. */
  constructor(protocol: string, maxSockets = Number.POSITIVE_INFINITY) {
    this.#client = protocol === 'https:' ? secure : plain;
    this.#agent = new this.#client.Agent({ keepAlive: true, timeout: IDLE_MS, maxSockets });
  }

  /**
   * Begins a request, over a kept connection if there is one that the other side still holds. It always ends by `response` or
   * `error`: Node tells neither when the answer is a 101, and then nothing would ever settle, whatever its signal says.
   */
  request(options: RequestOptions): ClientRequest {
    this.#dropIdle();
    const request = this.#client.request({ ...options, agent: this.#agent });
    return request.once('upgrade', refuseUpgrade).once('close', () => {
      this.#usedAt = Date.now();
    });
  }

  destroy(): void {
    this.#agent.destroy();
  }

  /**
   * While a function is frozen no timer closes an idle connection, and the first request afterwards would be sent into a
   * dead one: it would count as one that may have arrived.
   */
  #dropIdle(): void {
    const now = Date.now();
    if (now - this.#usedAt > IDLE_MS) {
      for (const socket of Object.values(this.#agent.freeSockets).flat()) socket?.destroy();
    }
    this.#usedAt = now;
  }
}
