import { EXIT_PLAN_MODE } from '../../lib/domain/toolCalls.ts';
import type { Engine, EnginePart, EngineRequest } from '../../lib/ports/engine.ts';
import { wordsOf } from '../../lib/ports/engine.ts';
import { namesIn } from './memoryOracle.ts';
import type { Process } from './process.ts';
import { providerFailure, type Say, SCRIPTS, SUMMARY_MS, USUAL } from './scripts.ts';

/** One request to the provider, as it came. */
export interface SeenRequest {
  n: number;
  at: number;
  process: Process;
  claim: NonNullable<Process['claim']>;
  /** Which provider of the tenant it came to. */
  provider: string;
  request: EngineRequest;
  /** Until it ended, one way or the other. */
  open: boolean;
}

/** Whether a request asks to sum up a conversation. */
export const isSummary = ({ system }: EngineRequest) => system.startsWith('You sum up a conversation');

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
  engine(process: Process, provider: string): Engine {
    return { run: (request, signal) => this.#run(process, provider, request, signal) };
  }

  async *#run(
    process: Process,
    provider: string,
    request: EngineRequest,
    signal: AbortSignal,
  ): AsyncGenerator<EnginePart> {
    await interruptible(process, 'engine.run', 200, signal);
    if (!process.claim) throw new Error('A request without a claim');
    const n = this.requests.length + 1;
    const seen = { n, at: this.#now(), process, claim: { ...process.claim }, provider, request, open: true };
    this.requests.push(seen);
    this.#seen(seen);
    try {
      yield* isSummary(request) ? summary(process, request, n, signal) : this.#script(process, seen, signal);
    } finally {
      seen.open = false;
    }
  }

  #script(process: Process, { request, n, provider }: SeenRequest, signal: AbortSignal): AsyncIterable<EnginePart> {
    const last = request.messages.findLastIndex(({ role }) => role === 'user');
    const words = request.messages[last] ? wordsOf(request.messages[last]) : '';
    const [name = 'short'] = [...words.matchAll(/\[([a-z-]+)\]/gu)].map((match) => match[1] ?? '').slice(-1);
    const key = `${process.claim?.turn}`;
    const tries = (this.#tries.get(key) ?? 0) + 1;
    this.#tries.set(key, tries);
    const calls = request.messages.slice(last).flatMap((message) => ('calls' in message ? [message.calls ?? []] : []));
    let isFirst = true;
    const say: Say = {
      tries,
      steps: calls.length,
      own: { by: `${provider}/${request.model}` },
      called: calls.flat().map((one) => one.name),
      isCompacted: words.startsWith('A summary of the conversation'),
      mayPlan: request.tools?.some((tool) => tool.name === EXIT_PLAN_MODE) === true,
      wait: (ms) => interruptible(process, 'engine.wait', ms, signal),
      chunk: async (afterMs, text) => {
        await interruptible(process, 'engine.chunk', afterMs, signal);
        const delta = isFirst ? `a${n} ${text}` : text;
        isFirst = false;
        return { type: 'text', delta };
      },
      call: (tool, at = 0) => ({
        type: 'call',
        call: {
          id: `c${at}`,
          name: tool,
          input: tool === EXIT_PLAN_MODE ? { plan: `1. p${n}` } : { of: `${n}.${at}` },
        },
      }),
    };
    return (SCRIPTS[name] ?? USUAL)(say);
  }
}

/** Names all that it sums up, and itself: so whoever reads it later has read them. */
async function* summary(
  process: Process,
  { messages }: EngineRequest,
  n: number,
  signal: AbortSignal,
): AsyncGenerator<EnginePart> {
  const text = messages.map(wordsOf).join('\n');
  const [, name = 'usual'] = /to keep in mind: .*\[([a-z-]+)\]/u.exec(text) ?? [];
  const ms = name in SUMMARY_MS ? SUMMARY_MS[name] : SUMMARY_MS.usual;
  await interruptible(process, 'engine.chunk', ms ?? 300, signal);
  if (ms === undefined) throw providerFailure('overloaded');
  const names = namesIn(text).filter((one) => !one.startsWith('s'));
  yield { type: 'text', delta: [`s${n}`, ...names].join(' ') };
  yield { type: 'finish', usage: { inputTokens: 20, outputTokens: 5 }, reason: 'stop' };
}

/** A wait for the provider, which an abort ends. */
function interruptible(process: Process, name: string, ms: number, signal: AbortSignal): Promise<void> {
  const broken = (): never => {
    throw providerFailure('unreachable');
  };
  const made = process.call<void>({
    ...{ name, latencyMs: ms, timeoutMs: Math.max(30_000, ms), effect: async () => undefined },
    ...{ refused: broken, unknown: broken },
  });
  return orAborted(process, made, signal);
}

/** The work, or the signal's reason once it is aborted. */
export function orAborted<T>(process: Process, work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => process.alive && reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined);
  work.catch(() => undefined);
  return Promise.race([work, aborted]);
}
