import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { User } from '../standins/telegram.ts';
import { group } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

/** A bot that knows something of Ana's and has just been cleared; the message with the Undo button. */
async function cleared(bot: Bot, ana: User) {
  await bot.ask(ana, 'My cat is Mitzi');
  await bot.say(ana, '/clear');
  return bot.newest(ana);
}

const count = async (bot: Bot, ana: User, type: string) => (await bot.types(ana)).filter((one) => one === type).length;

describe('a press', () => {
  test('SPEC 11.1: it settles the action, changes the message and takes its buttons away', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    const press = bot.press(ana, message, 'Undo');
    expect(await bot.deliver(press)).toBe(200);
    expect(bot.newest(ana)).toMatchObject({ id: message.id, text: 'Undone. I remember everything from before again.' });
    expect(bot.newest(ana).buttons).toEqual([]);
    expect(bot.pressAnswer(press)).toBeUndefined();
    expect(world.telegram.answers.size).toBeGreaterThan(0);
    expect(await count(bot, ana, 'context.restored')).toBe(1);
    await bot.ask(ana, 'Her name?');
    expect(JSON.stringify(bot.engine.last.messages)).toContain('Mitzi');
  });

  test('SPEC 11.2, cases C 44: by another person it has no effect, and the button still works for its owner', async () => {
    const [bot, ana, ben] = [await world.bot(), world.somebody(), world.somebody('Ben')];
    const chat = group(-2_000_000 - ana.id);
    await bot.deliver(bot.updates.groupMessage('@acme_bot hi', ana, chat));
    await bot.work();
    await bot.deliver(bot.updates.groupMessage('/new', ana, chat));
    const message = bot.newest(chat.id);
    const foreign = bot.press(ben, message, 'Go back');
    await bot.deliver(foreign);
    expect(bot.pressAnswer(foreign)).toBe('This button is for somebody else.');
    expect(bot.newest(chat.id).buttons).not.toEqual([]);
    await bot.deliver(bot.press(ana, message, 'Go back'));
    expect(bot.newest(chat.id).text).toBe('You are back in the conversation from before.');
  });

  test('SPEC 11.1, cases C 50: of two presses at once one wins, the other hears that it was used', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    const presses = [bot.press(ana, message, 'Undo'), bot.press(ana, message, 'Undo')];
    await Promise.all(presses.map((press) => bot.deliver(press)));
    expect(await count(bot, ana, 'context.restored')).toBe(1);
    expect(presses.map((press) => bot.pressAnswer(press)).sort()).toEqual(['This button was used already.', undefined]);
  });

  test('SPEC 2.3: one press that is delivered several times at once has one reply', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, '/gaol Whales');
    const press = bot.press(ana, bot.newest(ana), '/goal');
    await Promise.all([1, 2, 3].map(() => bot.deliver(press)));
    expect(await count(bot, ana, 'goal')).toBe(1);
    expect(bot.texts(ana).filter((text) => text.startsWith('Goal set'))).toHaveLength(1);
  });

  test('SPEC 11.2: a second press later hears that it was done, and the buttons go', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    const again = bot.press(ana, message, 'Undo');
    await bot.deliver(bot.press(ana, message, 'Undo'));
    await bot.deliver(again);
    expect(bot.pressAnswer(again)).toBe('This button was used already.');
    expect(await count(bot, ana, 'context.restored')).toBe(1);
  });

  test('SPEC 2.3: the same press delivered again after a crash is shown again, and has one effect', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    const press = bot.press(ana, message, 'Undo');
    bot.faults.set('append', { when: 'after', times: 1 });
    expect(await bot.deliver(press)).toBe(503);
    expect(bot.newest(ana).text).toContain('Cleared.');
    expect(await bot.deliver(press)).toBe(200);
    expect(bot.newest(ana).text).toContain('Undone.');
    expect(await count(bot, ana, 'context.restored')).toBe(1);
  });

  test('SPEC 11.1, cases C 46, 49: after ten minutes it says so and does nothing, also if the item is still stored', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    bot.time.advance(600_000);
    const late = bot.press(ana, message, 'Undo');
    await bot.deliver(late);
    expect(bot.pressAnswer(late)).toBe('This button no longer works. Send the command again.');
    expect(bot.newest(ana).buttons).toEqual([]);
    expect(await count(bot, ana, 'context.restored')).toBe(0);
  });

  test('SPEC 11.1: just before ten minutes it still works', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    bot.time.advance(599_000);
    await bot.deliver(bot.press(ana, message, 'Undo'));
    expect(await count(bot, ana, 'context.restored')).toBe(1);
  });

  test('SPEC 11.2: in another chat it has no effect', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    const data = message.buttons.flat()[0]?.data ?? '';
    const chat = group(-2_000_000 - ana.id);
    await bot.deliver(bot.updates.groupMessage('/help', ana, chat));
    const elsewhere = bot.updates.press(data, ana, world.telegram.asSent(bot.newest(chat.id)));
    await bot.deliver(elsewhere);
    expect(bot.pressAnswer(elsewhere)).toContain('no longer works');
    expect(await count(bot, ana, 'context.restored')).toBe(0);
  });

  test('SPEC 9.1: it is checked again at the moment of the press, against who is still let in', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    await world.stores.tenants.putPerson(bot.tenant, bot.channelId, { id: String(ana.id), status: 'put-out' });
    const press = bot.press(ana, message, 'Undo');
    await bot.deliver(press);
    expect(bot.pressAnswer(press)).toBe('You can no longer do that here.');
    expect(await count(bot, ana, 'context.restored')).toBe(0);
  });

  test('SPEC 5.5: Undo after a message was sent is too late, and says why', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    await bot.ask(ana, 'new');
    const press = bot.press(ana, message, 'Undo');
    await bot.deliver(press);
    expect(bot.pressAnswer(press)).toBe('It is too late to undo: you have sent a message since I cleared.');
  });

  test('cases C 56: a button of one conversation does nothing in the next', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    await bot.say(ana, '/new');
    const press = bot.press(ana, message, 'Undo');
    await bot.deliver(press);
    expect(bot.pressAnswer(press)).toBe('There is no clear to undo.');
    expect(await count(bot, ana, 'context.restored')).toBe(0);
  });

  test('SPEC 6.1: Clear goal clears the goal that was shown, and not a newer one', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, '/goal whales');
    const whales = bot.newest(ana);
    await bot.say(ana, '/goal dolphins');
    const press = bot.press(ana, whales, 'Clear goal');
    await bot.deliver(press);
    expect(bot.pressAnswer(press)).toBe('The goal has changed since, so I left it as it is.');
    await bot.deliver(bot.press(ana, bot.newest(ana), 'Clear goal'));
    expect((await bot.state(ana)).goal).toBeUndefined();
  });

  test('a button that nobody made is answered and does nothing', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    for (const data of ['a:nothing:0', 'rubbish', `${message.buttons.flat()[0]?.data.slice(0, -1)}9`]) {
      const press = bot.updates.press(data, ana, world.telegram.asSent(message));
      expect(await bot.deliver(press)).toBe(200);
      expect(bot.pressAnswer(press)).toContain('no longer works');
    }
    expect(await count(bot, ana, 'context.restored')).toBe(0);
  });
});

describe('open actions', () => {
  test('SPEC 11.3: at most 32 of one person and chat; the 33rd removes the oldest', async () => {
    const [bot, ana, ben] = [await world.bot(), world.somebody(), world.somebody('Ben')];
    await bot.say(ben, '/goal of Ben');
    for (let n = 0; n < 33; n++) {
      bot.time.advance(1_000);
      await bot.say(ana, `/goal number ${n}`);
    }
    const chat = (who: User) => ({ tenant: bot.tenant, channelId: bot.channelId, chat: String(who.id) });
    const items = await world.stores.actions.list(chat(ana));
    expect(items).toHaveLength(32);
    const goals = items.flatMap(({ choices }) => choices.map(({ target }) => 'goal' in target && target.goal));
    expect([goals[0], goals.at(-1)]).toEqual(['number 1', 'number 32']);
    expect(await world.stores.actions.list(chat(ben))).toHaveLength(1);
  });

  test('SPEC 11.3: questions that are closed go before anything that can still be pressed', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const chat = { tenant: bot.tenant, channelId: bot.channelId, chat: String(ana.id) };
    const place = bot.privatePlace(ana).place;
    const target = { kind: 'answer', question: 'q', answer: 'keep' } as const;
    for (let n = 0; n < 31; n++) {
      const at = { createdAt: n, expiresAt: bot.time.now() + 1e9, seq: n, lasting: true as const };
      await world.stores.actions.put({
        ...{ ...chat, ...at, id: `q${n}`, place, person: String(ana.id), choices: [{ label: 'Keep', target }] },
      });
    }
    for (const goal of ['one', 'two', 'three']) await bot.say(ana, `/goal ${goal}`);
    const items = await world.stores.actions.list(chat);
    expect(items.filter(({ id }) => id.startsWith('q'))).toHaveLength(29);
    expect(items).toHaveLength(32);
    expect(items.map(({ id }) => id)).toContain('q30');
  });

  test('SPEC 11.1: what was settled leaves no item behind', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = await cleared(bot, ana);
    await bot.deliver(bot.press(ana, message, 'Undo'));
    const items = await world.stores.actions.list({
      ...{ tenant: bot.tenant, channelId: bot.channelId, chat: String(ana.id) },
    });
    expect(items).toEqual([]);
  });
});

describe('numbered replies (SPEC 11.4)', () => {
  const afterClear = async (bot: Bot) => {
    await bot.sayText('a', 'My cat is Mitzi', 'm1');
    await bot.work();
    await bot.sayText('a', '/clear', 'm2');
  };
  const last = async (bot: Bot) => (await bot.textReplies('a')).at(-1);

  test('cases C 59: in an app without buttons one digit picks', async () => {
    const bot = await world.bot();
    await afterClear(bot);
    await bot.sayText('a', '1', 'm3');
    expect(await last(bot)).toBe('Undone. I remember everything from before again.');
    await bot.work();
    expect(bot.engine.requests).toHaveLength(1);
  });

  test('SPEC 11.4: a plain yes never undoes a clear that nobody asked about, and 2 is no choice: they are messages', async () => {
    for (const words of ['yes', 'no', '2', '11']) {
      const bot = await world.bot();
      await afterClear(bot);
      await bot.sayText('a', words, 'm3');
      await bot.work();
      expect(await last(bot)).toBe(`You said: ${words}`);
    }
  });

  test('cases C 62: a digit with nothing open, after another message, or too late is a message', async () => {
    const bot = await world.bot();
    await bot.sayText('a', '1', 'm0');
    await bot.work();
    expect(await last(bot)).toBe('You said: 1');
    await afterClear(bot);
    await bot.sayText('a', 'so', 'm3');
    await bot.work();
    await bot.sayText('a', '1', 'm4');
    await bot.work();
    expect(await last(bot)).toBe('You said: 1');
    await bot.sayText('a', '/clear', 'm5');
    bot.time.advance(600_000);
    await bot.sayText('a', '1', 'm6');
    await bot.work();
    expect(await last(bot)).toBe('You said: 1');
  });

  test('SPEC 2.3: the same reply delivered again picks once', async () => {
    const bot = await world.bot();
    await afterClear(bot);
    await bot.sayText('a', '1', 'm3');
    await bot.sayText('a', '1', 'm3');
    await bot.work();
    expect((await bot.textReplies('a')).filter((text) => text.startsWith('Undone'))).toHaveLength(1);
    expect(bot.engine.requests).toHaveLength(1);
  });
});
