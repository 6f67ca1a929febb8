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
  /** The names of the calls, in order. */
  readonly names: string[] = [];
  readonly #plan: ReadonlyMap<number, Fault>;
  readonly #chance: ((call: number) => Fault | undefined) | undefined;
  readonly #counted: ReadonlySet<ProcessKind>;

  /** @param options `chance` decides where the plan has nothing; `counted`: which processes' calls count. */
  constructor(
    plan: readonly Planned[] = [],
    options: { chance?: (call: number) => Fault | undefined; counted?: readonly ProcessKind[] } = {},
  ) {
    this.#plan = new Map(plan.map(({ call, fault }) => [call, fault]));
    this.#chance = options.chance;
    this.#counted = new Set(options.counted ?? ['webhook', 'worker', 'dead-letters']);
  }

  next(kind: ProcessKind, call: Pick<Call<unknown>, 'name' | 'isSend'>): Fault | undefined {
    if (!this.#counted.has(kind)) return undefined;
    this.calls++;
    this.names.push(`${kind} ${call.name}`);
    const fault = this.#plan.get(this.calls) ?? this.#chance?.(this.calls);
    if (fault === undefined || (fault === 'pause' && call.isSend)) return undefined;
    this.happened.push(`${fault} at call ${this.calls}, ${call.name} of a ${kind}`);
    return fault;
  }

  stallMs(kind: ProcessKind): number {
    return STALL_MS[kind];
  }
}
