import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyOf, type Call, type Failure, Refusal } from './discordParts.ts';
import type { Params } from './discordRules.ts';

const CLIENT = /^DiscordBot \(https?:\/\/[^\s,]+, [\w.]+\)/;

/** A method and a path, and what is done there. */
export type Route = [RegExp, (call: Call, ...names: string[]) => Params | Params[] | undefined | Promise<Params>];

/** The HTTP side of the stand-in of Discord: who may call, what is recorded, and how a call fails. */
export abstract class DiscordServer {
  readonly botToken = 'MTAwMDAwMDAw.made-up.token_of_the_bot-0123456789';
  readonly calls: Call[] = [];

  protected abstract readonly routes: readonly Route[];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #failures: { failure: Failure; path: RegExp; left: number }[] = [];

  protected async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** For a channel's `apiRoot`. */
  get root(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v10`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Fails the next calls to a path. */
  fail(failure: Failure, options: { path?: RegExp; times?: number } = {}): void {
    this.#failures.push({ failure, path: options.path ?? /./, left: options.times ?? 1 });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = (request.url ?? '').replace(/^\/api\/v10/, '');
    const parsed = await bodyOf(request.headers['content-type'] ?? '', Buffer.concat(chunks));
    const call: Call = { method: request.method ?? '', path, ...parsed, at: Date.now(), status: 0 };
    this.calls.push(call);
    const failure = this.#nextFailure(path);
    if (failure && failure.kind !== 'refuse') {
      if (failure.effect) await this.#outcome(call, request);
      if (failure.kind === 'reset') request.socket.resetAndDestroy();
      return;
    }
    const outcome = failure ?? (await this.#outcome(call, request));
    const isRefused = 'code' in outcome;
    call.status = isRefused ? outcome.status : outcome.result === undefined ? 204 : 200;
    const wait = isRefused && 'retryAfterS' in outcome ? { retry_after: outcome.retryAfterS, global: false } : {};
    const body = isRefused ? { code: outcome.code, message: outcome.message, ...wait } : outcome.result;
    response.writeHead(call.status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }

  #nextFailure(path: string): Failure | undefined {
    const next = this.#failures.find((one) => one.left > 0 && one.path.test(path));
    if (next) next.left -= 1;
    return next?.failure;
  }

  async #outcome(
    call: Call,
    { headers }: IncomingMessage,
  ): Promise<{ result: Params | Params[] | undefined } | Refusal> {
    try {
      if (!CLIENT.test(headers['user-agent'] ?? '')) throw new Refusal(403, 40333, 'internal network error');
      const isByToken = /^\/(webhooks|interactions)\//.test(call.path);
      if (!isByToken && headers.authorization !== `Bot ${this.botToken}`)
        throw new Refusal(401, 0, '401: Unauthorized');
      for (const [pattern, run] of this.routes) {
        const match = pattern.exec(`${call.method} ${call.path}`);
        if (match) return { result: await run(call, ...match.slice(1)) };
      }
      throw new Refusal(404, 0, '404: Not Found');
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }
}
