import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { telegram } from '../../lib/channels/telegram/index.ts';
import { lookAgain } from '../../lib/conversations/deadLetter.ts';
import { dayOf } from '../../lib/conversations/usage.ts';
import { Worker } from '../../lib/conversations/worker.ts';
import { eventOf } from '../../lib/domain/events.ts';
import { ANSWER_BYTES, ANSWER_LIMIT } from '../../lib/domain/limits.ts';
import { STATE_VERSION } from '../../lib/domain/state.ts';
import type { ProviderFault } from '../../lib/ports/engine.ts';
import { wordsOf } from '../../lib/ports/engine.ts';
import { ProviderError } from '../../lib/providers/faults.ts';
import { group, privateChat, tooMany, type User } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const LEASE_AND_GRACE_MS = 65_000;
const hintFor = (bot: Bot, who: User) => bot.queue.send(bot.privatePlace(who));
/** Waits until the reply's first message is open and recorded. */
async function opened(bot: Bot, who: User): Promise<void> {
  while (!(await world.stores.log.newest(bot.privatePlace(who)))?.state.turn?.parts.length) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Waits until the first words are shown: an edit that is still on its way would renew the lease later. */
async function grown(bot: Bot, who: User): Promise<void> {
  while (bot.texts(who).at(-1) !== 'So') await new Promise((resolve) => setTimeout(resolve, 2));
}

const counted = (types: string[], type: string) => types.filter((one) => one === type).length;

describe('claim (DESIGN 3)', () => {
  test('of two workers on one place one claims the turn; the other leaves a hint for later', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    await hintFor(bot, ana);
    const working = bot.workOnce();
    await held.begun;
    await bot.workOnce();
    expect(bot.queue.sent.at(-1)).toEqual({ ...bot.privatePlace(ana), delayMs: LEASE_AND_GRACE_MS });
    held.finish('it is.');
    await working;
    await bot.settle();
    expect(bot.engine.requests).toHaveLength(1);
    expect(bot.texts(ana)).toEqual(['So it is.']);
  });

  test('two workers at the very same moment: one turn', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    for (let n = 0; n < 3; n++) await hintFor(bot, ana);
    await Promise.all([bot.workOnce(), bot.workOnce(), bot.workOnce(), bot.workOnce()]);
    await bot.settle();
    expect(bot.engine.requests).toHaveLength(1);
    expect(bot.texts(ana)).toEqual(['You said: hi']);
    expect(counted(await bot.types(ana), 'turn.started')).toBe(1);
  });

  test('a dead worker’s turn is taken over 5 s after its lease, not before', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const dead = bot.engine.hold();
    await bot.say(ana, 'hi');
    void bot.workStuck();
    await dead.begun;
    await grown(bot, ana);
    bot.time.advance(LEASE_AND_GRACE_MS - 1);
    await hintFor(bot, ana);
    await bot.workOnce();
    expect(bot.engine.requests).toHaveLength(1);
    bot.time.advance(1);
    await hintFor(bot, ana);
    await bot.workOnce();
    expect(bot.engine.requests).toHaveLength(2);
    expect(bot.texts(ana)).toEqual(['You said: hi']);
  });

  test('a worker whose turn was taken over appends nothing and sends nothing', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const first = bot.engine.hold();
    bot.engine.reply('From the second.');
    await bot.say(ana, 'hi');
    const stuck = bot.workStuck();
    await first.begun;
    await grown(bot, ana);
    bot.time.advance(LEASE_AND_GRACE_MS);
    await hintFor(bot, ana);
    await bot.workOnce();
    const calls = world.telegram.calls.length;
    const before = await bot.types(ana);
    first.finish('from the first.');
    await stuck;
    expect(await bot.types(ana)).toEqual(before);
    expect(world.telegram.calls).toHaveLength(calls);
    expect(bot.texts(ana)).toEqual(['From the second.']);
  });

  test('a worker whose lease ran out renews it before it sends, and loses to nobody while nobody came', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    const stuck = bot.workStuck();
    await held.begun;
    bot.time.advance(LEASE_AND_GRACE_MS);
    held.finish('late, but mine.');
    await stuck;
    expect(bot.texts(ana)).toEqual(['So late, but mine.']);
  });

  test('the lease is first renewed at 28 s, so that most turns write no renewal; the hint stays hidden meanwhile', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    const working = bot.workOnce();
    await held.begun;
    await bot.pass(27_000);
    expect(counted(await bot.types(ana), 'turn.renewed')).toBe(0);
    await bot.pass(6_000);
    expect(counted(await bot.types(ana), 'turn.renewed')).toBe(1);
    expect(bot.queue.holds.map(({ forMs }) => forMs)).toEqual([90_000, 90_000]);
    held.finish('done.');
    await working;
  });

  test('a worker claims only while its hint is surely hidden; else it sends a new one and ends', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    const received = bot.queue.receive();
    if (!received) throw new Error('There is no hint');
    const queue = {
      send: bot.queue.send.bind(bot.queue),
      done: bot.queue.done.bind(bot.queue),
      hold: async () => bot.time.advance(86_000), // the answer to the request comes late
    };
    await new Worker({ ...bot.deps, queue }).look({ ...received, deadline: bot.time.now() + 900_000 });
    expect(await bot.types(ana)).toEqual(['message']);
    expect(bot.queue.sent.at(-1)).toEqual({ ...bot.privatePlace(ana), delayMs: 0 });
  });

  test('a worker without time for a whole step sends a new hint and begins nothing', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    await bot.workOnce(300_000);
    expect(await bot.types(ana)).toEqual(['message']);
    await bot.work();
    expect(bot.texts(ana)).toEqual(['You said: hi']);
  });

  test('DESIGN 3, Hints: when keeping the hint hidden fails, nothing is claimed and the hint comes again', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    bot.queue.down = true;
    await bot.workOnce();
    bot.queue.down = false;
    expect(await bot.types(ana)).toEqual(['message']);
    await bot.settle();
    expect(bot.texts(ana)).toEqual(['You said: hi']);
  });
});

describe('hints and slots (DESIGN 3)', () => {
  test('a hint is deleted only when nothing is owed: what came during the turn is answered in the same visit', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const held = bot.engine.hold();
    await bot.say(ana, 'one');
    const working = bot.workOnce();
    await held.begun;
    await bot.say(ana, 'two');
    held.finish('one.');
    await working;
    expect(bot.texts(ana)).toEqual(['So one.', 'You said: two']);
    expect(bot.engine.last.messages.map(wordsOf)).toEqual(['one', 'So one.', 'two']);
    expect(bot.queue.waiting.count).toBe(0);
  });

  test('without a free slot a place waits; who frees the slot wakes it, and the wake-up is not sent again', async () => {
    const bot = await world.bot({ settings: { turnsAtOnce: 1 } });
    const [ana, ben] = [world.somebody(), world.somebody('Ben')];
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    const working = bot.workOnce();
    await held.begun;
    await bot.say(ben, 'hello');
    await bot.workOnce();
    expect(bot.queue.sent.at(-1)).toEqual({ ...bot.privatePlace(ben), delayMs: 120_000 });
    held.finish('done.');
    await working;
    expect(bot.queue.sent.at(-1)).toEqual({ ...bot.privatePlace(ben), wakeUp: true, delayMs: 0 });
    await bot.work();
    expect(bot.texts(ben)).toEqual(['You said: hello']);
    await bot.settle();
    expect(bot.engine.requests).toHaveLength(2);
    expect(bot.queue.sent).toHaveLength(4);
  });

  test.each([
    ['once', undefined],
    ['where that fails, the place waits all the same', 'sendChatAction'],
  ])('SPEC 9.4, 13.3: whoever waits for a slot sees that they were heard: %s', async (_case, method) => {
    const bot = await world.bot({ settings: { turnsAtOnce: 1 } });
    const [ana, ben] = [world.somebody(), world.somebody('Ben')];
    const signs = () =>
      world.telegram.calls.filter(
        ({ method: called, params }) => called === 'sendChatAction' && params.chat_id === ben.id,
      );
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    const working = bot.workOnce();
    await held.begun;
    await bot.say(ben, 'hello');
    if (method) world.telegram.fail({ kind: 'refuse', code: 500, description: 'Internal Server Error' }, { method });
    await bot.workOnce();
    expect(signs()).toHaveLength(1);
    expect(bot.queue.sent.at(-1)).toEqual({ ...bot.privatePlace(ben), delayMs: 120_000 });
    await bot.say(ben, 'and again');
    await bot.workOnce();
    expect(signs()).toHaveLength(1);
    held.finish('done.');
    await working;
    await bot.work();
    expect(bot.texts(ben)).toHaveLength(1);
  });

  test('DESIGN 3, Waits: a wake-up for a held place, or with no slot after all, sends nothing', async () => {
    const bot = await world.bot({ settings: { turnsAtOnce: 1 } });
    const [ana, ben] = [world.somebody(), world.somebody('Ben')];
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    const working = bot.workOnce();
    await held.begun;
    await bot.say(ben, 'hello');
    bot.queue.lose();
    const sent = bot.queue.sent.length;
    await bot.queue.send({ ...bot.privatePlace(ana), wakeUp: true });
    await bot.queue.send({ ...bot.privatePlace(ben), wakeUp: true });
    await bot.work();
    expect(bot.queue.sent).toHaveLength(sent + 2);
    held.finish('done.');
    await working;
  });

  test('DESIGN 3, Waits: a wake-up that its place does not need goes on to the next place that waits', async () => {
    const bot = await world.bot({ settings: { turnsAtOnce: 1 } });
    const [ana, ben, eve] = [world.somebody(), world.somebody('Ben'), world.somebody('Eve')];
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    const working = bot.workOnce();
    await held.begun;
    for (const who of [ben, eve]) {
      await bot.say(who, 'hello');
      await bot.workOnce();
      bot.time.advance(10);
    }
    // Ben no longer waits, and nothing has told the list.
    await bot.say(ben, '/stop');
    held.finish('done.');
    await working;
    expect(bot.queue.sent.at(-1)).toMatchObject({ ...bot.privatePlace(ben), wakeUp: true });
    await bot.work();
    expect(bot.queue.sent.at(-1)).toMatchObject({ ...bot.privatePlace(eve), wakeUp: true });
    expect(bot.texts(eve)).toEqual(['You said: hello']);
  });

  test('DESIGN 3, Waits: a place that gets a slot by a hint of its own waits no longer', async () => {
    const bot = await world.bot({ settings: { turnsAtOnce: 1 } });
    const ana = world.somebody();
    const { tenant, place } = bot.privatePlace(ana);
    const other = await world.stores.capacity.take(tenant, 1, 'other', bot.time.now(), bot.time.now() + 60_000);
    await bot.say(ana, 'hi');
    await bot.workOnce();
    if (other) await world.stores.capacity.free(other);
    const held = bot.engine.hold();
    await bot.say(ana, 'are you there?');
    const working = bot.workOnce();
    await held.begun;
    const woken = await world.stores.capacity.nextWaiting(tenant);
    expect(woken).not.toBe(place);
    held.finish('yes.');
    await working;
  });

  test('DESIGN 3, Waits: a wake-up that comes without time to work is not sent again', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    bot.queue.lose();
    const sent = bot.queue.sent.length;
    await bot.queue.send({ ...bot.privatePlace(ana), wakeUp: true });
    await bot.workOnce(300_000);
    expect(bot.queue.sent).toHaveLength(sent + 1);
  });

  test('DESIGN 3, Waits: a slot lasts as long as the work under it, also when one visit does several turns', async () => {
    const bot = await world.bot({ settings: { turnsAtOnce: 1 } });
    const [ana, ben] = [world.somebody(), world.somebody('Ben')];
    const answers = [bot.engine.hold('1 '), bot.engine.hold('2 '), bot.engine.hold('3 ')];
    await bot.say(ana, 'hi');
    const working = bot.workOnce();
    for (const [n, answer] of answers.entries()) {
      await answer.begun;
      if (n === 2) break;
      await bot.say(ana, 'more');
      await bot.pass(26_000);
      answer.finish('ok');
    }
    await bot.pass(20_000);
    await bot.say(ben, 'hello');
    await bot.workOnce();
    expect(bot.engine.requests).toHaveLength(3);
    answers[2]?.finish('ok');
    await working;
    await bot.settle();
    expect(bot.texts(ben)).toEqual(['You said: hello']);
  });

  test('DESIGN 3, Waits: the dead-letter function looks again at a place that owes something, and at no other', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    bot.queue.lose();
    await lookAgain(bot.deps, bot.privatePlace(ana));
    expect(bot.queue.waiting).toEqual({ count: 1, nextInMs: 30_000 });
    await bot.settle();
    await lookAgain(bot.deps, bot.privatePlace(ana));
    expect(bot.queue.waiting.count).toBe(0);
    expect(bot.texts(ana)).toEqual(['You said: hi']);
  });
});

test('DESIGN 3, Hints: hints do not multiply where a look shares its invocation with a long turn', async () => {
  const bot = await world.bot({ settings: { turnsAtOnce: 1 } });
  await world.stores.capacity.take(bot.tenant, 1, 'somebody', bot.time.now(), bot.time.now() + 7_200_000);
  await bot.say(world.somebody(), 'hi');
  const until = bot.time.now() + 3_600_000;
  let looks = 0;
  while (bot.time.now() < until && looks < 200) {
    const received = bot.queue.receive();
    if (!received) bot.time.advance(Math.max(1, bot.queue.waiting.nextInMs));
    // The other turn lasts, so the batch is not deleted.
    else await new Worker(bot.deps).look({ ...received, deadline: bot.time.now() + 900_000, shared: true });
    if (received) looks++;
  }
  expect(bot.queue.waiting.count).toBe(1);
  expect(looks).toBeLessThan(35);
});

describe('/stop (SPEC 4.10)', () => {
  test('it aborts the request at the provider and closes the reply with what was said', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const held = bot.engine.hold('Once upon a time ');
    await bot.say(ana, 'tell me');
    const working = bot.workOnce();
    await held.begun;
    await bot.say(ana, 'and more');
    await bot.say(ana, '/stop');
    expect(bot.newest(ana).text).toBe('I stop this answer. 1 message that was waiting is dropped.');
    await bot.pass(1_500);
    await working;
    expect(held.aborted).toBe(true);
    expect(bot.texts(ana)[0]).toBe('Once upon a time\n\nStopped.');
    await bot.ask(ana, 'next');
    expect(bot.newest(ana).text).toBe('You said: next');
    expect(bot.engine.asked).not.toContain('and more');
  });

  test('DESIGN 3, Stop: a dead holder’s successor closes the turn without a call to the provider', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const dead = bot.engine.hold();
    await bot.say(ana, 'hi');
    void bot.workStuck();
    await dead.begun;
    await grown(bot, ana);
    await bot.say(ana, '/stop');
    bot.time.advance(LEASE_AND_GRACE_MS);
    await hintFor(bot, ana);
    await bot.workOnce();
    expect(bot.texts(ana)[0]).toBe('Stopped.');
    expect(bot.engine.requests).toHaveLength(1);
  });

  test('DESIGN 3, Stop: a turn that waits for its provider ends at once', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.engine.fail('rate-limited', { retryAfterMs: 300_000 });
    await bot.ask(ana, 'hi');
    await bot.say(ana, '/stop');
    await bot.work();
    expect(bot.texts(ana)[0]).toBe('Stopped.');
    await bot.settle();
    expect(bot.engine.requests).toHaveLength(1);
  });

  test('DESIGN 3, Stop: asked just before the provider wants to be waited for, it ends the turn at once', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const run = bot.engine.run.bind(bot.engine);
    bot.engine.run = async function* () {
      bot.engine.run = run;
      yield { type: 'text', delta: 'So' };
      await bot.say(ana, '/stop');
      throw new ProviderError('rate-limited', 'too many', { retryAfterMs: 590_000 });
    };
    await bot.say(ana, 'hi');
    await bot.workOnce();
    expect(bot.texts(ana)[0]).toBe('So\n\nStopped.');
    expect(await bot.types(ana)).not.toContain('turn.yielded');
    expect(bot.queue.waiting.count).toBe(0);
  });

  test('what had been answered before /stop was read ends as stopped', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    const working = bot.workOnce();
    await held.begun;
    await bot.say(ana, '/stop');
    held.finish('that was all.');
    await working;
    expect(bot.texts(ana)[0]).toBe('So that was all.\n\nStopped.');
  });
});

test('DESIGN 3: a process that is about to end hands its turn over, and the next one goes on without waiting for the lease', async () => {
  const [bot, ana] = [await world.bot(), world.somebody()];
  const ending = new AbortController();
  const { runtime } = bot.deps;
  bot.deps.runtime = { ...runtime, ending: ending.signal };
  const held = bot.engine.hold('So far');
  await bot.say(ana, 'hi');
  await bot.say(ana, 'and also');
  const working = bot.workOnce();
  await held.begun;
  ending.abort();
  await working;
  const log = await bot.log(bot.privatePlace(ana));
  expect(eventOf(log.at(-1), 'turn.yielded')?.data.reason).toBe('time');
  await bot.workOnce();
  expect((await bot.types(ana)).at(-1)).toBe('turn.yielded');
  expect(bot.queue.waiting).toMatchObject({ nextInMs: 12_000 });
  bot.deps.runtime = runtime;
  await bot.settle();
  expect(bot.engine.requests).toHaveLength(2);
  expect(bot.texts(ana)).toEqual(['You said: hi\n\nand also']);
});

describe('providers', () => {
  test('DESIGN 3, Waits: a 429 waits by a hint for as long as the provider asks, and the person sees it', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.engine.fail('rate-limited', { retryAfterMs: 20_000 });
    await bot.ask(ana, 'hi');
    expect(bot.texts(ana)).toEqual(['The model is busy. I will try again in 20 seconds.']);
    expect(bot.queue.waiting).toEqual({ count: 1, nextInMs: 20_000 });
    bot.time.advance(19_000);
    await hintFor(bot, ana);
    await bot.workOnce();
    expect(bot.engine.requests).toHaveLength(1);
    await bot.settle();
    expect(bot.texts(ana)).toEqual(['You said: hi']);
    const tries = (await bot.log(bot.privatePlace(ana))).flatMap((e) => eventOf(e, 'turn.started')?.data.tries ?? []);
    expect(tries).toEqual([1, 2]);
  });

  test('DESIGN 3, Waits: 5 tries without progress end the turn and tell the person', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    for (let n = 0; n < 6; n++) bot.engine.fail('overloaded');
    await bot.ask(ana, 'hi');
    await bot.settle();
    expect(bot.engine.requests).toHaveLength(5);
    expect(bot.texts(ana)).toEqual(['The model is overloaded. Please try again in a few minutes.']);
  });

  test('SPEC 13.5: a provider that hangs gets two requests, and the person hears of it between them', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    for (let n = 0; n < 3; n++) bot.engine.fail('silent');
    await bot.ask(ana, 'hi');
    expect(bot.texts(ana)).toEqual(['The model does not answer. I will try again in 2 seconds.']);
    await bot.settle();
    expect(bot.engine.requests).toHaveLength(2);
    expect(bot.texts(ana)).toEqual(['The model did not answer in time. Please try again in a few minutes.']);
  });

  test('DESIGN 3, Waits: so do 5 workers that die, without a sixth request', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    for (let n = 0; n < 5; n++) {
      // Without a word: an edit on its way would renew the lease.
      const dead = bot.engine.hold('');
      void bot.workStuck();
      await dead.begun;
      await opened(bot, ana);
      bot.time.advance(LEASE_AND_GRACE_MS);
      bot.queue.lose();
      await hintFor(bot, ana);
    }
    await bot.workOnce();
    expect(bot.engine.requests).toHaveLength(5);
    expect(bot.texts(ana)).toEqual(['I tried several times and could not finish this. Please try again.']);
  });

  test('SPEC 13.5: an empty answer is tried once more, then said', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const empty = { type: 'finish', usage: {}, reason: 'stop' } as const;
    bot.engine.parts(empty);
    bot.engine.reply('Now.');
    await bot.ask(ana, 'hi');
    expect(bot.texts(ana)).toEqual(['Now.']);
    bot.engine.parts(empty);
    bot.engine.parts({ type: 'text', delta: ' \n' }, empty);
    await bot.ask(ana, 'again');
    expect(bot.newest(ana).text).toBe('The model gave an empty answer, twice. Try to put it in another way.');
    expect(bot.engine.requests).toHaveLength(4);
  });

  const ENDINGS: Record<
    Exclude<ProviderFault, 'rate-limited' | 'overloaded' | 'failing' | 'unreachable' | 'silent'>,
    RegExp
  > = {
    unauthorized: /does not accept the key.*has to set a valid one/u,
    billing: /out of credit.*has to see to it/u,
    'unknown-model': /does not exist any more\. Pick another with \/model\.$/u,
    'too-long': /This message is too long for the model\. Please send it in parts\.$/u,
    refused: /declined.*another way/u,
    'bad-request': /did not accept.*will not help/u,
  };

  test.each(Object.entries(ENDINGS))(
    'SPEC 13.5, cases I 107: %s is told to the owner in plain words, at once',
    async (fault, words) => {
      const ana = world.somebody();
      const bot = await world.bot({ owner: String(ana.id) });
      bot.engine.fail(fault as ProviderFault);
      await bot.ask(ana, 'hi');
      expect(bot.engine.requests).toHaveLength(1);
      expect(bot.newest(ana).text).toMatch(words);
      expect(bot.newest(ana).text).not.toContain('raw words');
      expect(JSON.stringify(await bot.log(bot.privatePlace(ana)))).not.toContain('raw words');
    },
  );

  test('SPEC 13.5: it is not tried once more by a worker whose time would end first', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    let requests = 0;
    bot.engine.run = async function* () {
      requests++;
      bot.time.advance(20_000);
      yield { type: 'finish', usage: {}, reason: 'stop' };
    };
    await bot.say(ana, 'hi');
    await bot.workOnce(370_000);
    expect(requests).toBe(1);
    expect(bot.texts(ana)).toEqual(['The model gave an empty answer. Please try again.']);
  });

  test('SPEC 13.5: what is no failure of a provider fails the look and lets no other model answer; it ends in plain words', async () => {
    const settings = { model: 'main/one', fallback: 'main/two' };
    const [bot, ana] = [await world.bot({ models: ['one', 'two'], settings }), world.somebody()];
    for (let n = 0; n < 5; n++) bot.engine.fail(new TypeError('x is undefined at /srv/lib/secret.ts:1'));
    await bot.say(ana, 'hi');
    await bot.workOnce();
    expect(bot.logged.at(-1)).toContain('worker failed x is undefined');
    expect((await bot.types(ana)).filter((type) => type === 'turn.yielded')).toEqual([]);
    await bot.settle();
    expect(bot.engine.requests.map(({ model }) => model)).toEqual(Array(5).fill('one'));
    expect(bot.texts(ana)).toEqual(['I tried several times and could not finish this. Please try again.']);
  });

  test('so does one of a compaction: nothing has changed, and it is tried again', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, 'hi');
    bot.engine.fail(new TypeError('x is undefined'));
    bot.engine.reply('They said hi.');
    await bot.say(ana, '/compact');
    await bot.workOnce();
    expect(bot.logged.at(-1)).toContain('worker failed x is undefined');
    await bot.settle();
    expect((await bot.types(ana)).filter((type) => type === 'context.compacted')).toHaveLength(1);
  });

  test.each(['unauthorized', 'rate-limited', 'refused'] as const)(
    'SPEC 14.2: a provider that says “%s” is the tenant’s affair: a warning with the fault, and no error',
    async (fault) => {
      const [bot, ana] = [await world.bot(), world.somebody()];
      const lines: string[] = [];
      const warn = (what: string, fields?: object) => lines.push(`${what} ${JSON.stringify(fields)}`);
      bot.deps.logger = { ...bot.deps.logger, warn, error: (what) => lines.push(`error ${what}`) };
      bot.engine.fail(fault);
      await bot.ask(ana, 'hi');
      const line = { fault, reason: 'raw words of the provider', tries: 1 };
      expect(lines).toEqual([`turn.provider-failed ${JSON.stringify(line)}`]);
    },
  );

  test('SPEC 13.5: what was said before a failure stays, with the reason behind it', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.engine.fail('refused', { after: 'Half of ' });
    await bot.ask(ana, 'hi');
    expect(bot.newest(ana).text).toBe('Half of\n\nThe model declined to answer this. Try to put it in another way.');
  });

  test.each(['unauthorized', 'billing'] as const)(
    'SPEC 13.5: of %s others than the owner hear that somebody has to see to it, and no more, from /compact too',
    async (fault) => {
      const [ana, ben, guest] = [world.somebody(), world.somebody('Ben'), world.somebody('Gus')];
      const bot = await world.bot({ owner: String(ana.id) });
      await world.stores.tenants.putPerson(bot.tenant, bot.channelId, { id: String(ben.id), status: 'let-in' });
      const nobodys = await world.bot();
      for (const [its, person] of [
        [bot, ben],
        [bot, guest],
        [nobodys, ana],
      ] as const) {
        await its.ask(person, 'hi');
        its.engine.fail(fault);
        await its.ask(person, 'and again');
        expect(its.newest(person).text).toBe('I cannot answer at the moment. Whoever runs this bot has to see to it.');
        its.engine.fail(fault);
        await its.ask(person, '/compact');
        expect(its.newest(person).text).not.toMatch(/key|credit|account/u);
      }
      await bot.ask(ana, 'hi');
      bot.engine.fail(fault);
      await bot.ask(ana, '/compact');
      expect(bot.newest(ana).text).toMatch(
        /nothing has changed\. The (model does not accept the key|account of this bot)/u,
      );
    },
  );

  test('cases I 109: in a group the operator’s business is not told, not even to the owner', async () => {
    const ana = world.somebody();
    const bot = await world.bot({ owner: String(ana.id) });
    const chat = group(-4_000_000 - ana.id);
    bot.engine.fail('billing');
    await bot.deliver(bot.updates.groupMessage('@acme_bot hi', ana, chat));
    await bot.work();
    expect(bot.texts(chat.id)).toEqual(['I cannot answer at the moment. Whoever runs this bot has to see to it.']);
  });

  test('cases I 109: in a group nobody hears of a model that is gone, nor of a command that does not work there', async () => {
    const [bot, ana] = [await world.bot({ settings: { model: 'main/gone' } }), world.somebody()];
    const chat = group(-5_000_000 - ana.id);
    await bot.deliver(bot.updates.groupMessage('@acme_bot hi', ana, chat));
    await bot.work();
    await bot.deliver(bot.updates.groupMessage('/new@acme_bot', ana, chat));
    expect(bot.texts(chat.id)).toEqual([
      'I cannot answer at the moment. Whoever runs this bot has to see to it.',
      'A new conversation. You keep main/gone, which is no longer set up here. Whoever runs this bot has to set another.',
    ]);
  });

  test('SPEC 13.5: an answer that the provider broke off says so', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.engine.parts({ type: 'text', delta: 'So lo' }, { type: 'finish', usage: {}, reason: 'refused' });
    await bot.ask(ana, 'hi');
    expect(bot.newest(ana).text).toBe('So lo\n\nThe model broke the answer off here and declined to go on.');
  });

  test('SPEC 13.5: of a provider that takes nothing for long the person hears how long', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.engine.fail('rate-limited', { retryAfterMs: 3_600_000 });
    await bot.ask(ana, 'hi');
    expect(bot.newest(ana).text).toBe('The model takes no more requests for now. Please try again in 60 minutes.');
  });

  test('an answer that was cut off says so', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.engine.parts({ type: 'text', delta: 'So lo' }, { type: 'finish', usage: {}, reason: 'length' });
    await bot.ask(ana, 'hi');
    expect(bot.newest(ana).text).toMatch(/^So lo\n\nThe answer was cut off/u);
  });

  test('an answer without an end is cut off where the log ends, and its request is aborted', async () => {
    const bot = await world.bot();
    for (const [n, word] of ['words 👋', '漢字の答え。', '\ud800'].entries()) {
      let aborted = false;
      bot.engine.run = async function* (_request, signal) {
        signal.addEventListener('abort', () => (aborted = true));
        for (;;) yield { type: 'text', delta: word.repeat(5_000) };
      };
      await bot.sayText(`c${n}`, 'hi', '1');
      await bot.work();
      const events = await Array.fromAsync(world.stores.log.range(bot.textPlace(`c${n}`), { from: 1 }));
      const ended = events.map((event) => eventOf(event, 'turn.ended')).find(Boolean)?.data;
      expect(aborted).toBe(true);
      expect(ended).toMatchObject({ outcome: 'complete', notice: expect.stringContaining('cut off') });
      expect(ended?.text.length).toBeLessThanOrEqual(ANSWER_LIMIT);
      expect(Buffer.byteLength(JSON.stringify(ended?.text))).toBeGreaterThan(ANSWER_BYTES - 100_000);
      if (word !== '\ud800') expect(ended?.text).toBe(ended?.text.toWellFormed());
    }
  });

  test('DESIGN 3, Waits: without a slot no history is read', async () => {
    const bot = await world.bot({ settings: { turnsAtOnce: 1 } });
    const ana = world.somebody();
    await bot.ask(ana, 'hello');
    await world.stores.capacity.take(bot.tenant, 1, 'somebody', bot.time.now(), bot.time.now() + 3_600_000);
    bot.faults.set('range', { when: 'before', times: 1 });
    await bot.ask(ana, 'more');
    expect(bot.faults.get('range')?.times).toBe(1);
  });

  test('a model that is not set up is said in words', async () => {
    const bot = await world.bot({ settings: { model: 'main/gone' } });
    const ana = world.somebody();
    await bot.ask(ana, 'hi');
    expect(bot.texts(ana)).toEqual(['The provider “main” has no model “gone” here. Pick another with /model.']);
    expect(bot.engine.requests).toHaveLength(0);
  });
});

describe('deliveries (DESIGN 3, Replies)', () => {
  test('a long answer goes out in parts, in order', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const text = Array.from({ length: 1_200 }, (_, n) => `word${n}`).join(' ');
    bot.engine.reply(text);
    await bot.ask(ana, 'hi');
    expect(bot.texts(ana).length).toBeGreaterThan(1);
    expect(bot.texts(ana).join(' ').replace(/\s+/gu, ' ')).toBe(text);
  });

  test('a chat that blocked the bot ends the delivery as undeliverable, and the place goes on', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    world.telegram.addChat(privateChat(ana));
    world.telegram.block(ana.id);
    await bot.ask(ana, 'hi');
    const last = (await bot.log(bot.privatePlace(ana))).at(-1);
    expect(eventOf(last, 'reply.delivered')?.data.undeliverable).toContain('blocked');
    expect(bot.queue.waiting.count).toBe(0);
    world.telegram.addChat(privateChat(ana));
    await bot.ask(ana, 'again');
    expect(bot.texts(ana)).toEqual(['You said: again']);
  });

  test('an answer is not lost with a growing message that the person deleted: another is opened', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const held = bot.engine.hold();
    await bot.say(ana, 'hi');
    const working = bot.workOnce();
    await held.begun;
    await opened(bot, ana);
    const [growing] = world.telegram.messages(ana.id);
    if (growing) world.telegram.delete(growing);
    held.finish('it is.');
    await working;
    await bot.settle();
    expect(bot.texts(ana)).toEqual(['So it is.']);
    expect((await bot.types(ana)).slice(-3)).toEqual(['turn.ended', 'reply.opened', 'reply.delivered']);
  });

  test('ten failures end it as undeliverable, and the place goes on', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.engine.reply('');
    bot.engine.reply('');
    world.telegram.fail(tooMany(30), { method: 'editMessageText', times: 10 });
    await bot.ask(ana, 'hi');
    await bot.settle();
    const log = await bot.log(bot.privatePlace(ana));
    expect(
      counted(
        log.map(({ type }) => type),
        'delivery.taken',
      ),
    ).toBe(10);
    expect(eventOf(log.at(-1), 'reply.delivered')?.data.undeliverable).toBe('failed too often');
    expect(bot.texts(ana)).toEqual(['…']);
    await bot.ask(ana, 'again');
    expect(bot.newest(ana).text).toMatch(/again$/u);
  });

  test('a delivery that the app put off is done by the next worker, in the message that was opened', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.engine.parts({ type: 'finish', usage: {}, reason: 'refused' });
    world.telegram.fail(tooMany(30), { method: 'editMessageText', times: 2 });
    await bot.ask(ana, 'hi');
    expect(bot.texts(ana)).toEqual(['…']);
    await bot.settle();
    expect(bot.texts(ana)).toEqual(['The model declined to answer this. Try to put it in another way.']);
    expect(bot.engine.requests).toHaveLength(1);
  });

  test.each([
    ['that stands on the screen already is not drawn once more', undefined, 1],
    ['is drawn at the end where an edit may still arrive behind it', 'unknown', 2],
  ] as const)('SPEC 13.3: an answer %s', async (_what, first, sent) => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const edits: string[] = [];
    const sender: typeof telegram.sender = (channel) => {
      const real = telegram.sender(channel);
      return {
        ...real,
        edit: async (to, id, piece, options) => {
          const { text } = piece.body as { text: string };
          edits.push(text);
          if (text === 'All' && first) return { kind: first, reason: 'a time-out' };
          return real.edit(to, id, piece, options);
        },
      };
    };
    bot.deps.apps = { telegram: { ...telegram, sender } };
    bot.engine.run = async function* () {
      yield { type: 'text', delta: '' };
      await opened(bot, ana);
      for (const delta of ['All', ' of it.']) {
        const before = edits.length;
        yield { type: 'text', delta };
        while (edits.length === before) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          bot.time.advance(500);
          yield { type: 'text', delta: '' };
        }
      }
      yield { type: 'finish', usage: {}, reason: 'stop' };
    };
    await bot.ask(ana, 'hi');
    expect(bot.texts(ana)).toEqual(['All of it.']);
    expect(edits.filter((text) => text === 'All of it.')).toHaveLength(sent);
  });

  test('a long answer that the app puts off goes on behind the parts that show the final text', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const edits: string[] = [];
    let allowed = 0;
    const sender: typeof telegram.sender = (channel) => {
      const real = telegram.sender(channel);
      return {
        ...real,
        edit: async (to, id, ...rest) => {
          if (allowed-- <= 0) return { kind: 'refused', retryAfterMs: 60_000, reason: 'too many' };
          edits.push(id);
          return real.edit(to, id, ...rest);
        },
      };
    };
    bot.deps.apps = { telegram: { ...telegram, sender } };
    bot.engine.reply('Some words. '.repeat(1_600));
    await bot.say(ana, 'hi');
    for (let n = 0; n < 8 && bot.queue.waiting.count > 0; n++) {
      bot.time.advance(bot.queue.waiting.nextInMs);
      allowed = 2;
      await bot.workOnce();
    }
    expect(bot.queue.waiting.count).toBe(0);
    expect(new Set(edits).size).toBe(edits.length);
    expect(bot.texts(ana)).toHaveLength(edits.length);
    expect(bot.texts(ana)).not.toContain('…');
    await bot.log(bot.privatePlace(ana));
  });

  test('an answer that is shorter than what a dead worker had shown leaves nothing of it', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const dead = bot.engine.hold('stale '.repeat(1_000));
    await bot.say(ana, 'hi');
    void bot.workStuck();
    await dead.begun;
    await opened(bot, ana);
    while (!bot.texts(ana)[1]?.includes('stale')) {
      bot.time.advance(1_000);
      dead.say('stale ');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    bot.time.advance(LEASE_AND_GRACE_MS);
    bot.engine.reply('Short.');
    await hintFor(bot, ana);
    await bot.workOnce();
    expect(bot.texts(ana)[0]).toBe('Short.');
    expect(bot.texts(ana).join()).not.toContain('stale');
  });

  test('SPEC 2.3: in an app that cannot edit, the one send follows the append', async () => {
    const bot = await world.bot();
    await bot.sayText('a', 'hi', 'm1');
    await hintFor(bot, world.somebody());
    await bot.work();
    expect(await bot.textReplies('a')).toEqual(['You said: hi']);
  });

  test('a channel that was deleted: the turn ends, nothing is sent, nothing is owed', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    await world.stores.tenants.deleteChannel(bot.tenant, 'bot');
    await bot.work();
    expect(await bot.types(ana)).toEqual(['message', 'turn.started', 'turn.ended', 'reply.delivered']);
    expect(bot.engine.requests).toHaveLength(0);
    expect(bot.queue.waiting.count).toBe(0);
  });
});

describe('what is counted', () => {
  test('SPEC 8.1: the reading is what the last step read and wrote; use is counted once', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, 'hi');
    expect((await bot.state(ana)).reading).toEqual({ tokens: 120, model: 'main/one' });
    await bot.ask(ana, 'again');
    expect((await bot.state(ana)).reading?.tokens).toBe(120);
    const [today] = await world.stores.usage.read(bot.tenant, 1);
    expect(today).toEqual({ day: dayOf(bot.time.now()), turns: 2, inputTokens: 200, outputTokens: 40 });
    await bot.say(ana, '/status');
    expect(bot.newest(ana).text).toContain('Context: 120 of 100k (0%)');
    expect(bot.newest(ana).text).toContain('Today, everyone here: 2 answers, 200 tokens read, 40 written');
  });
});

describe('states of other versions (DESIGN 2)', () => {
  async function withVersion(bot: Bot, who: User, version: number) {
    const newest = await world.stores.log.newest(bot.privatePlace(who));
    if (!newest) throw new Error('The place has no events');
    const seq = newest.seq + 1;
    const state = { ...newest.state, seq, version, goal: 'not of the fold' };
    await world.stores.log.append(bot.privatePlace(who), { ...newest, seq, id: `v${seq}`, type: 'other', state });
  }

  test('one too old to be taken over is folded again from the events', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, '/goal whales');
    await withVersion(bot, ana, STATE_VERSION - 2);
    await bot.say(ana, 'hi');
    const newest = await world.stores.log.newest(bot.privatePlace(ana));
    expect(newest?.state).toMatchObject({ version: STATE_VERSION, goal: 'whales', waiting: [3] });
    await bot.work();
    expect(bot.newest(ana).text).toBe('You said: hi');
  });

  test('a newer one is not touched: both sides try again later', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'hi');
    await withVersion(bot, ana, STATE_VERSION + 1);
    expect(await bot.deliver(bot.updates.privateMessage('more', ana))).toBe(503);
    await bot.workOnce();
    expect(bot.queue.waiting.count).toBe(1);
    expect((await world.stores.log.newest(bot.privatePlace(ana)))?.seq).toBe(2);
  });
});
