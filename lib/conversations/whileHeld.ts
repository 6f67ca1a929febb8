import { STOP_POLL_MS } from '../domain/limits.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Holder } from './holder.ts';

/**
 * Does a turn's work while looking for `/stop` and renewing the lease; either way out aborts the work (DESIGN 3, Stop), and
 * so does the process's end.
 * @param graceMs how long the work may go on once the process is about to end: 0 for what can be done again.
 * @returns undefined if it was aborted so.
 * @throws what the work throws otherwise.
 */
export async function whileHeld<T>(
  runtime: Runtime,
  holder: Holder,
  work: (signal: AbortSignal) => Promise<T>,
  graceMs = 0,
): Promise<T | undefined> {
  const abort = new AbortController();
  const done = new AbortController();
  if (runtime.ending?.aborted && graceMs === 0) return undefined;
  const watching = watch(runtime, holder, abort, done.signal);
  breakOff(runtime, graceMs, abort, done.signal);
  try {
    return await work(abort.signal);
  } catch (error) {
    if (abort.signal.aborted) return undefined;
    throw error;
  } finally {
    done.abort();
    await watching;
  }
}

/** Aborts the work this long after the process's end was announced, unless it is done by then. */
function breakOff(runtime: Runtime, graceMs: number, abort: AbortController, done: AbortSignal): void {
  const { ending } = runtime;
  const onEnding = async () => {
    if (graceMs > 0) await runtime.sleep(graceMs, done).catch(() => undefined);
    if (!done.aborted) abort.abort();
  };
  if (ending?.aborted) void onEnding();
  else ending?.addEventListener('abort', onEnding, { once: true, signal: done });
}

/** Looks at the log every `STOP_POLL_MS`, and keeps the lease, until the work is done. */
export async function watch(
  runtime: Runtime,
  holder: Holder,
  abort: AbortController,
  done: AbortSignal,
): Promise<void> {
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
