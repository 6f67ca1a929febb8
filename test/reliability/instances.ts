import type { WorkerDeps } from '../../lib/conversations/deps.ts';
import { Ingest } from '../../lib/conversations/ingest.ts';
import { Sweeper } from '../../lib/conversations/sweep.ts';
import { Worker } from '../../lib/conversations/worker.ts';
import type { SweepCursor } from '../../lib/ports/capacity.ts';
import type { VirtualClock } from './clock.ts';
import type { Process, ProcessKind } from './process.ts';

export type InstanceDeps = WorkerDeps & { cursor: SweepCursor };

/** A running function: what it keeps in memory lives as long as its process. */
export class Instance {
  readonly process: Process;
  readonly deps: InstanceDeps;
  readonly ingest: Ingest;
  readonly worker: Worker;
  readonly sweeper: Sweeper;
  busy = false;

  constructor(process: Process, deps: InstanceDeps) {
    this.process = process;
    this.deps = deps;
    this.ingest = new Ingest(deps);
    this.worker = new Worker(deps);
    this.sweeper = new Sweeper(deps);
  }
}

/** How long a function may run, ms. */
const LIMIT_MS: Record<ProcessKind, number> = {
  webhook: 15_000,
  worker: 900_000,
  sweeper: 50_000,
  'dead-letters': 60_000,
};
const START_MS = 20;

export type Ending<T> = { how: 'done'; value: T } | { how: 'failed'; error: unknown } | { how: 'died' };

/** Runs functions as Lambda does: one call at a time in an instance, which is used again while it lives. */
export class Functions {
  /** Calls under way, without the sweeper's. */
  active = 0;
  readonly #clock: VirtualClock;
  readonly #start: (kind: ProcessKind) => Instance;
  readonly #instances: Instance[] = [];
  readonly #limitMs: Record<ProcessKind, number>;

  constructor(
    clock: VirtualClock,
    start: (kind: ProcessKind) => Instance,
    limitMs: Partial<Record<ProcessKind, number>> = {},
  ) {
    this.#clock = clock;
    this.#start = start;
    this.#limitMs = { ...LIMIT_MS, ...limitMs };
  }

  invoke<T>(
    kind: ProcessKind,
    work: (instance: Instance, deadline: number) => Promise<T>,
    done: (ending: Ending<T>) => void,
  ): void {
    const instance = this.#idle(kind);
    const { process } = instance;
    const counts = kind === 'sweeper' ? 0 : 1;
    let over = false;
    const finish = (ending: Ending<T>) => {
      if (over) return;
      over = true;
      instance.busy = false;
      this.active -= counts;
      done(ending);
    };
    instance.busy = true;
    this.active += counts;
    process.onDeath = () => finish({ how: 'died' });
    const deadline = this.#clock.now() + this.#limitMs[kind];
    this.#clock.after(this.#limitMs[kind], () => over || process.die());
    this.#clock.after(START_MS, () => {
      if (!process.alive) return;
      work(instance, deadline).then(
        (value) => finish({ how: 'done', value }),
        (error) => finish({ how: 'failed', error }),
      );
    });
  }

  #idle(kind: ProcessKind): Instance {
    const idle = this.#instances.find(({ process, busy }) => process.alive && !busy && process.kind === kind);
    if (idle) return idle;
    const started = this.#start(kind);
    this.#instances.push(started);
    return started;
  }
}
