import { expect, test } from 'vitest';
import type { Busy } from '../../lib/commands/command.ts';
import { parseChatCommand } from '../../lib/commands/parse.ts';
import { commandNamed } from '../../lib/commands/registry.ts';
import { contentOf } from '../../lib/domain/events.ts';
import type { State } from '../../lib/domain/state.ts';
import { wordsOf } from '../../lib/ports/engine.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';
import { check } from './check.ts';
import { Faults } from './faults.ts';
import { REGISTRY } from './histories.ts';
import type { Scenario } from './scenarios.ts';
import { World } from './world.ts';

/** Calls around the webhook that takes the command, whichever command it is. */
const CALLS = [20, 22, 24, 26, 28, 30, 32, 34];

function inMidTurn(say: string): Scenario {
  const acts = [
    { at: 0, say: '{m} [steady]' },
    { at: 2_500, say },
    { at: 40_000, say: '{m} [short]' },
  ];
  return { name: say, acts };
}

async function played(scenario: Scenario, faults = new Faults()): Promise<World> {
  const world = new World(scenario, { faults });
  await world.play();
  expect(await check(world), faults.happened.join('; ')).toEqual([]);
  return world;
}

/** What reached the model. */
function read({ provider }: World): string[] {
  return provider.requests.flatMap(({ request }) => request.messages.map(wordsOf));
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

/** What each rule means for the command's own event, and for the state before and after it. */
const MEANS: Record<Busy, (event: StoredEvent, before: State) => void> = {
  now(event, before) {
    expect(event.state.turn).toMatchObject({ id: before.turn?.id, memory: before.turn?.memory });
    if (event.type !== 'conversation.started') expect(contentOf(event)).toBeUndefined();
  },
  next(event, before) {
    expect(['options', 'command.ran']).toContain(event.type);
    expect(event.state.turn).toEqual(before.turn);
  },
  wait(event, before) {
    expect(event.state.turn).toEqual(before.turn);
    const { waiting, compactAsked } = event.state;
    expect(event.type === 'compact.asked' ? [compactAsked] : waiting).toEqual([event.seq]);
  },
  refuse(event, before) {
    const { seq: _seq, ring: _ring, ...after } = event.state;
    expect(event.type).toBe('command.ran');
    expect(before).toMatchObject(after);
  },
};

/** `/ask` is no command of this app (SPEC 4.2). */
const HERE = REGISTRY.filter((say) => !say.startsWith('/ask'));

test.each(HERE)('SPEC 4.8: %s does what its row says', async (say) => {
  const row = commandNamed(parseChatCommand(say)?.name ?? '');
  const { watch } = await played(inMidTurn(say));
  const events = [...watch.logs.values()].flat();
  const at = events.findIndex(({ data }) => (data as { delivery?: { update: string } }).delivery?.update === 'u2');
  const [before, event] = [events[at - 1], events[at]];
  if (!row || !before || !event) throw new Error(`Nothing came of ${say}`);
  expect(before.state.turn).toBeDefined();
  MEANS[row.busy](event, before.state);
});
