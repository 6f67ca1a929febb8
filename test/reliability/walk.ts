import { check } from './check.ts';
import { FAULTS, type Fault, Faults, type Planned } from './faults.ts';
import type { Scenario } from './scenarios.ts';
import { World, type WorldOptions } from './world.ts';

/** What one run came to. */
export interface Run {
  calls: number;
  violations: string[];
  oddities: ReadonlyMap<string, number>;
  happened: readonly string[];
  /** How long after the last thing that a person did the last event came, ms. */
  settledMs: number;
}

/** Plays a scenario with faults at these calls and checks every promise. */
export async function runWith(scenario: Scenario, plan: readonly Planned[], options: WorldOptions = {}): Promise<Run> {
  const faults = options.faults ?? new Faults(plan);
  const world = new World(scenario, { seed: 7, ...options, faults });
  await world.play();
  const violations = await check(world);
  return {
    calls: faults.calls,
    violations,
    oddities: world.watch.oddities,
    happened: faults.happened,
    settledMs: world.settledMs,
  };
}

/** The sum of many runs. */
export class Tally {
  runs = 0;
  points = 0;
  /** The longest that it took until all was done. */
  slowestMs = 0;
  #slowest = '';
  readonly oddities = new Map<string, number>();
  readonly broken: string[] = [];

  add(name: string, run: Run): void {
    this.runs++;
    if (run.settledMs > this.slowestMs) {
      this.slowestMs = run.settledMs;
      this.#slowest = run.happened.join('; ') || 'no fault';
    }
    for (const [what, times] of run.oddities) this.oddities.set(what, (this.oddities.get(what) ?? 0) + times);
    for (const what of run.violations) {
      this.broken.push(`${name}: ${what} [${run.happened.join('; ') || 'no fault'}]`);
    }
  }

  toString(): string {
    const odd = [...this.oddities].map(([what, times]) => `${what} ${times}`).join(', ');
    return `${this.points} points, ${this.runs} runs, ${this.broken.length} violations; allowed: ${odd || 'nothing odd'}; slowest ${Math.round(this.slowestMs / 1000)} s (${this.#slowest})`;
  }
}

/** The long run: `CONCH_LONG=1`. */
export const IS_LONG = process.env.CONCH_LONG === '1';

/** One of the two halves that two workers walk side by side. */
export function shareOf<T>(all: readonly T[], half: 1 | 2): T[] {
  return all.filter((_, n) => n % 2 === half - 1);
}

/** Faults at every call of a scenario, one at a time. */
export async function walk(scenario: Scenario, tally: Tally, options: { everyFault?: boolean } = {}): Promise<void> {
  const plain = await runWith(scenario, []);
  tally.add(scenario.name, plain);
  for (let call = 1; call <= plain.calls; call++) {
    tally.points++;
    for (const fault of options.everyFault ? FAULTS : faultAt(scenario, call)) {
      tally.add(scenario.name, await runWith(scenario, [{ call, fault }]));
    }
  }
}

/** The normal run: one fault a call, in turn, beginning with another in each scenario, so that all meet calls of each kind. */
function faultAt({ name }: Scenario, call: number): readonly Fault[] {
  const fault = FAULTS[(call + name.length) % FAULTS.length];
  return fault === undefined ? [] : [fault];
}
