import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Message, User } from '../standins/telegram.ts';
import { group, privateChat } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const BOT: User = { id: 999, is_bot: true, first_name: 'Acme' };

const until = async (holds: () => boolean) => {
  for (let n = 0; n < 1_000 && !holds(); n++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
};

/** How often the app was asked to send or edit something in a chat, or to show that somebody is at work. */
const calls = (chat: number | User) => {
  const id = typeof chat === 'number' ? chat : chat.id;
  return world.telegram.calls.filter(({ params }) => Number(params.chat_id) === id).map(({ method }) => method);
};
const sends = (chat: number | User) => calls(chat).filter((method) => method !== 'sendChatAction');
const block = (who: User) => world.telegram.block(who.id);
const unblock = (who: User) => world.telegram.block(who.id, false);
const membership = (bot: Bot, who: User, status: string) =>
  bot.deliver(bot.updates.membership(privateChat(who), who, BOT, status));

describe('a person who blocks the bot (SPEC 13.6)', () => {
  test('before the reply is opened: one call shows it, nothing else is sent, and the log says so', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    block(ana);
    await bot.work();
    expect(sends(ana)).toEqual(['sendMessage']);
    expect(await bot.types(ana)).toEqual(['message', 'turn.started', 'chat.gone', 'turn.ended', 'reply.delivered']);
    const log = await bot.log(bot.privatePlace(ana));
    expect(log.at(-1)?.data).toMatchObject({ undeliverable: expect.any(String) });
    expect((await bot.state(ana)).gone).toBe(3);
  });

  test('while the answer grows: the edit that fails is the last call', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    const working = bot.work();
    await held.begun;
    await until(() => bot.texts(ana).includes('…'));
    block(ana);
    await bot.pass(3_000);
    held.say('it ');
    await until(() => sends(ana).length === 2);
    held.finish('rains.');
    await working;
    expect(sends(ana)).toEqual(['sendMessage', 'editMessageText']);
  });

  test('the app says it before anything is sent: no call at all, in this turn and the next', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    block(ana);
    expect(await membership(bot, ana, 'kicked')).toBe(200);
    expect(await membership(bot, ana, 'kicked')).toBe(200);
    await bot.work();
    expect(calls(ana)).toEqual([]);
    expect((await bot.types(ana)).filter((type) => type === 'chat.gone')).toHaveLength(1);
  });

  test('is back when the app says so: what was not delivered yet is', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    await membership(bot, ana, 'kicked');
    await membership(bot, ana, 'member');
    await bot.work();
    expect(bot.texts(ana)).toEqual(['You said: hi']);
    expect((await bot.state(ana)).gone).toBeUndefined();
  });

  test('is back when they write, and hears an answer as ever', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    block(ana);
    await bot.work();
    unblock(ana);
    await bot.ask(ana, 'again');
    expect(bot.texts(ana)).toEqual(['You said: again']);
    await bot.say(ana, '/status');
    expect(bot.texts(ana)).toHaveLength(2);
  });

  test('a command’s answer: one call, whatever its length and however often it is delivered', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, 'hi');
    const before = sends(ana).length;
    block(ana);
    for (const text of ['/help', '/export']) {
      const update = await bot.say(ana, text);
      bot.newProcess();
      expect(await bot.deliver(update)).toBe(200);
    }
    expect(sends(ana).slice(before)).toEqual(['sendMessage', 'sendDocument']);
  });

  test('news of a chat that was never written in, and of a group, leave no log behind', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await membership(bot, ana, 'kicked');
    await bot.deliver(bot.updates.membership(group(-5001), ana, BOT, 'kicked'));
    expect(await bot.types(ana)).toEqual([]);
    expect(await bot.log({ tenant: bot.tenant, place: bot.groupPlace(-5001, ana).place.split('~~')[0] ?? '' })).toEqual(
      [],
    );
  });
});

test('a message that the app does not take is no sign that nobody is there', async () => {
  const [bot, ana] = [await world.bot(), world.somebody()];
  const failure = { kind: 'refuse', code: 400, description: 'Bad Request: message is wrong' } as const;
  world.telegram.fail(failure, { method: 'sendMessage' });
  await bot.ask(ana, 'hi');
  expect(await bot.types(ana)).not.toContain('chat.gone');
  expect(bot.texts(ana)).toEqual(['You said: hi']);
});

test('a group that the bot is removed from: one call, and none for one person alone instead', async () => {
  const [bot, ana] = [await world.bot(), world.somebody()];
  const chat = group(-5002);
  await bot.deliver(bot.updates.groupMessage('@acme_bot hi', ana, chat));
  world.telegram.block(-5002);
  await bot.work();
  expect(sends(-5002)).toEqual(['sendMessage']);
  await bot.deliver(bot.updates.groupMessage('@acme_bot hi again', ana, chat));
  world.telegram.block(-5002, false);
  await bot.work();
  expect(bot.texts(-5002)).toEqual([expect.stringContaining('hi again')]);
});

describe('an owner who blocks the bot (SPEC 9.3)', () => {
  const asks = (messages: Message[]) => messages.filter(({ text }) => /would like to write/.test(text)).length;

  test('is asked about one stranger in vain, about none after that, and again when they are back', async () => {
    const ana = world.somebody();
    const bot = await world.bot({ access: 'list', owner: String(ana.id) });
    await bot.say(ana, '/status');
    block(ana);
    const before = sends(ana).length;
    for (const name of ['Ben', 'Cem', 'Dia']) await bot.say(world.somebody(name), 'let me in');
    expect(sends(ana).length - before).toBe(1);
    unblock(ana);
    await bot.say(ana, '/people');
    expect(bot.newest(ana).text).toMatch(/Ben[\s\S]*Cem[\s\S]*Dia/);
    await bot.say(world.somebody('Eva'), 'let me in');
    expect(asks(world.telegram.messages(ana.id))).toBe(1);
  });

  test('who lets somebody in that has blocked the bot: one call, noted in that one’s place', async () => {
    const [ana, ben] = [world.somebody(), world.somebody('Ben')];
    const bot = await world.bot({ access: 'list', owner: String(ana.id) });
    await bot.say(ana, '/status');
    await bot.say(ben, 'let me in');
    block(ben);
    const before = sends(ben).length;
    await bot.deliver(bot.press(ana, bot.newest(ana), 'Let in'));
    expect(sends(ben).length - before).toBe(1);
    expect((await bot.state(ben)).gone).toBeDefined();
    unblock(ben);
    await bot.ask(ben, 'hi');
    expect(bot.newest(ben).text).toBe('You said: hi');
  });
});
