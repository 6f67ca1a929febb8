import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bot, SECRETS, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

/** Puts another secret in the place of one of the channel with this id. */
async function rotate(bot: Bot, channelId: string, name: string, plain: string): Promise<void> {
  const tenant = await world.stores.tenants.load(bot.tenant);
  const channel = tenant?.channels.find(({ id }) => id === channelId);
  if (!channel) throw new Error('No such channel');
  const sealed = await world.stores.secrets.seal(plain, { tenant: bot.tenant, owner: channelId });
  await bot.putChannel({ ...channel, secrets: { ...channel.secrets, [name]: sealed } });
}

describe('SPEC 14.1: a secret that was rotated', () => {
  test('counts no more in a process that remembers it, from the first message on', async () => {
    const bot = await world.bot();
    expect(await bot.sayText('c', '/status', 'a1')).toBe(200);
    await rotate(bot, bot.textId(), 'secret', 'rotated-secret-0123456789abcdef');
    expect(await bot.sayText('c', '/mode trust', 'evil')).toBe(401);
    expect(await bot.textReplies('c')).toHaveLength(1);
  });

  test('nor for a press', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, 'My cat is Mitzi');
    await bot.say(ana, '/clear');
    const press = bot.press(ana, bot.newest(ana), 'Undo');
    await rotate(bot, bot.channelId, 'webhookSecret', 'rotated-secret-0123456789abcdef');
    expect(await bot.deliver(press)).toBe(401);
    expect(await bot.types(ana)).not.toContain('context.restored');
    await rotate(bot, bot.channelId, 'webhookSecret', SECRETS.webhookSecret);
    expect(await bot.deliver(press)).toBe(200);
  });

  test('the first answer goes out with the new token', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await rotate(bot, bot.channelId, 'token', '1:revoked-token-00000000000000000000');
    await bot.say(ana, '/status');
    expect(bot.texts(ana)).toEqual([]);
    await rotate(bot, bot.channelId, 'token', world.telegram.token);
    await bot.say(ana, '/status');
    expect(bot.texts(ana)).toHaveLength(1);
  });
});
