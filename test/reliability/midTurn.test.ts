import { expect, test } from 'vitest';
import { check } from './check.ts';
import { Faults } from './faults.ts';
import { REGISTRY } from './histories.ts';
import type { Scenario } from './scenarios.ts';
import { World } from './world.ts';

/** Calls of the webhook that takes the command lie around these, whichever command it is. */
const CALLS = [20, 22, 24, 26, 28, 30, 32, 34];

function inMidTurn(say: string): Scenario {
  const acts = [
    { at: 0, say: '{m} [steady]' },
    { at: 2_500, say },
    { at: 40_000, say: '{m} [short]' },
  ];
  return { name: say, acts };
}

async function played(scenario: Scenario, faults: Faults): Promise<World> {
  const world = new World(scenario, { faults });
  await world.play();
  expect(await check(world), faults.happened.join('; ')).toEqual([]);
  return world;
}

/** What reached the model. */
function read({ provider }: World): string[] {
  return provider.requests.flatMap(({ request }) => request.messages.map(({ text }) => text));
}

test.each(REGISTRY)('SPEC 4.8: %s while a turn runs is answered once and never read by the model', async (say) => {
  const scenario = inMidTurn(say);
  const plans = [[], ...CALLS.map((call) => [{ call, fault: 'die-after' as const }])];
  for (const plan of plans) {
    const texts = read(await played(scenario, new Faults(plan)));
    expect(texts.join()).toContain('m1 [steady]');
    expect(texts.filter((text) => text.startsWith('/'))).toEqual([]);
  }
});
