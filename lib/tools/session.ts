import { AsyncLocalStorage } from 'node:async_hooks';
import { createMCPClient, type MCPClient, MCPClientError } from '@ai-sdk/mcp';
import { TOOL_CALL_MS } from '../domain/limits.ts';
import type { OutwardGuard } from '../ports/outward.ts';
import type { ToolRecord } from '../ports/tenants.ts';
import { type ToolFault, ToolServerError } from './fault.ts';
import { GuardedFetch, type OnEnd, type Resolve } from './guardedFetch.ts';

/** How long things may take. */
export interface ToolTimes {
  openMs: number;
  callMs: number;
  /** An event stream has ended, and what it held is still on its way to the client. */
  settleMs: number;
}

export const TOOL_TIMES: ToolTimes = { openMs: 10_000, callMs: TOOL_CALL_MS, settleMs: 500 };

/** A server to speak to. */
export interface SessionTarget {
  url: string;
  /** Opens the sealed headers; asked once. */
  headers: () => Promise<Record<string, string>>;
  guard: OutwardGuard;
  resolve?: Resolve | undefined;
  times: ToolTimes;
  /** What is known of its protocol, so that it is not asked for that again. */
  protocol?: string | undefined;
  /** Its tools: newer servers want some arguments in headers, which stands in the schemas. */
  tools?: readonly ToolRecord[];
  /** Told of what goes wrong. */
  onFault?: (fault: ToolServerError) => void;
}

/** The protocol's versions from this one on have no sessions, and are asked for by `server/discover`. */
const WITHOUT_SESSIONS = '2026-07-28';
/** How long a session's end may take. */
const CLOSE_MS = 2_000;
/** Headers that hold secrets, by their names. */
const SECRET_NAME = /auth|cookie|cred|key|pass|secret|sign|token/iu;
/** Shortest part of such a header, and of another, that is taken out of what the server says, UTF-16 units. */
const SECRET_CHARS = 8;
const OTHER_CHARS = 20;

/** What is asked of a server. */
export type Work<T> = (client: MCPClient, options: { signal: AbortSignal }) => Promise<T>;

interface Opened {
  client: MCPClient;
  fetch: GuardedFetch;
  /** The server has forgotten the session. */
  lost: boolean;
}

/** What a request belongs to: the end of its answer is told there, unless another request has followed. */
interface Call {
  /** For the next request. */
  onEnd: () => OnEnd;
}

const calls = new AsyncLocalStorage<Call>();

/**
 * A session with a tool server: begun when it is first needed, begun once more if the server has forgotten it, which it
 * says before it does anything. Nothing else is asked for twice.
 */
export class ToolSession {
  readonly #target: SessionTarget;
  readonly #closing = new AbortController();
  #opened: Promise<Opened> | undefined;
  readonly #lost: Opened[] = [];
  #secrets: readonly string[] = [];

  constructor(target: SessionTarget) {
    this.#target = target;
  }

  /**
   * Asks the server for something.
   * @throws {ToolServerError} for whatever goes wrong; the signal's reason when it is aborted.
   */
  async ask<T>(work: Work<T>, signal: AbortSignal): Promise<T> {
    for (let again = false; ; again = true) {
      signal.throwIfAborted();
      const opening = this.#open();
      const opened = await orAborted(opening, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw this.#told(error).beforeCall;
      });
      try {
        return await this.#once(opened, work, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!opened.lost || again) throw this.#told(error);
        // Other calls may have begun the next session already, or wait for an answer in this one.
        if (this.#opened === opening) this.#opened = undefined;
        this.#lost.push(opened);
      }
    }
  }

  /** What the server says, without the tenant's headers, should it repeat them. */
  hide(text: string): string {
    return this.#secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[hidden]'), text);
  }

  /** Ends the session. Never throws. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#closing.abort(new ToolServerError('broken'));
    for (const { fetch } of this.#lost) fetch.close();
    await opened?.then(end, () => undefined);
  }

  #told(error: unknown): ToolServerError {
    const fault = faultOf(error);
    this.#target.onFault?.(fault);
    return fault;
  }

  #once<T>({ client }: Opened, work: Work<T>, signal: AbortSignal): Promise<T> {
    const limits = [signal, this.#closing.signal, AbortSignal.timeout(this.#target.times.callMs)];
    return untilBroken(this.#target.times, limits, (either) => work(client, { signal: either }));
  }

  #open(): Promise<Opened> {
    if (this.#opened) return this.#opened;
    const opening = this.#begin().catch((error: unknown) => {
      if (this.#opened === opening) this.#opened = undefined;
      throw faultOf(error);
    });
    this.#opened = opening;
    return opening;
  }

  async #begin(): Promise<Opened> {
    const { url, guard, resolve, protocol, times, tools = [] } = this.#target;
    const headers = await this.#target.headers().catch((cause: unknown) => {
      throw new ToolServerError('sealed', { cause });
    });
    this.#secrets = secretsIn(headers);
    const fetch = new GuardedFetch({ url: new URL(url), headers, guard, resolve });
    const limits = [this.#closing.signal, AbortSignal.timeout(times.openMs)];
    const state = { lost: false };
    const guarded = async (input: string | URL | Request, init?: RequestInit) => {
      const answer = await fetch.fetch(input, init, calls.getStore()?.onEnd());
      // The client does not notice where the answer's body is an error of the protocol, as many servers send it.
      if (answer.status === 404 && new Headers(init?.headers).has('mcp-session-id')) state.lost = true;
      return answer;
    };
    const transport = { type: 'http' as const, url, fetch: guarded };
    try {
      const client = await untilBroken(times, limits, (signal) =>
        createMCPClient({
          ...{ transport, clientName: 'conch', initializationOptions: { signal }, onUncaughtError: () => {} },
          protocolVersionDiscovery: protocol === undefined || protocol >= WITHOUT_SESSIONS,
        }),
      );
      if (client.initializeResult.protocolVersion >= WITHOUT_SESSIONS) {
        client.toolsFromDefinitions({ tools: tools.map(({ name, inputSchema }) => ({ name, inputSchema })) });
      }
      return Object.assign(state, { client, fetch });
    } catch (error) {
      fetch.close();
      throw error;
    }
  }
}

/**
 * Does it with a signal that is aborted with the first of these, or when the newest answer has ended: the client would
 * wait for an event that does not come any more.
 */
function untilBroken<T>(
  { settleMs }: ToolTimes,
  limits: AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  let newest = 0;
  const onEnd = (): OnEnd => {
    const mine = ++newest;
    const breakOff = (fault = new ToolServerError('broken')) => {
      if (mine === newest) ended.abort(fault);
    };
    return (fault) => {
      if (fault) breakOff(fault);
      else setTimeout(breakOff, settleMs).unref();
    };
  };
  return calls.run({ onEnd }, () => work(AbortSignal.any([...limits, ended.signal])));
}

async function end({ client, fetch }: Opened): Promise<void> {
  const enough = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref());
  await Promise.race([client.close().catch(() => undefined), enough]);
  fetch.close();
}

/** The headers' values, and their parts such as the token behind `Bearer`, the longest first. */
function secretsIn(headers: Record<string, string>): string[] {
  const parts = Object.entries(headers).flatMap(([name, value]) => {
    const least = SECRET_NAME.test(name) ? SECRET_CHARS : OTHER_CHARS;
    return [value, ...value.split(/[\s,;=]+/u)].filter(({ length }) => length >= least);
  });
  return [...new Set(parts)].sort((a, b) => b.length - a.length);
}

/** The promise, or the signal's reason if that comes first. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}

/** What went wrong, along the causes of what the client throws, whose own words may hold an answer's body. */
function faultOf(error: unknown): ToolServerError {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ToolServerError) return at;
    if (at.name === 'TimeoutError') return new ToolServerError('slow');
  }
  if (!MCPClientError.isInstance(error)) return new ToolServerError('unreadable');
  const { code, statusCode: status, message } = error;
  if (code !== undefined) return new ToolServerError('said', { said: message });
  if (status === undefined || status < 400) return new ToolServerError(clientFault(message));
  if (status === 429) return new ToolServerError('busy');
  if (status === 401 || status === 403) return new ToolServerError('refused');
  return new ToolServerError(status === 404 || status === 405 ? 'not-found' : 'failed', { status });
}

/** What the client itself found wrong. */
function clientFault(message: string): ToolFault {
  if (/does not support/u.test(message)) return 'unsupported';
  return /requested input|input request|Input-required/u.test(message) ? 'asks' : 'unreadable';
}
