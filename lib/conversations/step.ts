import { jsonBytes } from '../domain/textSize.ts';
import type { ToolCall } from '../domain/toolCalls.ts';
import {
  type Engine,
  type EnginePart,
  type EngineRequest,
  isProviderFailure,
  type ProviderFailure,
} from '../ports/engine.ts';
import type { Runtime } from '../ports/runtime.ts';
import { AnswerText } from './answerText.ts';
import type { GrowingReply } from './growing.ts';
import type { Holder } from './holder.ts';
import { watch } from './whileHeld.ts';

type Finish = Extract<EnginePart, { type: 'finish' }>;

/** What one request to the provider came to. `stopped` and `lost` end it early, with the text so far. */
export type StepResult =
  | ({ kind: 'answer'; text: string; calls: ToolCall[] } & Pick<Finish, 'usage' | 'reason' | 'own' | 'session'>)
  | { kind: 'stopped'; text: string }
  | { kind: 'lost' }
  /** The process is about to end. */
  | { kind: 'interrupted' }
  | { kind: 'failed'; failure: Error & ProviderFailure; text: string };

/**
 * Streams one step, showing the text as it grows. Meanwhile it looks for `/stop` and renews the lease; either way out
 * aborts the request at the provider (DESIGN 3, Stop).
 * @throws what is no failure of the provider.
 * @param lead what the turn has said before, shown above it.
 */
export async function runStep(
  runtime: Runtime,
  engine: Engine,
  request: EngineRequest,
  holder: Holder,
  growing: GrowingReply,
  lead = '',
): Promise<StepResult> {
  if (runtime.ending?.aborted) return { kind: 'interrupted' };
  const abort = new AbortController();
  const done = new AbortController();
  const watching = watch(runtime, holder, abort, done.signal);
  const signal = runtime.ending ? AbortSignal.any([abort.signal, runtime.ending]) : abort.signal;
  const answer = new AnswerText(lead.length, jsonBytes(lead));
  const before = lead === '' ? '' : `${lead}\n\n`;
  const calls: ToolCall[] = [];
  try {
    for await (const part of begun(engine.run(request, signal), () => growing.open())) {
      if (part.type === 'finish') {
        const { type: _, ...finish } = part;
        return ending(holder) ?? { kind: 'answer', text: answer.text, calls, ...finish };
      }
      if (part.type === 'call') {
        calls.push(part.call);
        continue;
      }
      const fits = answer.add(part.delta);
      growing.show(before + answer.text);
      if (!fits) return cutOff();
    }
    return ending(holder) ?? { kind: 'answer', text: answer.text, calls, usage: {}, reason: 'other' };
  } catch (error) {
    const end = ending(holder);
    if (end) return end;
    if (runtime.ending?.aborted) return { kind: 'interrupted' };
    if (isProviderFailure(error)) return { kind: 'failed', failure: error, text: answer.text };
    throw error;
  } finally {
    done.abort();
    await watching;
  }

  function ending(by: Holder): StepResult | undefined {
    if (by.lost) return { kind: 'lost' };
    return by.stopAsked ? { kind: 'stopped', text: answer.text } : undefined;
  }

  /** More than the log can hold: the rest is not waited for. */
  function cutOff(): StepResult {
    abort.abort();
    return ending(holder) ?? { kind: 'answer', text: answer.text, calls: [], usage: {}, reason: 'length' };
  }
}

/** The stream, its first part asked for before `then` is done: nothing comes before the request. */
async function* begun<T>(stream: AsyncIterable<T>, then: () => void): AsyncIterable<T> {
  const parts = stream[Symbol.asyncIterator]();
  try {
    let next = parts.next();
    then();
    for (let part = await next; !part.done; part = await next) {
      yield part.value;
      next = parts.next();
    }
  } finally {
    await parts.return?.();
  }
}
