import type { Runtime } from '../../lib/ports/runtime.ts';
import type { VirtualClock } from './clock.ts';
import type { Fault, Faults } from './faults.ts';

export type ProcessKind = 'webhook' | 'worker' | 'sweeper' | 'dead-letters';

/** One call to the outside, as a process makes it. */
export interface Call<T> {
  /** Which port and method, such as `log.append`. */
  name: string;
  /** How long the way there takes, ms. */
  latencyMs: number;
  /** How long the caller waits for an answer, ms. */
  timeoutMs: number;
  /** A message to a person: once it is on its way nobody can call it back. */
  isSend?: boolean;
  effect: () => Promise<T>;
  /** What the caller gets when it surely was not done, and when it may have been: a result, or something thrown. */
  refused: () => T;
  unknown: () => T;
}

/** The world as a process sees it. */
export interface Surroundings {
  clock: VirtualClock;
  faults: Faults;
  random: () => number;
  newId: () => string;
  /** Follows work that takes real time, so that virtual time waits for it. */
  track<T>(work: Promise<T>): Promise<T>;
}

/** How far the clocks of machines are from the true time. */
const SKEWS_MS = [0, 900, -900, 1_500, -1_500];

const usualSkewMs = (id: number) => SKEWS_MS[id % SKEWS_MS.length] ?? 0;

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * A process of Conch. Once it is dead nothing that it waited for ever comes, so that none of its code goes on; a call
 * that had left already still arrives.
 */
export class Process {
  readonly id: number;
  readonly kind: ProcessKind;
  alive = true;
  /** The claim under which it acts, once it has one. */
  claim: { place: string; turn: string; attempt: number } | undefined;
  readonly runtime: Runtime;
  /** Told once, when it dies. */
  onDeath: () => void = () => undefined;
  readonly #around: Surroundings;

  constructor(around: Surroundings, id: number, kind: ProcessKind, skewOf = usualSkewMs) {
    this.#around = around;
    this.id = id;
    this.kind = kind;
    const skewMs = skewOf(id);
    this.runtime = {
      now: () => around.clock.now() + skewMs,
      newId: around.newId,
      random: around.random,
      sleep: (ms, signal) => this.sleep(ms, signal),
    };
  }

  die(): void {
    if (!this.alive) return;
    this.alive = false;
    this.onDeath();
  }

  async call<T>(call: Call<T>): Promise<T> {
    if (!this.alive) return never();
    if (this.#around.faults.spares(this.kind)) return this.#around.track(call.effect());
    const fault = this.#around.faults.next(this.kind, call);
    const stallMs = this.#around.faults.stallMs(this.kind);
    if (fault === 'die-before') return this.#dieHere();
    if (fault === 'pause') await this.#pass(stallMs);
    if (fault === 'refuse') return this.#back(call.latencyMs, call.refused);
    if (fault === 'drop') return this.#back(call.timeoutMs, call.unknown);
    const lateMs = fault === 'lost' && call.isSend ? this.#around.random() * (call.timeoutMs - 1_500) : 0;
    await this.#travel(call.latencyMs + lateMs);
    const outcome = await this.#effect(call);
    return this.#answer(call, fault, outcome, stallMs);
  }

  async #effect<T>(call: Call<T>): Promise<() => T> {
    try {
      const value = await this.#around.track(call.effect());
      return () => value;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  async #answer<T>(call: Call<T>, fault: Fault | undefined, outcome: () => T, stallMs: number): Promise<T> {
    if (fault === 'die-after') return this.#dieHere();
    if (fault === 'lost') return this.#back(call.timeoutMs - call.latencyMs, call.unknown);
    return this.#back(1 + this.#around.random() * 2 + (fault === 'stall' ? stallMs : 0), outcome);
  }

  #dieHere<T>(): Promise<T> {
    this.die();
    return never();
  }

  async #back<T>(ms: number, give: () => T): Promise<T> {
    await this.#pass(ms);
    return give();
  }

  /** Time passes; a process that died meanwhile does not come back from it. */
  async #pass(ms: number): Promise<void> {
    await this.#travel(ms);
    if (!this.alive) return never();
  }

  #travel(ms: number): Promise<void> {
    return new Promise((resolve) => this.#around.clock.after(ms, resolve));
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.alive) return never();
    return new Promise((resolve, reject) => {
      const settle = (how: () => void) => () => {
        if (this.alive) how();
      };
      const abort = settle(() => reject(signal?.reason));
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      this.#around.clock.after(ms, () => {
        signal?.removeEventListener('abort', abort);
        settle(resolve)();
      });
    });
  }
}
