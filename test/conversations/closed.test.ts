import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEASE_MS, TAKEOVER_GRACE_MS, TURN_TRIES } from '../../lib/domain/limits.ts';
import { TRIED_TOO_OFTEN } from '../../lib/domain/turns.ts';
import type { EnginePart } from '../../lib/ports/engine.ts';
import type { Tool } from '../../lib/ports/tools.ts';
import type { User } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const FIND: Tool = {
  ...{ name: 'find', title: 'desk: find', description: 'find', inputSchema: { type: 'object' }, grant: 'desk/find' },
  readOnly: true,
  run: async () => ({ text: 'found' }),
};

/** A step that says this and calls a tool. */
function looks(text: string): EnginePart[] {
  return [
    { type: 'text', delta: text },
    { type: 'call', call: { id: 'c0', name: 'find', input: {} } },
    { type: 'finish', usage: { inputTokens: 100, outputTokens: 20 }, reason: 'tools' },
  ];
}

/** A turn whose worker dies behind two steps, while the provider answers. */
async function diesBehindTwoSteps(): Promise<{ bot: Bot; ana: User }> {
  const [bot, ana] = [await world.bot(), world.somebody()];
  bot.tools = [FIND];
  bot.engine.parts(...looks('I look it up.'));
  bot.engine.parts(...looks('One more look.'));
  const dead = bot.engine.hold('It is');
  await bot.say(ana, 'look');
  void bot.workStuck();
  await dead.begun;
  return { bot, ana };
}

/** A successor comes, once the lease is over. */
async function succeed(bot: Bot): Promise<void> {
  bot.time.advance(LEASE_MS + TAKEOVER_GRACE_MS);
  await bot.settle();
}

const SAID = 'I look it up.\n\nOne more look.';
const ended = async (bot: Bot, ana: User) =>
  (await bot.log(bot.privatePlace(ana))).find(({ type }) => type === 'turn.ended')?.data;

describe('a turn that the successor of a dead worker closes', () => {
  test('SPEC 4.10: stopped, it shows what its steps said, then that it was stopped', async () => {
    const { bot, ana } = await diesBehindTwoSteps();
    await bot.say(ana, '/stop');
    await succeed(bot);
    expect(await ended(bot, ana)).toMatchObject({ outcome: 'stopped', text: SAID, lastStepAt: SAID.length });
    expect(bot.texts(ana)[0]).toBe(`${SAID}\n\nStopped.`);
    expect(bot.engine.requests).toHaveLength(3);
  });

  test('SPEC 5.6: what the model remembers of it are its steps, once', async () => {
    const { bot, ana } = await diesBehindTwoSteps();
    await bot.say(ana, '/stop');
    await succeed(bot);
    await bot.ask(ana, 'and now?');
    expect(bot.engine.last.messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant', 'tool'],
      'user',
    ]);
    expect(JSON.stringify(bot.engine.last).match(/I look it up/gu)).toHaveLength(1);
  });

  test('SPEC 4.10: /stop between the look at the turn and its claim: what was said is read anew', async () => {
    const { bot, ana } = await diesBehindTwoSteps();
    const append = bot.deps.log.append.bind(bot.deps.log);
    bot.deps.log.append = (async (...args: Parameters<typeof append>) => {
      bot.deps.log.append = append;
      await bot.say(ana, '/stop');
      return append(...args);
    }) as typeof append;
    await succeed(bot);
    expect(bot.texts(ana)[0]).toBe(`${SAID}\n\nStopped.`);
    expect(bot.engine.requests).toHaveLength(3);
  });

  test('SPEC 13.5: begun too often, it shows what its steps said, then that it was not finished', async () => {
    const { bot, ana } = await diesBehindTwoSteps();
    for (let n = 0; n < TURN_TRIES; n++) {
      bot.time.advance(bot.queue.waiting.nextInMs);
      const dead = bot.engine.hold();
      void bot.workStuck();
      await dead.begun;
    }
    await succeed(bot);
    expect(await ended(bot, ana)).toMatchObject({ outcome: 'failed', text: SAID, lastStepAt: SAID.length });
    expect(bot.texts(ana)[0]).toBe(`${SAID}\n\n${TRIED_TOO_OFTEN}`);
  });

  test('SPEC 13.5: nor is it lost where the model is gone by then', async () => {
    const { bot, ana } = await diesBehindTwoSteps();
    await world.stores.tenants.deleteProvider(bot.tenant, 'main');
    await succeed(bot);
    expect(bot.texts(ana)[0]?.startsWith(`${SAID}\n\n`)).toBe(true);
  });
});
