import { expect, test } from 'vitest';
import { FAULTS, Faults } from './faults.ts';
import type { Scenario } from './scenarios.ts';
import { IS_LONG, runWith, Tally } from './walk.ts';

/** Nothing that a webhook enqueues arrives, so that everything depends on the sweeper (DESIGN 3, Outbox). */
const noHints = (plan: ConstructorParameters<typeof Faults>[0]) =>
  new Faults(plan, {
    counted: ['sweeper'],
    always: (kind, name) => (kind === 'webhook' && name === 'queue.send' ? 'refuse' : undefined),
  });

const scenario: Scenario = {
  name: 'no hint arrives',
  acts: [
    { at: 0, say: '{m} [short]' },
    { at: 40_000, chat: 'bob', say: '{m} [short]' },
    { at: 41_000, chat: 'bob', say: '/stop' },
    { at: 70_000, say: '{m} [short]' },
  ],
};

/** Calls of one sweep: three for each shard, and two for each place that is found. */
const CALLS_OF_A_SWEEP = 52;

test('every fault at every call of the sweeper: what was not enqueued is found all the same', async () => {
  const tally = new Tally();
  const plain = await runWith(scenario, [], { faults: noHints([]) });
  tally.add(scenario.name, plain);
  const last = IS_LONG ? plain.calls : Math.min(plain.calls, 3 * CALLS_OF_A_SWEEP);
  for (let call = 1; call <= last; call++) {
    tally.points++;
    for (const fault of IS_LONG ? FAULTS : FAULTS.slice(call % 2, 2 + (call % 6))) {
      tally.add(scenario.name, await runWith(scenario, [], { faults: noHints([{ call, fault }]) }));
    }
  }
  console.info(`sweeper: ${tally}`);
  expect(tally.broken).toEqual([]);
});
