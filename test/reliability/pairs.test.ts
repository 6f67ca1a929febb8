import { expect, test } from 'vitest';
import { randomFrom } from './clock.ts';
import { FAULTS, type Fault, type Planned } from './faults.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { IS_LONG, runWith, Tally } from './walk.ts';

/** Pairs in the normal run: a sample, the same one each time. */
const SAMPLE = Number(process.env.CONCH_PAIRS ?? (IS_LONG ? 40_000 : 1_000));
/** After a first fault there are more calls than in a run without one. */
const MORE_CALLS = 30;
/** Walked through in full in the long run. */
const CORE = ['message', 'message, Slack', 'command', 'message, cannot edit'];

const lengths = new Map<Scenario, number>();

async function callsOf(scenario: Scenario): Promise<number> {
  const calls = lengths.get(scenario) ?? (await runWith(scenario, [])).calls;
  lengths.set(scenario, calls);
  return calls;
}

/** Some pair of faults at some pair of calls of some scenario. */
async function pairFrom(random: () => number): Promise<{ scenario: Scenario; plan: Planned[] }> {
  const one = <T>(all: readonly T[], otherwise: T): T => all[Math.floor(random() * all.length)] ?? otherwise;
  const scenario = one(SCENARIOS, { name: 'nothing', acts: [] });
  const calls = await callsOf(scenario);
  const first = 1 + Math.floor(random() * calls);
  const second = first + 1 + Math.floor(random() * (calls + MORE_CALLS - first));
  const plan = [first, second].map((call) => ({ call, fault: one<Fault>(FAULTS, 'refuse') }));
  return { scenario, plan };
}

test('two faults in one run: a sample of the pairs over all scenarios', { timeout: 3_600_000 }, async () => {
  const tally = new Tally();
  const random = randomFrom(Number(process.env.CONCH_SEED ?? 11));
  for (let n = 0; n < SAMPLE; n++) {
    const { scenario, plan } = await pairFrom(random);
    tally.add(`${scenario.name} ${JSON.stringify(plan)}`, await runWith(scenario, plan));
  }
  console.info(`pairs: ${tally}`);
  expect(tally.broken).toEqual([]);
});

test.runIf(IS_LONG)('two faults in one run: every pair of the core', { timeout: 3_600_000 }, async () => {
  const tally = new Tally();
  for (const scenario of SCENARIOS.filter(({ name }) => CORE.includes(name))) {
    const calls = await callsOf(scenario);
    for (const plan of pairsUpTo(calls))
      tally.add(`${scenario.name} ${JSON.stringify(plan)}`, await runWith(scenario, plan));
  }
  console.info(`every pair of the core: ${tally}`);
  expect(tally.broken).toEqual([]);
});

function* pairsUpTo(calls: number): Generator<Planned[]> {
  for (let first = 1; first <= calls; first++) {
    for (let second = first + 1; second <= calls + MORE_CALLS; second++) {
      for (const fault of FAULTS) {
        for (const other of FAULTS) {
          yield [
            { call: first, fault },
            { call: second, fault: other },
          ];
        }
      }
    }
  }
}
