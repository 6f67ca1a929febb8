import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** One thing to measure: does its work once and gives what it took, in the row's unit. `n` counts up, warm-up included. */
export type Contestant = (n: number) => Promise<number>;

export interface Plan {
  warmUp: number;
  rounds: number;
  perRound: number;
}

/** A figure beside the least that does the job. */
export interface Figure {
  ours: number;
  floor: number;
  ratio: number;
}

/** The medians of one round, by contestant. */
export type Rounds<K extends string> = Record<K, number>[];

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = low] = sorted.length % 2 ? sorted.slice(middle) : sorted.slice(middle - 1);
  return sorted.length % 2 ? low : (low + high) / 2;
}

/**
 * Measures all contestants in turns: one of each, in an order that goes round, so that whatever else the machine does
 * meets all of them alike.
 */
export async function race<K extends string>(contestants: Record<K, Contestant>, plan: Plan): Promise<Rounds<K>> {
  const names = Object.keys(contestants) as K[];
  let n = 0;
  const once = async (times: number) => {
    const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>;
    for (const end = n + times; n < end; n++) {
      for (let k = 0; k < names.length; k++) {
        const name = names[(n + k) % names.length] as K;
        samples[name].push(await contestants[name](n));
      }
    }
    return Object.fromEntries(names.map((name) => [name, median(samples[name])])) as Record<K, number>;
  };
  await once(plan.warmUp);
  const rounds: Rounds<K> = [];
  for (let round = 0; round < plan.rounds; round++) {
    await quiet();
    rounds.push(await once(plan.perRound));
  }
  return rounds;
}

/** One contestant against another: the round in the middle, by ratio. */
export function figure<K extends string>(rounds: Rounds<K>, ours: K, floor: K): Figure {
  const figures = rounds.map((round) => ({
    ours: round[ours],
    floor: round[floor],
    ratio: round[ours] / round[floor],
  }));
  const sorted = figures.sort((a, b) => a.ratio - b.ratio);
  const middle = sorted[sorted.length >> 1];
  if (!middle) throw new Error('Nothing was measured');
  return middle;
}

/** How long a call takes, in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const LOOK_MS = 100;
const PATIENCE_MS = 3_000;
const IDLE_ENOUGH = 0.6;

function idleMs(): { idle: number; all: number } {
  const times = cpus().map(({ times: one }) => one);
  const sum = (ms: number[]) => ms.reduce((a, b) => a + b, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.map((one) => sum(Object.values(one)))) };
}

/** Waits for a moment in which other processes leave the machine alone; not for long, since there may be none. */
async function quiet(): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    const before = idleMs();
    await wait(LOOK_MS);
    const after = idleMs();
    if ((after.idle - before.idle) / (after.all - before.all) >= IDLE_ENOUGH) return;
  }
}
