import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createTableStores } from '../support/stores.ts';
import { FAULTS } from './faults.ts';
import { history, runHistory } from './histories.ts';
import { SCENARIOS } from './scenarios.ts';
import { IS_LONG, runWith, Tally } from './walk.ts';

/** The same on the embedded DynamoDB, fewer times: the stores in memory are a speed-up, not another truth. */

let stores: Awaited<ReturnType<typeof createTableStores>>;
beforeAll(async () => {
  stores = await createTableStores(inject('dynamodbEndpoint'));
});
afterAll(() => stores.close());

const WALKED = ['message', 'undo pressed', 'stop', 'clear in mid-turn, undone', 'slots exhausted'];
const POINTS = IS_LONG ? Number.POSITIVE_INFINITY : 4;
const HISTORIES = IS_LONG ? 300 : 10;

let worlds = 0;

test('faults at calls of a world on DynamoDB', { timeout: 3_600_000 }, async () => {
  const tally = new Tally();
  for (const scenario of SCENARIOS.filter(({ name }) => WALKED.includes(name))) {
    const plain = await runWith(scenario, [], { stores, number: ++worlds });
    tally.add(scenario.name, plain);
    const step = Math.max(1, Math.floor(plain.calls / POINTS));
    for (let call = 1; call <= plain.calls; call += step) {
      tally.points++;
      const fault = FAULTS[(call + worlds) % FAULTS.length] ?? 'refuse';
      tally.add(scenario.name, await runWith(scenario, [{ call, fault }], { stores, number: ++worlds }));
    }
  }
  console.info(`on DynamoDB: ${tally}`);
  expect(tally.broken).toEqual([]);
});

test('random histories on DynamoDB', { timeout: 3_600_000 }, async () => {
  const tally = new Tally();
  for (const one of fc.sample(history, { numRuns: HISTORIES, seed: 3 })) {
    tally.points += one.plan.length;
    tally.add(JSON.stringify(one), await runHistory(one, { stores, number: ++worlds }));
  }
  console.info(`histories on DynamoDB: ${tally}`);
  expect(tally.broken).toEqual([]);
});
