import { STOP_POLL_MS } from '../domain/limits.ts';
import type { ToolCall } from '../domain/toolCalls.ts';
import type { Engine, EnginePart, EngineRequest } from '../ports/engine.ts';
import type { Runtime } from '../ports/runtime.ts';
import { AnswerText } from './answerText.ts';
import type { GrowingReply } from './growing.ts';
import type { Holder } from './holder.ts';

type Finish = Extract<EnginePart, { type: 'finish' }>;

/** What one request to the provider came to. `stopped` and `lost` end it early, with the text so far. */
export type StepResult =
  | ({ kind: 'answer'; text: string; calls: ToolCall[] } & Pick<Finish, 'usage' | 'reason' | 'own'>)
  | { kind: 'stopped'; text: string }
  | { kind: 'lost' }
  | { kind: 'failed'; error: unknown; text: string };

/**
 * Streams one step, showing the text as it grows. Meanwhile it looks for `/stop` and renews the lease; either way out
 * aborts the request at the provider (DESIGN 3, Stop).
 */
export async function runStep(
  runtime: Runtime,
  engine: Engine,
  request: EngineRequest,
  holder: Holder,
  growing: GrowingReply,
): Promise<StepResult> {
  const abort = new AbortController();
  const done = new AbortController();
  const watching = watch(runtime, holder, abort, done.signal);
  const answer = new AnswerText();
  const calls: ToolCall[] = [];
  try {
    for await (const part of begun(engine.run(request, abort.signal), () => growing.open())) {
      if (part.type === 'finish') {
        const { type: _, ...finish } = part;
        return ending(holder) ?? { kind: 'answer', text: answer.text, calls, ...finish };
      }
      if (part.type === 'call') {
        calls.push(part.call);
        continue;
      }
      const fits = answer.add(part.delta);
      growing.show(answer.text);
      if (!fits) return cutOff();
    }
    return ending(holder) ?? { kind: 'answer', text: answer.text, calls, usage: {}, reason: 'other' };
  } catch (error) {
    return ending(holder) ?? { kind: 'failed', error, text: answer.text };
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

/** Looks at the log every `STOP_POLL_MS`, and keeps the lease, until the step is done. */
async function watch(runtime: Runtime, holder: Holder, abort: AbortController, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    await runtime.sleep(STOP_POLL_MS, done).catch(() => undefined);
    if (done.aborted) return;
    try {
      await holder.look();
      if (holder.lost || holder.stopAsked || !(await holder.keep())) return abort.abort();
    } catch {
      // The store did not answer: the next look, or the fence before the next send, decides.
    }
  }
}
