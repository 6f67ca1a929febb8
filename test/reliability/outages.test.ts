import { expect, test } from 'vitest';
import { check } from './check.ts';
import { Faults } from './faults.ts';
import type { ProcessKind } from './process.ts';
import type { Scenario } from './scenarios.ts';
import { runWith } from './walk.ts';
import { World } from './world.ts';

const MINUTE_MS = 60_000;

const busy: Scenario = {
  name: 'people write all the time',
  acts: [
    ...Array.from({ length: 12 }, (_, n) => ({ at: n * 40_000, chat: `p${n % 3}`, say: '{m} [steady]' })),
    { at: 130_000, chat: 'p0', say: '/clear' },
    { at: 250_000, chat: 'p1', say: '/stop' },
    { at: 300_000, chat: 'p2', say: '/new {m} [short]' },
  ],
};

/** Plays it while what `isDown` names refuses every call for some minutes, from the first minute on. */
async function withOutage(
  scenario: Scenario,
  minutes: number,
  isDown: (name: string, kind: ProcessKind) => boolean,
): Promise<World> {
  let world: World | undefined;
  const always = (kind: ProcessKind, name: string) => {
    const passedMs = world ? world.clock.now() - world.clock.startMs : 0;
    const isOut = passedMs > MINUTE_MS && passedMs < (1 + minutes) * MINUTE_MS;
    return isOut && isDown(name, kind) ? ('refuse' as const) : undefined;
  };
  world = new World(scenario, { faults: new Faults([], { always }) });
  await world.play();
  return world;
}

test.each([
  { what: 'the log cannot be written', minutes: 4, isDown: (name: string) => name === 'log.append' },
  {
    what: 'no store answers',
    minutes: 4,
    isDown: (name: string) => /^(?:log|tenants|actions|capacity|cursor)\./u.test(name),
  },
  { what: 'the queue takes nothing', minutes: 10, isDown: (name: string) => name.startsWith('queue.') },
  {
    what: 'the webhooks reach no queue',
    minutes: 30,
    isDown: (name: string, kind: string) => name === 'queue.send' && kind === 'webhook',
  },
  { what: 'the chat app takes nothing', minutes: 8, isDown: (name: string) => name.startsWith('chat.') },
  { what: 'the provider cannot be reached', minutes: 1, isDown: (name: string) => name === 'engine.run' },
  { what: 'secrets cannot be opened', minutes: 1, isDown: (name: string) => name.startsWith('open') },
])('$what for $minutes minutes: afterwards all is answered', async ({ minutes, isDown }) => {
  expect(await check(await withOutage(busy, minutes, isDown))).toEqual([]);
});

test('a provider that is down for longer ends turns with plain words, and the place goes on (SPEC 13.5)', async () => {
  const world = await withOutage(busy, 20, (name) => name === 'engine.run');
  expect(await check(world)).toEqual([]);
  expect(
    [...world.chat.messages.values()].filter(({ text }) => text.includes('The model does not answer. Please')),
  ).not.toEqual([]);
});

test('a hint that failed 20 times goes to the dead letters, and its place is still answered (DESIGN 3)', async () => {
  const one: Scenario = { name: 'one message', acts: [{ at: 61_000, say: '{m} [short]' }] };
  const world = await withOutage(one, 45, (name, kind) => kind === 'worker' && name === 'tenants.version');
  expect(await check(world)).toEqual([]);
  expect(world.receivedDead).toBeGreaterThan(0);
});

test('a delivery that comes again after more than 32 others is still known (DESIGN 3a)', async () => {
  const others = Array.from({ length: 40 }, (_, n) => ({ at: 10_000 + n * 500, say: '/help' }));
  const again: Scenario = {
    name: 'late copies',
    acts: [{ at: 0, say: '{m} [short]', repeats: [60_000, 61_000] }, ...others],
  };
  expect((await runWith(again, [])).violations).toEqual([]);
});
