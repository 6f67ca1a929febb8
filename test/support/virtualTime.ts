import type { Runtime } from '../../lib/ports/runtime.ts';

interface Timer {
  at: number;
  fire: () => void;
}

/**
 * Time that a test moves. A wait for something else to happen (with a signal) lasts until the test moves time on; any
 * other wait is over at once, and time has moved by it.
 */
export class VirtualTime implements Runtime {
  #now: number;
  #ids = 0;
  readonly #prefix: string;
  readonly #timers = new Set<Timer>();

  /** @param prefix makes ids differ from those of another time. */
  constructor(prefix: string, startMs = Math.floor(Date.now() / 1000) * 1000) {
    this.#now = startMs;
    this.#prefix = prefix;
  }

  now = (): number => this.#now;

  newId = (): string => {
    this.#ids += 1;
    return `${this.#prefix}${String(this.#ids).padStart(6, '0')}`;
  };

  random = (): number => 0;

  sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal) return this.#sleepUntilMoved(ms, signal);
    this.#now += ms;
    await new Promise((resolve) => setImmediate(resolve));
  };

  #sleepUntilMoved(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const timer: Timer = { at: this.#now + ms, fire: resolve };
      this.#timers.add(timer);
      signal.addEventListener('abort', () => {
        this.#timers.delete(timer);
        reject(signal.reason);
      });
    });
  }

  /** How many waits last until time is moved. */
  get waits(): number {
    return this.#timers.size;
  }

  /** Moves time on; waits that are over by then end. */
  advance(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.fire();
    }
  }
}
