import { expect, test } from 'vitest';
import { SCENARIOS } from './scenarios.ts';
import { IS_LONG, shareOf, Tally, walk } from './walk.ts';

/**
 * Every call to the outside that a scenario makes, met by every fault (DESIGN 7.3): redelivery, queue and sweeper go on
 * until nothing moves, then every promise is checked. `CONCH_LONG=1` walks all faults at all calls, the normal run
 * every call with a part of them.
 */
for (const scenario of shareOf(SCENARIOS, 2)) {
  test(`${scenario.name}: whatever fails or dies, each thing is done and answered once`, {
    timeout: 1_200_000,
  }, async () => {
    const tally = new Tally();
    await walk(scenario, tally, { everyFault: IS_LONG });
    console.info(`${scenario.name}: ${tally}`);
    expect(tally.broken).toEqual([]);
    expect(tally.slowestMs, 'no single fault holds anybody up for longer').toBeLessThan(240_000);
  });
}
