import type { Engine, EnginePart, EngineRequest, ProviderFault } from '../../lib/ports/engine.ts';
import { wordsOf } from '../../lib/ports/engine.ts';
import { ProviderError } from '../../lib/providers/faults.ts';

type Run = (request: EngineRequest, signal: AbortSignal) => AsyncIterable<EnginePart>;

const finish = (): EnginePart => ({ type: 'finish', usage: { inputTokens: 100, outputTokens: 20 }, reason: 'stop' });

async function* answer(...deltas: string[]): AsyncGenerator<EnginePart> {
  for (const delta of deltas) yield { type: 'text', delta };
  yield finish();
}

/** An answer that the test ends. */
export interface HeldAnswer {
  /** Resolves when the request has arrived and the first text is out. */
  begun: Promise<void>;
  /** Says more. */
  say(text: string): void;
  /** Ends the answer with this text behind what was said. */
  finish(text: string): void;
  /** Whether the request was aborted. */
  readonly aborted: boolean;
}

/** An engine that answers what a test has scripted, one step a request; beyond the script it repeats the last message. */
export class ScriptedEngine implements Engine {
  readonly requests: EngineRequest[] = [];
  readonly #script: Run[] = [];

  get last(): EngineRequest {
    const request = this.requests.at(-1);
    if (!request) throw new Error('The engine got no request');
    return request;
  }

  /** Everything that was ever sent to it, as text. */
  get asked(): string {
    return JSON.stringify(this.requests);
  }

  run(request: EngineRequest, signal: AbortSignal): AsyncIterable<EnginePart> {
    this.requests.push(structuredClone(request));
    const next = this.#script.shift();
    return next ? next(request, signal) : answer(`You said: ${request.messages.map(wordsOf).at(-1)}`);
  }

  reply(...deltas: string[]): void {
    this.#script.push(() => answer(...deltas));
  }

  /** Ends as the parts say. */
  parts(...parts: EnginePart[]): void {
    this.#script.push(async function* () {
      yield* parts;
    });
  }

  #resume = (): void => undefined;
  /** Resolves when the paused request has arrived. */
  paused: Promise<void> = Promise.resolve();

  /** Ends as the parts say, once the test resumes it. */
  pause(...parts: EnginePart[]): void {
    const [arrived, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.paused = arrived.promise;
    this.#resume = resumed.resolve;
    this.#script.push(async function* () {
      arrived.resolve();
      await resumed.promise;
      yield* parts;
    });
  }

  resume(): void {
    this.#resume();
  }

  /** Fails after some text. */
  fail(fault: ProviderFault | Error, options: { retryAfterMs?: number; after?: string } = {}): void {
    const { after, ...more } = options;
    this.#script.push(async function* () {
      if (after) yield { type: 'text', delta: after } as const;
      throw fault instanceof Error ? fault : new ProviderError(fault, 'raw words of the provider', more);
    });
  }

  /** Says `first`, then what the test says, until the test ends it. */
  hold(first = 'So '): HeldAnswer {
    const begun = Promise.withResolvers<void>();
    const said: { text: string; isLast: boolean }[] = [];
    const state = { aborted: false, wake: () => undefined as unknown };
    const say = (text: string, isLast: boolean) => {
      said.push({ text, isLast });
      state.wake();
    };
    this.#script.push(async function* (_request, signal) {
      const stop = Promise.withResolvers<never>();
      stop.promise.catch(() => undefined);
      signal.addEventListener('abort', () => {
        state.aborted = true;
        stop.reject(signal.reason);
      });
      yield { type: 'text', delta: first };
      begun.resolve();
      for (;;) {
        const next = said.shift();
        if (next) yield { type: 'text', delta: next.text };
        else await Promise.race([stop.promise, new Promise((resolve) => (state.wake = () => resolve(undefined)))]);
        if (next?.isLast) break;
      }
      yield finish();
    });
    return {
      begun: begun.promise,
      say: (text) => say(text, false),
      finish: (text) => say(text, true),
      get aborted() {
        return state.aborted;
      },
    };
  }
}
