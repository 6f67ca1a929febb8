import { expect, test } from 'vitest';
import type { AppendResult, Log } from '../../lib/ports/log.ts';
import { MemoryLog } from '../support/memory/log.ts';
import { check } from './check.ts';
import { Faults } from './faults.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { runWith } from './walk.ts';
import { memoryStores, World } from './world.ts';

/** The checks themselves: worlds in which something underneath does not do its part, and what is seen of it. */

const named = (name: string): Scenario => {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (!found) throw new Error(`No scenario ${name}`);
  return found;
};

/** The memory log with one method replaced. */
function brokenLog(broken: (log: MemoryLog) => Partial<Log>): Log {
  const log = new MemoryLog();
  const replaced = broken(log);
  return new Proxy<Log>(log, {
    get: (target, key) => {
      const own: unknown = Reflect.get(replaced, key) ?? Reflect.get(target, key);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}

const seen = (scenario: Scenario, log: Log) => runWith(scenario, [], { stores: { ...memoryStores(), log } });

test('a log that carries another state than the fold', async () => {
  const odd = brokenLog((log) => ({
    append: (place, event, options): Promise<AppendResult> => {
      event.state.lastMessageAt += event.type === 'message' ? 1 : 0;
      return log.append(place, event, options);
    },
  }));
  expect((await seen(named('message'), odd)).violations.join()).toContain('is not the fold');
});

test('a log that hides an answer from the provider', async () => {
  const hiding = brokenLog((log) => ({
    async *range(place, options) {
      for await (const event of log.range(place, options)) if (event.type !== 'turn.ended') yield event;
    },
  }));
  expect((await seen(named('two at once, Slack'), hiding)).violations.join()).toMatch(/request \d+ of turn .* holds/u);
});

test('hints that never arrive, and no sweeper: the place is never quiet', async () => {
  const always = (_kind: string, name: string) => (name === 'queue.send' ? ('refuse' as const) : undefined);
  const { violations } = await runWith(named('message'), [], { faults: new Faults([], { always }) });
  expect(violations.join()).toContain('never quiet');
});

test('a clock that is far ahead takes over a turn that is held', async () => {
  const world = new World(named('lease renewed'), { duplicate: () => 20_000, skewMs: (id) => (id % 2) * 300_000 });
  await world.play();
  expect((await check(world)).join()).toMatch(/without its hold|goes out|holds the turn/u);
});

test('an answer that is not what the log says', async () => {
  const world = new World(named('message'));
  await world.play();
  const [message] = world.chat.messages.values();
  if (!message) throw new Error('Nothing was shown');
  message.text = 'something else';
  expect((await check(world)).join()).toContain('instead of');
});
