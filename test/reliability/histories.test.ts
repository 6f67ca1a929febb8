import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type History, history, runHistory } from './histories.ts';
import { IS_LONG, Tally } from './walk.ts';

/** Another seed each time in the long run; the same one otherwise, or that of `CONCH_SEED`. */
const SEED = Number(process.env.CONCH_SEED ?? (IS_LONG ? Date.now() % 1_000_000_000 : 20_270_115));
const RUNS = Number(process.env.CONCH_RUNS ?? (IS_LONG ? 20_000 : 700));

test('random histories keep every promise', { timeout: 3_600_000 }, async () => {
  const tally = new Tally();
  const keeps = async (one: History) => {
    const run = await runHistory(one);
    tally.add('history', run);
    tally.points += run.happened.length;
    expect(run.violations, run.happened.join('; ')).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(history, keeps), { seed: SEED, numRuns: RUNS });
  console.info(`${RUNS} histories from seed ${SEED}, faults that happened: ${tally}`);
});
