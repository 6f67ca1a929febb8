import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Usage } from '../domain/events.ts';
import { type Engine, type EnginePart, type EngineRequest, type EngineSettings, wordsOf } from '../ports/engine.ts';
import { demoStep } from './demoStep.ts';

/** Waits; rejects when the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

const sleepWithTimer: Sleep = (ms, signal) => sleepFor(ms, undefined, { signal });

const DEFAULT_DELAY_MS = 15;
const CHARACTERS_PER_TOKEN = 4;

/**
 * The built-in engine: needs no key and no network. The same request always gets the same answer, one word at a time. It
 * asks by itself to leave plan mode.
 * @param settings `settings.delayMs` is the pause before each word, 15 by default.
 * @param sleep how it pauses.
 */
export function demoEngine({ settings }: EngineSettings, sleep: Sleep = sleepWithTimer): Engine {
  const asked = Number.parseInt(settings.delayMs ?? '', 10);
  const delayMs = asked >= 0 ? asked : DEFAULT_DELAY_MS;
  return {
    planApproval: 'native',
    run: (request, signal) => runDemo(request, signal, (at) => sleep(delayMs, at)),
  };
}

async function* runDemo(
  request: EngineRequest,
  signal: AbortSignal,
  pause: (signal: AbortSignal) => Promise<void>,
): AsyncGenerator<EnginePart> {
  const { text, calls } = demoStep(request);
  const words = text.match(/\s*\S+/gu) ?? [];
  const limit = request.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  let said = '';
  for (const word of words) {
    if (tokensOf(said + word) > limit) {
      yield { type: 'finish', usage: usageOf(request, said), reason: 'length' };
      return;
    }
    await pause(signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
    said += word;
    yield { type: 'text', delta: word };
  }
  for (const call of calls) yield { type: 'call', call };
  const written = said + calls.map(({ input }) => JSON.stringify(input)).join('');
  yield { type: 'finish', usage: usageOf(request, written), reason: calls.length > 0 ? 'tools' : 'stop' };
}

function usageOf({ system, messages }: EngineRequest, said: string): Usage {
  const read = messages.reduce((sum, message) => sum + tokensOf(wordsOf(message)), tokensOf(system));
  return { inputTokens: read, outputTokens: tokensOf(said), cachedTokens: 0 };
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
