import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sweeper } from '../../lib/conversations/sweep.ts';
import { eventOf } from '../../lib/domain/events.ts';
import { MESSAGE_LIMIT } from '../../lib/domain/limits.ts';
import { wordsOf } from '../../lib/ports/engine.ts';
import { group, tooMany } from '../standins/telegram.ts';
import { MemoryCursor } from '../support/memory/capacity.ts';
import { MemoryLog } from '../support/memory/log.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

describe('deliveries', () => {
  test('SPEC 3.5: a message is one event, one hint, one turn, one reply', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.engine.reply('It ', 'rains.');
    await bot.say(ana, 'Will it rain?');
    expect(bot.queue.sent).toEqual([{ ...bot.privatePlace(ana), delayMs: 0 }]);
    await bot.work();
    expect(bot.texts(ana)).toEqual(['It rains.']);
    expect(await bot.types(ana)).toEqual(['message', 'turn.started', 'reply.opened', 'turn.ended', 'reply.delivered']);
    expect(bot.queue.waiting.count).toBe(0);
  });

  test('SPEC 2.3, cases F 91: the same message, again and several times at once, is one event and one reply', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const update = bot.updates.privateMessage('hi', ana);
    const statuses = await Promise.all(Array.from({ length: 5 }, () => bot.deliver(update)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await bot.work();
    await bot.deliver(update);
    await bot.work();
    expect(bot.engine.requests).toHaveLength(1);
    expect(bot.texts(ana)).toEqual(['You said: hi']);
    expect((await bot.types(ana)).filter((type) => type === 'message')).toHaveLength(1);
  });

  test('cases F 89: the same message under another update is the same message', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const message = bot.updates.message({ id: ana.id, type: 'private' }, ana, 'hi');
    await bot.deliver(bot.updates.update('message', message));
    await bot.deliver(bot.updates.update('message', message));
    expect(await bot.types(ana)).toEqual(['message']);
  });

  test('DESIGN 3a: a command delivered again is answered again from its event, and decides nothing new', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, 'hi');
    const update = await bot.say(ana, '/clear');
    bot.newProcess();
    expect(await bot.deliver(update)).toBe(200);
    expect(bot.texts(ana).filter((text) => text.startsWith('Cleared.'))).toHaveLength(2);
    expect((await bot.types(ana)).filter((type) => type === 'context.cleared')).toHaveLength(1);
  });

  test('SPEC 2.3: in one process the same command several times at once is answered once', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const update = bot.updates.privateMessage('/help', ana);
    await Promise.all(Array.from({ length: 4 }, () => bot.deliver(update)));
    expect(bot.texts(ana)).toHaveLength(1);
    expect(await bot.types(ana)).toEqual(['command.ran']);
  });

  test('DESIGN 3a: a delivery that the state has forgotten is looked up in the log first', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const first = await bot.say(ana, 'first');
    bot.time.advance(1_000);
    for (let n = 0; n < 33; n++) await bot.say(ana, `/goal number ${n}`);
    bot.time.advance(1_000);
    expect(await bot.deliver(first)).toBe(200);
    expect((await bot.types(ana)).filter((type) => type === 'message')).toHaveLength(1);
  });

  test('SPEC 2.2: writers that race all succeed, one after the other', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const texts = Array.from({ length: 8 }, (_, n) => `message ${n}`);
    await Promise.all(texts.map((text) => bot.say(ana, text)));
    const log = await bot.log(bot.privatePlace(ana));
    expect(log.map((event) => eventOf(event, 'message')?.data.content.text).sort()).toEqual(texts);
  });
});

describe('outbox', () => {
  test('DESIGN 3, Outbox: when enqueueing fails the answer is 200, and the sweeper finds the event', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.queue.down = true;
    await bot.say(ana, 'hi');
    bot.queue.down = false;
    expect(bot.queue.waiting.count).toBe(0);
    const sweeper = new Sweeper({ ...bot.deps, cursor: world.stores.cursor });
    await sweeper.sweep();
    expect(bot.queue.waiting.count).toBe(0);
    bot.time.advance(61_000);
    await sweeper.sweep();
    const own = () => bot.queue.sent.filter(({ tenant }) => tenant === bot.tenant);
    expect(own()).toHaveLength(1);
    await sweeper.sweep();
    expect(own()).toHaveLength(1);
    await bot.work();
    expect(bot.texts(ana)).toEqual(['You said: hi']);
    await new Sweeper({ ...bot.deps, cursor: world.stores.cursor }).sweep();
    expect(own()).toHaveLength(1);
  });

  test('DESIGN 3, Outbox: a place that cannot be read keeps no other waiting, and is found when it can', async () => {
    const bot = await world.bot();
    const log = new MemoryLog();
    bot.deps.log = log;
    const people = Array.from({ length: 40 }, () => world.somebody());
    bot.queue.down = true;
    for (const who of people) await bot.say(who, 'hi');
    bot.queue.down = false;
    const places = new Set(people.map((who) => bot.privatePlace(who).place));
    const [bad = ''] = places;
    const newest = log.newest.bind(log);
    log.newest = async (of) => (of.place === bad ? Promise.reject(new Error('unreadable')) : newest(of));
    const sweeper = new Sweeper({ ...bot.deps, cursor: new MemoryCursor() });
    const hinted = () => new Set(bot.queue.sent.map(({ place }) => place));
    bot.time.advance(61_000);
    await sweeper.sweep();
    expect(hinted()).toEqual(places.difference(new Set([bad])));
    bot.time.advance(1_800_000);
    await sweeper.sweep();
    log.newest = newest;
    await sweeper.sweep();
    expect(hinted()).toEqual(places);
  });

  test('DESIGN 3, Outbox: a place that is held is looked at again, in case its holder is dead', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const dead = bot.engine.hold();
    await bot.say(ana, 'hi');
    void bot.workStuck();
    await dead.begun;
    // An edit on its way would renew the lease.
    while (bot.texts(ana).at(-1) !== 'So') await new Promise((resolve) => setTimeout(resolve, 2));
    bot.queue.lose();
    const sweeper = new Sweeper({ ...bot.deps, cursor: world.stores.cursor });
    bot.time.advance(61_000);
    await sweeper.sweep();
    expect(bot.queue.waiting.count).toBe(0);
    bot.time.advance(10_000);
    await sweeper.sweep();
    expect(bot.queue.waiting.count).toBe(1);
    await bot.work();
    expect(bot.newest(ana).text).toBe('You said: hi');
  });

  test('DESIGN 3, Outbox: when the append is not known to have happened the app is asked to deliver again', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const update = bot.updates.privateMessage('hi', ana);
    bot.faults.set('append', { when: 'before', times: 1 });
    expect(await bot.deliver(update)).toBe(503);
    bot.faults.set('append', { when: 'after', times: 1 });
    expect(await bot.deliver(update)).toBe(503);
    expect(await bot.deliver(update)).toBe(200);
    expect(await bot.types(ana)).toEqual(['message']);
    await bot.work();
    expect(bot.texts(ana)).toEqual(['You said: hi']);
  });

  test('DESIGN 3, Hints: a webhook whose own append shows a held turn enqueues nothing', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    const working = bot.work();
    await held.begun;
    await bot.say(ana, 'and more');
    expect(bot.queue.sent).toHaveLength(1);
    held.finish('so.');
    await working;
    expect(bot.texts(ana)).toEqual(['So so.', 'You said: and more']);
  });

  test('SPEC 13.6: an answer that the app refuses for now goes out with the next delivery', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const update = bot.updates.privateMessage('/help', ana);
    world.telegram.fail(tooMany(30), { method: 'sendMessage' });
    expect(await bot.deliver(update)).toBe(503);
    expect(await bot.deliver(update)).toBe(200);
    expect(bot.texts(ana)).toHaveLength(1);
    expect(await bot.types(ana)).toEqual(['command.ran']);
  });
});

describe('/clear, /new and /stop', () => {
  test('DESIGN 3a: a /clear or /new that a newer message has overtaken is refused and says so', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const clear = bot.updates.privateMessage('/clear', ana);
    const fresh = bot.updates.privateMessage('/new', ana);
    bot.time.advance(2_000);
    await bot.ask(ana, 'newer');
    await bot.deliver(clear);
    await bot.deliver(fresh);
    expect(bot.texts(ana).slice(1)).toEqual([
      'That came late: a newer message is here already, so I cleared nothing. Send it again if you still want it.',
      'That came late: a newer message is here already, so I stayed in this conversation. Send it again if you still want it.',
    ]);
    expect((await bot.state(ana)).memory).toMatchObject({ id: 0, messages: 1 });
  });

  test('SPEC 5.6, 5.5: messages that wait are dropped with their number; Undo puts them back and they are answered', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'one');
    await bot.say(ana, 'two');
    await bot.say(ana, '/clear');
    expect(bot.newest(ana).text).toContain('2 messages that were waiting are dropped.');
    await bot.work();
    expect(bot.engine.requests).toHaveLength(0);
    await bot.deliver(bot.press(ana, bot.newest(ana), 'Undo'));
    expect(bot.newest(ana).text).toContain('The 2 messages that waited are back.');
    await bot.work();
    expect(bot.engine.last.messages).toEqual([{ role: 'user', text: 'one\n\ntwo' }]);
  });

  test('SPEC 5.2, cases K 127: after a clear nothing from before reaches the provider, and the goal still does', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, '/goal Speak of whales');
    await bot.ask(ana, 'My cat is Mitzi');
    await bot.say(ana, '/clear');
    await bot.ask(ana, 'What is her name?');
    expect(JSON.stringify(bot.engine.last)).not.toContain('Mitzi');
    expect(bot.engine.last.system).toContain('> Speak of whales');
  });

  test('SPEC 4.11: /new brings a first message, which later turns still know', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, 'old');
    await bot.ask(ana, '/new My cat is Mitzi');
    expect(bot.texts(ana)[1]).toBe('A new conversation. You keep main/one.');
    await bot.ask(ana, 'Her name?');
    expect(bot.engine.last.messages.map(wordsOf)).toEqual([
      'My cat is Mitzi',
      'You said: My cat is Mitzi',
      'Her name?',
    ]);
  });

  test('SPEC 4.11: Go back resumes what was left, and is refused while anything waits', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, '/goal Whales');
    await bot.ask(ana, 'My cat is Mitzi');
    await bot.say(ana, '/new');
    const fresh = bot.newest(ana);
    expect(fresh.text).toContain('The goal ended with the old one.');
    await bot.deliver(bot.press(ana, fresh, 'Go back'));
    expect(bot.newest(ana).text).toBe('You are back in the conversation from before. Its goal holds again.');
    await bot.ask(ana, 'Her name?');
    expect(JSON.stringify(bot.engine.last.messages)).toContain('Mitzi');
    expect(bot.engine.last.system).toContain('> Whales');
  });

  test('SPEC 4.10, cases G 101: /stop before a turn has begun drops what waits, and it reaches no provider later', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'dropped one');
    await bot.say(ana, 'dropped two');
    await bot.say(ana, '/stop');
    expect(bot.newest(ana).text).toBe('Stopped. 2 messages that were waiting are dropped.');
    await bot.work();
    expect(bot.engine.requests).toHaveLength(0);
    await bot.ask(ana, 'hello');
    expect(bot.engine.asked).not.toContain('dropped');
  });
});

describe('what is answered without a turn', () => {
  test('SPEC 4.5: an unknown name is not sent to the model; a did-you-mean runs with the same argument', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, '/gaol Speak of whales');
    await bot.work();
    expect(bot.engine.requests).toHaveLength(0);
    const offered = bot.newest(ana);
    expect(offered.text).toBe('There is no command /gaol. Did you mean one of these?');
    expect(offered.buttons.flat().map(({ text }) => text)).toEqual(['/goal', 'Send as a message']);
    await bot.deliver(bot.press(ana, offered, '/goal'));
    expect((await bot.state(ana)).goal).toBe('Speak of whales');
    expect(bot.newest(ana).text).toContain('Goal set:');
  });

  test('SPEC 4.5: Send as a message sends the words as typed', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, '/imagine a cat\nwith a hat');
    await bot.deliver(bot.press(ana, bot.newest(ana), 'Send as a message'));
    await bot.work();
    expect(bot.engine.last.messages).toEqual([{ role: 'user', text: '/imagine a cat\nwith a hat' }]);
  });

  test('SPEC 4.5: an unknown command with a long argument is answered, its choices offered while they can be stored', async () => {
    const bot = await world.bot();
    const widest = `/co ${'漢'.repeat(8_000 - 4)}`;
    expect(await bot.sayText('c', widest, 'u1')).toBe(200);
    expect(await bot.sayText('c', `/co ${'漢'.repeat(50_000)}`, 'u2')).toBe(200);
    expect(await bot.textReplies('c')).toEqual([
      expect.stringContaining('Send as a message'),
      'There is no command /co. Please shorten it, or send it again as a message, without “/” in front.',
    ]);
    const controls = `/co \u0001${'\u0001'.repeat(8_000 - 6)}x`;
    expect(await bot.sayText('d', controls, 'u3')).toBe(200);
    expect((await bot.textReplies('d'))[0]).toContain('3. ');
  });

  test('SPEC 4.5: a message that is too long is said, not sent', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'x'.repeat(MESSAGE_LIMIT + 1));
    await bot.work();
    expect(bot.engine.requests).toHaveLength(0);
    expect(bot.newest(ana).text).toBe(
      'That message is too long for me: 60,001 characters, at most 60,000. Please send it in parts.',
    );
  });

  test('cases A 5, 7, 10, 11: prose with slashes reaches the model byte for byte; so do all lines of an argument', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    for (const text of ['/usr/bin/env: not found, why?', 'Is /model or /plan better?', 'that is not /tmp/x', '//']) {
      await bot.ask(ana, text);
      expect(bot.engine.last.messages.map(wordsOf).at(-1)).toBe(text);
    }
    await bot.say(ana, '/goal\nbook a room\ninvite Ben');
    expect((await bot.state(ana)).goal).toBe('book a room\ninvite Ben');
  });
});

describe('groups', () => {
  test('SPEC 4.3: other commands work in a private chat; unknown ones are silence; each sender has a place', async () => {
    const [bot, ana, ben] = [await world.bot(), world.somebody(), world.somebody('Ben')];
    const chat = group(-1_000_000 - ana.id);
    const say = (text: string, who = ana) => bot.deliver(bot.updates.groupMessage(text, who, chat));
    await say('/status');
    expect(bot.texts(chat.id)).toEqual(['That works in a private chat with me.']);
    await say('/анекдот');
    await say('/status@other_bot');
    await say('nice weather');
    expect(bot.texts(chat.id)).toHaveLength(1);
    await say('/gaol@acme_bot');
    expect(bot.newest(chat.id).text).toContain('There is no command /gaol.');
    await say('@acme_bot My cat is Mitzi');
    await say('@acme_bot Her name?', ben);
    await bot.work();
    expect(bot.engine.requests.map(({ messages }) => messages.length)).toEqual([1, 1]);
    expect(await bot.log(bot.groupPlace(chat.id, ben))).toHaveLength(5);
  });

  test('cases L 139: /stop of another person does not end a turn', async () => {
    const [bot, ana, ben] = [await world.bot(), world.somebody(), world.somebody('Ben')];
    const chat = group(-1_000_000 - ana.id);
    const held = bot.engine.hold();
    await bot.deliver(bot.updates.groupMessage('@acme_bot hi', ana, chat));
    const working = bot.work();
    await held.begun;
    await bot.deliver(bot.updates.groupMessage('/stop', ben, chat));
    expect(bot.newest(chat.id).text).toBe('Nothing is running.');
    held.finish('it goes on.');
    await working;
    expect(bot.texts(chat.id)).toContain('So it goes on.');
  });
});

test('DESIGN 2: two tenants with the same chats see nothing of each other', async () => {
  const [one, other, ana] = [await world.bot(), await world.bot(), world.somebody()];
  await one.say(ana, '/goal Whales');
  await one.ask(ana, 'My cat is Mitzi');
  await other.ask(ana, 'Her name?');
  expect(other.engine.asked).not.toMatch(/Mitzi|Whales/u);
  expect((await other.state(ana)).goal).toBeUndefined();
  await other.say(ana, '/clear');
  const cleared = other.newest(ana);
  await one.deliver(one.press(ana, cleared, 'Undo'));
  expect(await one.types(ana)).not.toContain('context.restored');
  expect((await Array.fromAsync(world.stores.log.places(other.tenant))).map(({ place }) => place)).toEqual([
    other.privatePlace(ana).place,
  ]);
});

test('SPEC 11.4: the text app is answered in its own chat, its choices numbered', async () => {
  const bot = await world.bot();
  expect(await bot.sayText('a', 'hello', 'm1')).toBe(200);
  await bot.work();
  expect(await bot.sayText('a', '/clear', 'm2')).toBe(200);
  expect(await bot.textReplies('a')).toEqual([
    'You said: hello',
    'Cleared. I start afresh and remember nothing from before.\n\n1. Undo\n\nAnswer with a number to choose.',
  ]);
  expect(await bot.textReplies('b')).toEqual([]);
});

test.each([undefined, 1])(
  'SPEC 2.3: a text message that comes again after forty others is known (its own time: %s)',
  async (own) => {
    const bot = await world.bot();
    const at = own && bot.time.now();
    expect(await bot.sayText('c', 'pay 5 euro', 'id-1', at)).toBe(200);
    for (let n = 0; n < 40; n++) {
      bot.time.advance(own ? 3_600_000 : 20_000);
      await bot.sayText('c', '/status', `s${n}`, own && bot.time.now());
    }
    bot.newProcess();
    expect(await bot.sayText('c', 'pay 5 euro', 'id-1', at)).toBe(200);
    const place = { tenant: bot.tenant, place: `${bot.textId().split('.')[1]}~c` };
    expect((await bot.log(place)).filter(({ type }) => type === 'message')).toHaveLength(1);
    expect(await bot.sayText('c', 'from the future', 'id-2', bot.time.now() + 300_001)).toBe(400);
  },
);

describe('requests', () => {
  test('a request for no channel is 404, one with a wrong secret 401, and neither leaves an event', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const update = bot.updates.privateMessage('hi', ana);
    const { Ingest } = await import('../../lib/conversations/ingest.ts');
    const { telegram } = await import('../../lib/channels/telegram/index.ts');
    const body = new TextEncoder().encode(JSON.stringify(update));
    const request = (secret: string) => ({
      ...{ body },
      headers: { 'x-telegram-bot-api-secret-token': secret },
    });
    const ingest = new Ingest(bot.deps);
    expect((await ingest.handle(telegram, bot.channelId, request('wrong'))).status).toBe(401);
    expect((await ingest.handle(telegram, `${bot.tenant}.none`, request('wrong'))).status).toBe(404);
    expect((await ingest.handle(telegram, 'none', request('wrong'))).status).toBe(404);
    expect(await bot.types(ana)).toEqual([]);
  });

  test('an id that no channel can have is 404 before anything is read', async () => {
    const bot = await world.bot();
    const { Ingest } = await import('../../lib/conversations/ingest.ts');
    const { telegram } = await import('../../lib/channels/telegram/index.ts');
    const request = { headers: {}, body: new Uint8Array() };
    const load = () => Promise.reject(new Error('read'));
    const ingest = new Ingest({ ...bot.deps, directory: { get: load, fresh: load } });
    for (const id of [`${'a'.repeat(2_100)}.x`, `a.${'x'.repeat(41)}`, '.x', 'a.', 'A.x', 'a.b.c', '-.x', 'a.x\n']) {
      expect((await ingest.handle(telegram, id, request)).status).toBe(404);
    }
  });

  test('names that do not fit into a key are refused, the longest that do are taken', async () => {
    const bot = await world.bot();
    expect(await bot.sayText('漢'.repeat(62), 'hi', 'x1')).toBe(400);
    const longest = '漢'.repeat(61);
    expect(await bot.sayText(longest, 'hi', 'x1')).toBe(200);
    await bot.work();
    expect(await bot.textReplies(longest)).toEqual(['You said: hi']);
  });
});
