import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AdministrationDeps } from '../../lib/administration/deps.ts';
import { erasePerson } from '../../lib/administration/erase.ts';
import { isErased } from '../../lib/domain/erasure.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

type User = ReturnType<World['somebody']>;

function erase(bot: Bot, who: User): Promise<void> {
  const { stores } = world;
  const deps = { ...stores, logger: bot.deps.logger } as unknown as AdministrationDeps;
  return erasePerson(deps, { tenant: bot.tenant, channelId: bot.channelId, person: String(who.id) });
}

const places = async (bot: Bot) =>
  (await Array.fromAsync(world.stores.log.places(bot.tenant))).map(({ place }) => place);
const left = async (bot: Bot, who: User): Promise<StoredEvent[]> =>
  (await bot.log(bot.privatePlace(who))).filter((event) => !isErased(event));

test('SPEC 14.1: a turn that runs while its place is erased adds nothing to it', async () => {
  const [bot, ana] = [await world.bot(), world.somebody()];
  await bot.say(ana, '/goal a goal to forget');
  const held = bot.engine.hold();
  await bot.say(ana, 'words to forget');
  const working = bot.workOnce();
  await held.begun;
  await erase(bot, ana);
  expect(await places(bot)).toEqual([]);
  held.finish('an answer to forget');
  await working;
  await bot.settle();
  expect(await left(bot, ana)).toEqual([]);
  expect(JSON.stringify(await bot.log(bot.privatePlace(ana)))).not.toContain('forget');
});

test('SPEC 14.1: a message that is decided on while the place is erased begins it anew, and can be erased', async () => {
  const [bot, ana] = [await world.bot(), world.somebody()];
  await bot.say(ana, '/goal a goal to forget');
  await bot.say(ana, 'words to forget');
  await bot.settle();
  const { log } = bot.deps;
  bot.deps.log = Object.create(log, {
    newest: {
      value: async (...place: Parameters<typeof log.newest>) => {
        const newest = await log.newest(...place);
        bot.deps.log = log;
        await erase(bot, ana);
        return newest;
      },
    },
  });
  bot.engine.reply('new answer');
  await bot.say(ana, 'new words');
  await bot.settle();
  expect(bot.engine.requests.at(-1)).toMatchObject({ messages: [{ role: 'user' }] });
  const stored = JSON.stringify(await bot.log(bot.privatePlace(ana)));
  expect(stored).toContain('new answer');
  expect(stored).not.toContain('forget');
  expect(await places(bot)).toEqual([bot.privatePlace(ana).place]);
  await erase(bot, ana);
  expect(await left(bot, ana)).toEqual([]);
  expect(await places(bot)).toEqual([]);
});
