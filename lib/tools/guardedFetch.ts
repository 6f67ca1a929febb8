import { lookup as systemLookup } from 'node:dns/promises';
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { refuseUpgrade } from '../http/pool.ts';
import { isUnsent } from '../http/unsent.ts';
import type { OutwardGuard } from '../ports/outward.ts';
import { ToolServerError } from './fault.ts';

/** What a host's name leads to. */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

/** Which server, and how it may be reached. */
export interface GuardedTarget {
  url: URL;
  /** Sent to the URL's own origin, and to no other that it redirects to. */
  headers: Record<string, string>;
  guard: OutwardGuard;
  /** Absent: the system's. */
  resolve?: Resolve | undefined;
}

/** Told when the body of an answer has ended, or broken off. */
export type OnEnd = (fault?: ToolServerError) => void;

interface Wanted {
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal;
}

const MAX_REDIRECTS = 3;
/** Statuses that keep the method and the body. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);
/** Statuses whose answers have no body, which `Response` insists on. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);
const MAX_BODY_BYTES = 4_000_000;
/** Every request ends by then, whoever made it. */
const REQUEST_MS = 90_000;
/** How long the end of a session may take, which nobody waits for. */
const DELETE_MS = 2_000;

/**
 * A `fetch` for one server that a tenant named. Each connection is made to an address that was looked at, so that a name
 * cannot lead elsewhere between the look and the connection; redirects are followed here, each looked at anew. Answers
 * are bounded in size and time. Call `close` at the end: it ends what is still open.
 */
export class GuardedFetch {
  readonly #target: GuardedTarget;
  readonly #plain = new PlainAgent({ keepAlive: true });
  readonly #secure = new SecureAgent({ keepAlive: true });

  constructor(target: GuardedTarget) {
    this.#target = target;
  }

  /** @throws {ToolServerError} for whatever goes wrong; the signal's reason when it is aborted. */
  async fetch(input: string | URL | Request, init: RequestInit = {}, onEnd: OnEnd = () => {}): Promise<Response> {
    const method = init.method ?? 'GET';
    // A stream of what the server says unasked: nobody would listen to it in a turn.
    if (method === 'GET') return new Response(null, { status: 405 });
    const ends = AbortSignal.timeout(method === 'DELETE' ? DELETE_MS : REQUEST_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, ends]) : ends;
    const headers = Object.fromEntries(new Headers(init.headers));
    const body = typeof init.body === 'string' ? init.body : undefined;
    try {
      const answer = await this.#follow(new URL(String(input)), { method, headers, body, signal });
      return toResponse(answer, onEnd);
    } catch (error) {
      init.signal?.throwIfAborted();
      throw networkFault(error);
    }
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  async #follow(start: URL, wanted: Wanted): Promise<IncomingMessage> {
    let url = start;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#request(url, wanted);
      const { statusCode = 0, headers } = answer;
      const isRedirect = statusCode >= 300 && statusCode < 400 && statusCode !== 304;
      if (!isRedirect) return answer;
      answer.destroy();
      const next = REDIRECTS.has(statusCode) && headers.location ? URL.parse(headers.location, url.href) : null;
      const isWorse = url.protocol === 'https:' && next?.protocol !== 'https:';
      if (!next || isWorse || next.username || next.password || redirects === MAX_REDIRECTS) {
        throw new ToolServerError('redirected');
      }
      url = next;
    }
  }

  #request(url: URL, { method, headers, body, signal }: Wanted): Promise<IncomingMessage> {
    const { guard } = this.#target;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
    // Of an address that is an IP address nothing is looked up.
    const isAllowed = isWeb && guard.fault(url) === undefined && (isIP(host) === 0 || guard.allows(url, host));
    if (!isAllowed) throw new ToolServerError('forbidden');
    const [make, agent] =
      url.protocol === 'https:' ? [secureRequest, this.#secure] : [plainRequest, this.#plain as PlainAgent];
    const options = { method, headers: this.#headersFor(url, headers, body), agent, lookup: this.#lookup(url) };
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const request = make(url, options, (answer) => {
        // A body that nobody reads may still break off.
        answer.on('error', () => {}).on('end', unlisten);
        resolve(answer);
      });
      // Without an error, which Node would tell a connection to that is on its way back to its agent and that nobody
      // listens to; its own `signal` does so.
      const onAbort = () => {
        request.destroy();
        reject(signal.reason);
      };
      const unlisten = () => signal.removeEventListener('abort', onAbort);
      signal.addEventListener('abort', onAbort, { once: true });
      request.on('error', reject).once('upgrade', refuseUpgrade).on('close', unlisten).end(body);
    });
  }

  /** The tenant's own headers, and the session's id, are for the server that the tenant named. */
  #headersFor(url: URL, headers: Record<string, string>, body: string | undefined): Record<string, string> {
    const { 'mcp-session-id': session, 'user-agent': _, ...rest } = headers;
    const isOwn = url.origin === this.#target.url.origin;
    return {
      ...(isOwn ? this.#target.headers : {}),
      ...rest,
      ...(isOwn && session !== undefined ? { 'mcp-session-id': session } : {}),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...{ 'user-agent': 'conch', 'accept-encoding': 'identity' },
    };
  }

  /** Looks a name up, and at every address that it leads to; the connection goes to one of these. */
  #lookup(url: URL): LookupFunction {
    const { guard, resolve = (name) => systemLookup(name, { all: true }) } = this.#target;
    return (hostname, options, done) => {
      const look = async () => {
        const found = await resolve(hostname);
        const isAllowed = found.length > 0 && found.every(({ address }) => guard.allows(url, address));
        if (!isAllowed) throw new ToolServerError('forbidden');
        return found;
      };
      look().then(
        (found) => (options.all ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family)),
        (error: NodeJS.ErrnoException) => done(error, []),
      );
    };
  }
}

function toResponse(answer: IncomingMessage, onEnd: OnEnd): Response {
  const { statusCode: status = 0, headers } = answer;
  if (status < 200 || status > 599) {
    answer.destroy();
    throw new ToolServerError('unreadable');
  }
  const kept = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  const init = { status, headers: kept as [string, string][] };
  if (!EMPTY.has(status)) return new Response(ReadableStream.from(bounded(answer, onEnd)), init);
  answer.resume();
  return new Response(null, init);
}

/** The body, up to the limit. To leave the loop early destroys the connection. */
async function* bounded(answer: IncomingMessage, onEnd: OnEnd): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BODY_BYTES) throw new ToolServerError('large');
      yield chunk;
    }
  } catch (error) {
    const fault = networkFault(error);
    onEnd(fault);
    throw fault;
  }
  onEnd();
}

/** What failed, without the error's own words, which may name the address. */
function networkFault(error: unknown): ToolServerError {
  if (error instanceof ToolServerError) return error;
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return new ToolServerError('slow');
  return new ToolServerError(typeof code === 'string' && isUnsent(code) ? 'unreachable' : 'broken');
}
