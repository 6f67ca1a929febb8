import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerShape, AskedModel, Body, Protocol, StreamedCall } from './modelProtocol.ts';
import { PROTOCOLS } from './modelProtocols.ts';

/** One request as it arrived. */
export interface ModelRequest {
  protocol: Protocol['name'];
  path: string;
  headers: Record<string, string>;
  body: Body;
  /** The body byte for byte. */
  text: string;
  /** The same, whichever protocol it came in. */
  asked: AskedModel;
  /** When it arrived, ms. */
  at: number;
  /** When the client closed the connection before the answer was complete, ms. */
  closedAt?: number;
}

/** A streamed answer. */
export interface Answer extends Partial<AnswerShape> {
  /** The text, one piece a frame. */
  chunks: string[];
  /** Before each piece of text or of a call, ms; 0 by default. */
  delayMs?: number;
  /** What the model thinks before it answers. */
  reasoning?: string;
  /** The tools that it calls in the end; it finishes with `calls` then unless it says otherwise. */
  calls?: StreamedCall[];
}

/** What breaks an answer after some of its pieces. */
export type Break = 'reset' | 'end' | 'hang' | { error: unknown };

type Step =
  | { kind: 'answer'; answer: Answer; breakAfter?: { chunks: number; how: Break } }
  | { kind: 'fail'; status: number; body: unknown; headers: Record<string, string> }
  | { kind: 'hang' };

/** The figures of an answer that names none. */
export const DEFAULT_USAGE = { input: 120, output: 30, cached: 100 };

/**
 * A stand-in of the model APIs, all on one free port: OpenAI chat completions and Responses, Anthropic messages, Gemini
 * and Bedrock, streamed. Each of the methods below scripts the next request without a script; a request beyond the script
 * is answered with `You said: ` and the last message. A wrong key is answered with 401, and uses no script.
 */
export class ModelStandIn {
  /** Every request so far, those with a wrong key too. */
  readonly requests: ModelRequest[] = [];
  readonly apiKey: string;
  readonly #script: Step[] = [];
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  private constructor(apiKey: string) {
    this.apiKey = apiKey;
  }

  /** @param apiKey the key that clients must send. */
  static async start(apiKey = 'stand-in-key-0123456789'): Promise<ModelStandIn> {
    const standIn = new ModelStandIn(apiKey);
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  /** The `baseURL` of a provider that speaks this protocol. */
  baseURL(protocol: Protocol['name']): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${PROTOCOLS.find(({ name }) => name === protocol)?.basePath ?? ''}`;
  }

  /** The newest request. */
  get last(): ModelRequest {
    const request = this.requests.at(-1);
    if (!request) throw new Error('The stand-in got no request');
    return request;
  }

  /** Answers with this text in one piece, or as described. */
  reply(answer: string | Answer): void {
    this.#script.push({ kind: 'answer', answer: typeof answer === 'string' ? { chunks: [answer] } : answer });
  }

  /** Answers with no text at all; `reasoning` is what it thought. */
  empty(reasoning?: string): void {
    this.reply({ chunks: [], ...(reasoning === undefined ? {} : { reasoning }) });
  }

  /** Fails with this status; `body` is sent as JSON, or as it is if it is a string. */
  fail(status: number, body: unknown = {}, headers: Record<string, string> = {}): void {
    this.#script.push({ kind: 'fail', status, body, headers });
  }

  /** Takes the request and never answers. */
  hang(): void {
    this.#script.push({ kind: 'hang' });
  }

  /**
   * Breaks off after so many pieces of `answer`: the connection is reset, ends as if complete, stays open in silence, or
   * brings an error event.
   */
  breakOff(answer: string[] | Answer, afterChunks: number, how: Break = 'reset'): void {
    const whole = Array.isArray(answer) ? { chunks: answer } : answer;
    this.#script.push({ kind: 'answer', answer: whole, breakAfter: { chunks: afterChunks, how } });
  }

  /** Forgets requests and script. */
  reset(): void {
    this.requests.length = 0;
    this.#script.length = 0;
  }

  /** Ends every connection and the server. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const protocol = PROTOCOLS.find((one) => one.path.test(path));
    const text = await readAll(request);
    if (request.method !== 'POST' || !protocol) return sendJson(response, 404, { error: { message: 'No such path' } });
    const body = JSON.parse(text) as Body;
    const headers = request.headers as Record<string, string>;
    const asked = protocol.read(body, path);
    const entry: ModelRequest = { protocol: protocol.name, path, headers, body, text, asked, at: Date.now() };
    this.requests.push(entry);
    response.on('close', () => {
      if (!response.writableFinished) entry.closedAt = Date.now();
    });
    const key = protocol.key(headers);
    if (key !== this.apiKey) return sendJson(response, 401, wrongKey(key));
    await this.#answer(this.#script.shift() ?? echo(asked), protocol, entry, response);
  }

  async #answer(step: Step, protocol: Protocol, entry: ModelRequest, response: ServerResponse): Promise<void> {
    if (step.kind === 'hang') return;
    if (step.kind === 'fail') return sendJson(response, step.status, step.body, step.headers);
    const { answer, breakAfter } = step;
    const finish = answer.finish ?? (answer.calls ? 'calls' : 'stop');
    const shape = { finish, usage: answer.usage ?? DEFAULT_USAGE };
    const write = (frames: unknown[]) => {
      for (const frame of frames) response.write(protocol.encode(frame));
    };
    response.writeHead(200, { 'content-type': protocol.contentType });
    write(protocol.head(entry.asked, shape));
    if (answer.reasoning !== undefined) write(protocol.reasoning(answer.reasoning));
    for (const chunk of answer.chunks.slice(0, breakAfter?.chunks)) {
      await sleep(answer.delayMs ?? 0);
      if (entry.closedAt !== undefined) return;
      write(protocol.text(chunk));
    }
    for (const frame of answer.calls ? protocol.calls(answer.calls) : []) {
      await sleep(answer.delayMs ?? 0);
      write([frame]);
    }
    if (breakAfter) return breakStream(breakAfter.how, protocol, response);
    write(protocol.tail(shape, entry.body));
    response.end();
  }
}

/** Gives what was written time to arrive before a reset throws it away. */
const RESET_AFTER_MS = 50;

async function breakStream(how: Break, protocol: Protocol, response: ServerResponse): Promise<void> {
  if (how === 'hang') return;
  if (how === 'reset') {
    await sleep(RESET_AFTER_MS);
    response.destroy();
    return;
  }
  if (how !== 'end') for (const frame of protocol.error(how.error)) response.write(protocol.encode(frame));
  response.end();
}

function echo({ messages }: AskedModel): Step {
  return { kind: 'answer', answer: { chunks: ['You said: ', messages.at(-1)?.text ?? ''] } };
}

/** Repeats the key, as some providers do. */
function wrongKey(key: string | undefined): unknown {
  return { type: 'error', error: { type: 'authentication_error', message: `Incorrect API key provided: ${key}` } };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString('utf8');
}
