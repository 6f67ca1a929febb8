import type { Engine, EnginePart, EngineRequest, ProviderFault } from '../../lib/ports/engine.ts';
import { wordsOf } from '../../lib/ports/engine.ts';
import type { Process } from './process.ts';

/** One request to the provider, as it came. */
export interface SeenRequest {
  n: number;
  at: number;
  process: Process;
  claim: NonNullable<Process['claim']>;
  request: EngineRequest;
  /** Until it ended, one way or the other. */
  open: boolean;
}

/** A failure as every engine reports it. */
export function providerFailure(fault: ProviderFault, retryAfterMs?: number): Error {
  return Object.assign(new Error(`The provider failed: ${fault}`), {
    fault,
    ...(retryAfterMs ? { retryAfterMs } : {}),
  });
}

/** What the provider does, by the word in brackets of the newest message. `tries` counts requests for that message. */
type Script = (say: Say, tries: number) => AsyncIterable<EnginePart>;
interface Say {
  /** Waits, then gives a piece of text: the answer's own name first, so that it can be found again. */
  chunk(afterMs: number, text: string): Promise<EnginePart>;
  wait(ms: number): Promise<void>;
}

const FINISH: EnginePart = { type: 'finish', usage: { inputTokens: 10, outputTokens: 5 }, reason: 'stop' };

async function* chunks(say: Say, times: number, everyMs: number, text: string): AsyncGenerator<EnginePart> {
  for (let n = 0; n < times; n++) yield await say.chunk(everyMs, text);
  yield FINISH;
}

async function* failing(say: Say, fault: ProviderFault, afterMs: number, retryAfterMs?: number) {
  await say.wait(afterMs);
  yield* broken(fault, retryAfterMs);
}

function broken(fault: ProviderFault, retryAfterMs?: number): EnginePart[] {
  throw providerFailure(fault, retryAfterMs);
}

async function* cut(say: Say, times: number, text: string): AsyncGenerator<EnginePart> {
  for (let n = 0; n < times; n++) yield await say.chunk(1_200, text);
  throw providerFailure('unreachable');
}

async function* empty(say: Say): AsyncGenerator<EnginePart> {
  await say.wait(300);
  yield FINISH;
}

/** Every script that a message can name. */
export const SCRIPTS: Record<string, Script> = {
  short: (say) => chunks(say, 1, 400, 'a few words.'),
  /** Mid-length: long enough to do something in mid-turn. */
  steady: (say) => chunks(say, 6, 1_000, 'a few words. '),
  /** As long as a lease may go without a renewal, nearly. */
  minute: (say) => chunks(say, 11, 2_000, 'word '),
  /** Longer than the time after which a lease is renewed. */
  slow: (say) => chunks(say, 18, 2_500, 'word '),
  /** Longer than one message of the chat app. */
  parts: (say) => chunks(say, 6, 900, `${'long words '.repeat(5)} `),
  unauthorized: (say) => failing(say, 'unauthorized', 300),
  limited: (say, tries) =>
    tries === 1 ? failing(say, 'rate-limited', 300, 20_000) : chunks(say, 1, 400, 'in the end.'),
  overloaded: (say) => failing(say, 'overloaded', 300),
  cut: (say, tries) => (tries === 1 ? cut(say, 2, 'half a ') : chunks(say, 1, 400, 'whole.')),
  /** A long answer that breaks off; the next one is short. */
  shrinking: (say, tries) => (tries === 1 ? cut(say, 5, 'long words '.repeat(6)) : chunks(say, 1, 400, 'short.')),
  empty: (say) => empty(say),
  'empty-once': (say, tries) => (tries === 1 ? empty(say) : chunks(say, 1, 400, 'after all.')),
  hanging: (say, tries) => (tries === 1 ? failing(say, 'unreachable', 70_000) : chunks(say, 1, 400, 'at last.')),
};

/** The provider of a world: answers by script and keeps every request. */
export class ScriptedProvider {
  readonly requests: SeenRequest[] = [];
  readonly #tries = new Map<string, number>();
  readonly #now: () => number;
  readonly #seen: (request: SeenRequest) => void;

  constructor(now: () => number, seen: (request: SeenRequest) => void) {
    this.#now = now;
    this.#seen = seen;
  }

  /** The engine as one process uses it. */
  engine(process: Process): Engine {
    return { run: (request, signal) => this.#run(process, request, signal) };
  }

  async *#run(process: Process, request: EngineRequest, signal: AbortSignal): AsyncGenerator<EnginePart> {
    await call(process, 'engine.run', 200, signal);
    if (!process.claim) throw new Error('A request without a claim');
    const n = this.requests.length + 1;
    const seen = { n, at: this.#now(), process, claim: { ...process.claim }, request, open: true };
    this.requests.push(seen);
    this.#seen(seen);
    try {
      yield* this.#script(process, request, n, signal);
    } finally {
      seen.open = false;
    }
  }

  #script(process: Process, request: EngineRequest, n: number, signal: AbortSignal): AsyncIterable<EnginePart> {
    const last = request.messages.map(wordsOf).at(-1) ?? '';
    const [name = 'short'] = [...last.matchAll(/\[([a-z-]+)\]/gu)].map((match) => match[1] ?? '').slice(-1);
    const key = `${process.claim?.turn}`;
    const tries = (this.#tries.get(key) ?? 0) + 1;
    this.#tries.set(key, tries);
    let isFirst = true;
    const say: Say = {
      wait: (ms) => call(process, 'engine.wait', ms, signal),
      chunk: async (afterMs, text) => {
        await call(process, 'engine.chunk', afterMs, signal);
        const delta = isFirst ? `a${n} ${text}` : text;
        isFirst = false;
        return { type: 'text', delta };
      },
    };
    return (SCRIPTS[name] ?? SCRIPTS.short ?? empty)(say, tries);
  }
}

/** A wait for the provider, which an abort ends. */
function call(process: Process, name: string, ms: number, signal: AbortSignal): Promise<void> {
  const broken = (): never => {
    throw providerFailure('unreachable');
  };
  const made = process.call<void>({
    ...{ name, latencyMs: ms, timeoutMs: Math.max(30_000, ms), effect: async () => undefined },
    ...{ refused: broken, unknown: broken },
  });
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => process.alive && reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined);
  return Promise.race([made, aborted]);
}
