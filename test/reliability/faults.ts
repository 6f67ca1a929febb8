import type { Call, ProcessKind } from './process.ts';

/**
 * What can happen to a call: it is refused and surely not done; its answer is lost though it was done; it is lost on
 * the way; the process dies right before or right after it; the process stalls after it, past its lease, and goes on;
 * or pauses so before it. A pause right before a send cannot be fenced (DESIGN 3a) and is no fault of the walk.
 */
export const FAULTS = ['refuse', 'lost', 'drop', 'die-before', 'die-after', 'stall', 'pause'] as const;
export type Fault = (typeof FAULTS)[number];

/** A fault at the call with this number, counted from 1. */
export interface Planned {
  call: number;
  fault: Fault;
}

/** Longer than a lease and a hint's invisibility for a worker; longer than Slack and Teams wait for a webhook. */
const STALL_MS: Record<ProcessKind, number> = {
  webhook: 8_000,
  worker: 100_000,
  sweeper: 30_000,
  'dead-letters': 8_000,
};

/** Decides at every call whether something happens to it, and counts the calls. */
export class Faults {
  /** Calls so far. */
  calls = 0;
  /** What happened, for the report. */
  readonly happened: string[] = [];
  readonly #plan: ReadonlyMap<number, Fault>;
  readonly #always: ((kind: ProcessKind, name: string) => Fault | undefined) | undefined;
  readonly #pausesSends: boolean;
  readonly #random: (() => number) | undefined;
  readonly #counted: ReadonlySet<ProcessKind>;

  /**
   * @param options `counted`: whose calls count; `always`: what happens to calls that the plan leaves alone; `random`:
   * stalls last any time up to twice the usual; `pausesSends`: a pause may also come right before a send.
   */
  constructor(
    plan: readonly Planned[] = [],
    options: {
      counted?: readonly ProcessKind[];
      always?: (kind: ProcessKind, name: string) => Fault | undefined;
      random?: () => number;
      pausesSends?: boolean;
    } = {},
  ) {
    this.#random = options.random;
    this.#pausesSends = options.pausesSends === true;
    this.#plan = new Map(plan.map(({ call, fault }) => [call, fault]));
    this.#always = options.always;
    this.#counted = new Set(options.counted ?? ['webhook', 'worker', 'dead-letters']);
  }

  next(kind: ProcessKind, call: Pick<Call<unknown>, 'name' | 'isSend'>): Fault | undefined {
    const fault = (this.#counted.has(kind) ? this.#planned() : undefined) ?? this.#always?.(kind, call.name);
    if (fault === undefined || (fault === 'pause' && call.isSend && !this.#pausesSends)) return undefined;
    this.happened.push(`${fault} at ${call.name} of a ${kind}, call ${this.calls}`);
    return fault;
  }

  #planned(): Fault | undefined {
    this.calls++;
    return this.#plan.get(this.calls);
  }

  /** Whether a process stood still for a while. */
  get stalled(): boolean {
    return this.happened.some((what) => /^(?:stall|pause) /u.test(what));
  }

  /** Whether nothing at all can happen to calls of this kind of process: they need no time then. */
  spares(kind: ProcessKind): boolean {
    return !this.#counted.has(kind) && this.#always === undefined;
  }

  stallMs(kind: ProcessKind): number {
    return STALL_MS[kind] * (this.#random ? 2 * this.#random() : 1);
  }
}
