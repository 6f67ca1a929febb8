import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { group } from '../standins/telegram.ts';
import { type Bot, CLAIM_CODE, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

/** A bot that nobody owns yet, with a claim. */
async function unclaimed(more: Parameters<Bot['claim']>[0] = {}) {
  const bot = await world.bot({ access: 'list' });
  await bot.putChannel({ ...(await bot.channel()), claim: bot.claim(more) });
  return bot;
}

describe('the claim of a channel (SPEC 9.2)', () => {
  test('the right code makes its sender the owner, who may use the bot from then on', async () => {
    const [bot, ana] = [await unclaimed(), world.somebody()];
    await bot.say(ana, `/start ${CLAIM_CODE}`);
    expect(bot.texts(ana)).toEqual(['This bot is yours now. Write to me as you like; /help lists what I can do.']);
    expect((await bot.channel()).owner).toBe(String(ana.id));
    await bot.ask(ana, 'hi');
    expect(bot.newest(ana).text).toBe('You said: hi');
  });

  test('a used code says so, to anybody else; to its owner it is still theirs', async () => {
    const [bot, ana, ben] = [await unclaimed(), world.somebody(), world.somebody('Ben')];
    await bot.say(ana, `/start ${CLAIM_CODE}`);
    await bot.say(ben, `/start ${CLAIM_CODE}`);
    expect(bot.texts(ben)).toEqual(['That code was used already. Ask for a new one.']);
    await bot.say(ana, `/start ${CLAIM_CODE}`);
    expect(bot.newest(ana).text).toContain('This bot is yours now.');
    expect((await bot.channel()).owner).toBe(String(ana.id));
  });

  test('an expired code says so', async () => {
    const [bot, ana] = [await unclaimed({ expiresInMs: 10_000 }), world.somebody()];
    bot.time.advance(10_001);
    await bot.say(ana, `/start ${CLAIM_CODE}`);
    expect(bot.texts(ana)).toEqual(['That code has expired. Ask for a new one.']);
    expect((await bot.channel()).owner).toBeUndefined();
  });

  test('five wrong tries in an hour are the last in that hour, even with the right code', async () => {
    const [bot, ana] = [await unclaimed(), world.somebody()];
    for (let n = 0; n < 5; n++) await bot.say(ana, `/start wrong-${n}`);
    expect(new Set(bot.texts(ana))).toEqual(new Set(['That code is not right. Check it, or ask for a new one.']));
    await bot.say(ana, `/start ${CLAIM_CODE}`);
    expect(bot.newest(ana).text).toBe('Too many wrong codes. Try again in an hour.');
    expect((await bot.channel()).owner).toBeUndefined();
    bot.time.advance(3_600_001);
    await bot.say(ana, `/start ${CLAIM_CODE}`);
    expect((await bot.channel()).owner).toBe(String(ana.id));
  });

  test('of two people at once one wins', async () => {
    const [bot, ana, ben] = [await unclaimed(), world.somebody(), world.somebody('Ben')];
    await Promise.all([bot.say(ana, `/start ${CLAIM_CODE}`), bot.say(ben, `/start ${CLAIM_CODE}`)]);
    const answers = [bot.newest(ana).text, bot.newest(ben).text].map((text) => text.slice(0, 13)).sort();
    expect(answers).toEqual(['That code was', 'This bot is y']);
  });

  test('the code is stored nowhere, right or wrong', async () => {
    const [bot, ana] = [await unclaimed(), world.somebody()];
    await bot.say(ana, '/start canary-wrong');
    await bot.say(ana, `/start ${CLAIM_CODE}`);
    expect(JSON.stringify(await bot.log(bot.privatePlace(ana)))).not.toContain('canary');
    expect(bot.logged.join()).not.toContain('canary');
  });

  test('in a group a code claims nothing', async () => {
    const [bot, ana] = [await unclaimed(), world.somebody()];
    const chat = group(-3_000_000 - ana.id);
    await bot.deliver(bot.updates.groupMessage(`/start ${CLAIM_CODE}`, ana, chat));
    expect(bot.newest(chat.id).text).toBe('This bot is not set up yet: whoever runs it has to claim it first.');
    expect((await bot.channel()).owner).toBeUndefined();
  });

  test('SPEC 9.2: the owner of one channel is not the owner of another', async () => {
    const ana = world.somebody();
    const [mine, other] = [await world.bot({ access: 'owner', owner: String(ana.id) }), await unclaimed()];
    await mine.ask(ana, 'hi');
    await other.ask(ana, 'hi');
    expect(mine.engine.requests).toHaveLength(1);
    expect(other.engine.requests).toHaveLength(0);
  });
});

describe('strangers (SPEC 9.3)', () => {
  const UNCLAIMED = 'This bot is not set up yet: whoever runs it has to claim it first.';

  test('before a claim they hear once that the bot is not set up; their words are not stored and reach no model', async () => {
    const [bot, ben] = [await world.bot({ access: 'list' }), world.somebody('Ben')];
    await bot.ask(ben, 'canary words');
    await bot.ask(ben, 'canary again');
    await bot.say(ben, '/status canary');
    await bot.say(ben, '/canary');
    expect(bot.texts(ben)).toEqual([UNCLAIMED]);
    expect(bot.engine.requests).toHaveLength(0);
    const log = await bot.log(bot.privatePlace(ben));
    expect(log.map(({ type }) => type)).toEqual(['stranger.refused']);
    expect(JSON.stringify(log)).not.toContain('canary');
  });

  test('they hear it once, also when they write several messages at the same moment', async () => {
    const [bot, ben] = [await world.bot({ access: 'list' }), world.somebody('Ben')];
    await Promise.all(['one', 'two', 'three', 'four'].map((text) => bot.say(ben, text)));
    expect(bot.texts(ben)).toEqual([UNCLAIMED]);
    expect(await bot.types(ben)).toEqual(['stranger.refused']);
  });

  test('/start says the same, and only once as well', async () => {
    const [bot, ben] = [await world.bot({ access: 'owner' }), world.somebody('Ben')];
    await bot.say(ben, '/start');
    await bot.say(ben, '/start');
    expect(bot.texts(ben)).toEqual([UNCLAIMED]);
    expect(await bot.types(ben)).toEqual(['stranger.refused']);
  });

  test('in a group too, that is the first that they hear, and all: nothing of what works elsewhere, nothing asked to another bot', async () => {
    const [bot, ana, ben] = [await world.bot({ access: 'list' }), world.somebody(), world.somebody('Ben')];
    await bot.putChannel({ ...(await bot.channel()), owner: String(ana.id) });
    const chat = group(-4_000_000 - ben.id);
    const say = (text: string) => bot.deliver(bot.updates.groupMessage(text, ben, chat));
    await say('/settings@other_bot');
    await say('/анекдот');
    expect(bot.texts(chat.id)).toEqual([]);
    for (const text of ['/settings', '/start', '/start code', '/clear', '/new', '@acme_bot hi']) await say(text);
    expect(bot.texts(chat.id)).toEqual([
      'The owner of this bot has to let you in before I can answer. I have asked them.',
    ]);
  });

  test('a change counts from the next message: let in, then put out', async () => {
    const [bot, ben] = [await world.bot({ access: 'list' }), world.somebody('Ben')];
    const put = (status: 'let-in' | 'put-out') =>
      world.stores.tenants.putPerson(bot.tenant, bot.channelId, { id: String(ben.id), status });
    await bot.say(ben, 'hi');
    await put('let-in');
    await bot.ask(ben, 'hi again');
    expect(bot.newest(ben).text).toBe('You said: hi again');
    await put('put-out');
    await bot.ask(ben, 'and now?');
    expect(bot.engine.requests).toHaveLength(1);
  });

  test('a person let in on one channel is a stranger on another', async () => {
    const [one, other, ben] = [
      await world.bot({ access: 'list' }),
      await world.bot({ access: 'list' }),
      world.somebody(),
    ];
    await world.stores.tenants.putPerson(one.tenant, one.channelId, { id: String(ben.id), status: 'let-in' });
    await other.ask(ben, 'hi');
    expect(other.engine.requests).toHaveLength(0);
  });
});
