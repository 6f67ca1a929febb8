import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TURN_TRIES } from '../../lib/domain/limits.ts';
import type { EnginePart } from '../../lib/ports/engine.ts';
import type { Tool } from '../../lib/ports/tools.ts';
import type { User } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const reading = (inputTokens: number, text = 'Yes.'): EnginePart[] => [
  { type: 'text', delta: text },
  { type: 'finish', usage: { inputTokens, outputTokens: 20 }, reason: 'stop' },
];

async function talked(): Promise<[Bot, User]> {
  const [bot, ana] = [await world.bot(), world.somebody()];
  bot.engine.parts(...reading(84_180));
  await bot.ask(ana, 'My cat is Mitzi');
  return [bot, ana];
}

const isSummary = ({ system }: Bot['engine']['last']) => system.startsWith('You sum up a conversation');
const find = (run: Tool['run']): Tool => ({
  ...{ name: 'find', title: 'desk: find', description: 'find', inputSchema: { type: 'object' }, grant: 'desk/find' },
  ...{ readOnly: true, run },
});

describe('/compact (SPEC 8.2)', () => {
  test('SPEC 8.2, 8.3: the memory is then the summary and what comes after it; one line says so', async () => {
    const [bot, ana] = await talked();
    bot.engine.reply('Her cat is Mitzi.');
    await bot.ask(ana, '/compact the name');
    expect(isSummary(bot.engine.last)).toBe(true);
    const [asked] = bot.engine.last.messages;
    expect(asked).toMatchObject({
      role: 'user',
      text: expect.stringContaining('Person: My cat is Mitzi\n\nAssistant: Yes.'),
    });
    expect(JSON.stringify(asked)).toContain('The person asks to keep in mind: the name');
    expect(bot.texts(ana).slice(-2)).toEqual([
      'I sum up what was said so far, and go on from the summary. You keep the whole conversation, and the goal stays.',
      'Compacted on your request, 84.2k tokens before.',
    ]);
    const log = await bot.log(bot.privatePlace(ana));
    expect(log.find(({ type }) => type === 'context.compacted')?.data).toMatchObject({
      ...{ trigger: 'manual', preTokens: 84_200, summary: 'Her cat is Mitzi.' },
    });
    await bot.ask(ana, 'Her name?');
    expect(bot.engine.last.messages).toEqual([
      {
        role: 'user',
        text: 'A summary of the conversation so far:\n\n<summary>\nHer cat is Mitzi.\n</summary>\n\nHer name?',
      },
    ]);
  });

  test('SPEC 8.4, cases K 121, 122: the reading is unknown until the next turn gives one, never the old number', async () => {
    const [bot, ana] = await talked();
    await bot.say(ana, '/context');
    expect(bot.newest(ana).text).toContain('Context: 84.2k of 100k (84%)');
    bot.engine.reply('Short.');
    await bot.ask(ana, '/compact');
    await bot.say(ana, '/context');
    expect(bot.newest(ana).text).toBe(
      'Context: compacted (0%), known again after the next answer\n\nIn it:\n\n• a summary of what was said before',
    );
    expect((await bot.state(ana)).reading).toEqual({ tokens: 0, compacted: true });
    bot.engine.parts(...reading(500));
    await bot.ask(ana, 'hi');
    await bot.say(ana, '/context');
    expect(bot.newest(ana).text).toContain('Context: 520 of 100k (1%)');
  });

  test('SPEC 8.2: with nothing since, it says so and asks nobody; a failed one changes nothing and says so', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, '/compact');
    expect(bot.texts(ana)).toEqual(['There is nothing to sum up yet.']);
    expect(bot.engine.requests).toEqual([]);
    await bot.ask(ana, 'My cat is Mitzi');
    for (let n = 0; n < TURN_TRIES; n++) bot.engine.fail('overloaded');
    const before = await bot.state(ana);
    await bot.say(ana, '/compact');
    await bot.settle();
    expect(bot.newest(ana).text).toBe(
      'I could not sum this conversation up, and nothing has changed. The model is overloaded. Please try again in a few minutes.',
    );
    bot.engine.fail('bad-request');
    await bot.ask(ana, '/compact');
    expect(bot.newest(ana).text).toMatch(/The model does not take it\. \/clear or \/new starts afresh\.$/u);
    const { memory, reading: read } = await bot.state(ana);
    expect({ memory, read }).toEqual({ memory: before.memory, read: before.reading });
    bot.engine.reply('Sum.');
    await bot.ask(ana, '/compact');
    await bot.ask(ana, '/compact');
    expect(bot.newest(ana).text).toBe('There is nothing to sum up yet.');
  });

  test('SPEC 8.2: what may pass is tried again after a wait, and says so; stopped meanwhile, nothing has changed', async () => {
    const [bot, ana] = await talked();
    bot.engine.fail('rate-limited', { retryAfterMs: 30_000 });
    await bot.ask(ana, '/compact');
    expect(bot.newest(ana).text).toBe('The model is busy. I will try again in 30 seconds.');
    bot.engine.reply('Her cat is Mitzi.');
    await bot.settle();
    expect(bot.newest(ana).text).toBe('Compacted on your request, 84.2k tokens before.');
    await bot.ask(ana, 'so?');
    bot.engine.fail('rate-limited', { retryAfterMs: 30_000 });
    const asked = bot.engine.requests.length;
    await bot.ask(ana, '/compact');
    await bot.say(ana, '/stop');
    await bot.settle();
    expect(bot.engine.requests).toHaveLength(asked + 1);
    expect(bot.texts(ana).slice(-2)).toEqual(['Stopped.', 'I stop summing up, and nothing has changed.']);
  });

  test('SPEC 5.6: cleared while it waits for the provider, nobody is asked any more', async () => {
    const [bot, ana] = await talked();
    bot.engine.fail('overloaded');
    await bot.ask(ana, '/compact');
    await bot.say(ana, '/clear');
    const asked = bot.engine.requests.length;
    await bot.settle();
    expect(bot.engine.requests).toHaveLength(asked);
    expect(bot.texts(ana)).toContain('The conversation was cleared or left meanwhile, so I summed nothing up.');
  });

  test('SPEC 13.5: where it is too long even in parts, the person hears the way out, and of no message to send', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, 'My cat is Mitzi');
    for (let n = 0; n < 12; n++) bot.engine.fail('too-long');
    await bot.ask(ana, '/compact');
    expect(bot.newest(ana).text).toBe(
      'I could not sum this conversation up, and nothing has changed. It is too long for the model. /clear or /new starts afresh.',
    );
  });

  test('cases G 100: a second /compact before the first is done says that it is being done', async () => {
    const [bot, ana] = await talked();
    bot.engine.pause(...reading(10, 'Sum.'));
    await bot.say(ana, '/compact');
    await bot.say(ana, '/compact');
    expect(bot.newest(ana).text).toBe('You have asked for that already. I sum up what was said so far.');
    const working = bot.workOnce();
    await bot.engine.paused;
    await bot.say(ana, '/compact');
    expect(bot.texts(ana).at(-1)).toBe('I am summing this conversation up already.');
    bot.engine.resume();
    await working;
    expect((await bot.types(ana)).filter((type) => type === 'context.compacted')).toHaveLength(1);
  });

  test('SPEC 4.8: while a turn runs it comes after the turn', async () => {
    const [bot, ana] = await talked();
    const held = bot.engine.hold();
    await bot.say(ana, 'long one');
    const working = bot.workOnce();
    await held.begun;
    await bot.say(ana, '/compact');
    expect(bot.texts(ana).at(-1)).toMatch(/^When I am done with this answer, I sum up/u);
    bot.engine.reply('Sum.');
    held.finish('long.');
    await working;
    await bot.work();
    expect(bot.texts(ana).at(-1)).toBe('Compacted on your request, 120 tokens before.');
    expect(JSON.stringify(bot.engine.last.messages)).toContain('long.');
  });

  test('SPEC 13.3: it is one message, however long its use takes to be counted', async () => {
    const [bot, ana] = await talked();
    const { usage } = bot.deps;
    const add: typeof usage.add = async (...counts) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return usage.add(...counts);
    };
    bot.deps.usage = Object.assign(Object.create(usage), { add });
    bot.engine.reply('Sum.');
    const before = bot.texts(ana).length;
    await bot.ask(ana, '/compact');
    expect(bot.texts(ana).slice(before + 1)).toEqual(['Compacted on your request, 84.2k tokens before.']);
  });

  test('SPEC 5.6: cleared meanwhile, it is discarded and says so', async () => {
    const [bot, ana] = await talked();
    bot.engine.pause(...reading(10, 'Sum.'));
    await bot.say(ana, '/compact');
    const working = bot.workOnce();
    await bot.engine.paused;
    await bot.say(ana, '/clear');
    bot.engine.resume();
    await working;
    expect(bot.texts(ana)).toContain('The conversation was cleared or left meanwhile, so I summed nothing up.');
    expect(await bot.types(ana)).not.toContain('context.compacted');
  });

  test('SPEC 6.2, cases K 125: the goal and the mode hold after it', async () => {
    const [bot, ana] = await talked();
    await bot.say(ana, '/goal feed Mitzi');
    bot.engine.reply('Sum.');
    await bot.ask(ana, '/compact');
    await bot.ask(ana, 'so?');
    expect(bot.engine.last.system).toContain('> feed Mitzi');
  });

  test('SPEC 5.3: undo brings back a memory that was compacted, as it was compacted', async () => {
    const [bot, ana] = await talked();
    bot.engine.reply('Sum.');
    await bot.ask(ana, '/compact');
    await bot.say(ana, '/clear');
    await bot.say(ana, '/undo');
    await bot.ask(ana, 'so?');
    expect(bot.engine.last.messages).toEqual([
      { role: 'user', text: 'A summary of the conversation so far:\n\n<summary>\nSum.\n</summary>\n\nso?' },
    ]);
  });

  test('cases I 115: what does not fit one request is summed up part by part', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    for (const word of ['one ', 'two ', 'six ', 'ten ']) {
      bot.engine.parts(...reading(1_000));
      await bot.ask(ana, word.repeat(12_000).trim());
    }
    const before = bot.engine.requests.length;
    await bot.ask(ana, '/compact');
    expect(bot.engine.requests.length - before).toBe(2);
    expect(bot.engine.last.messages.map((message) => JSON.stringify(message)).join()).toContain(
      'The summary of what came before this part',
    );
    expect(bot.newest(ana).text).toMatch(/^Compacted on your request/u);
  });
});

describe('by itself (SPEC 8.2, 8.6)', () => {
  test('SPEC 8.2, 8.5, cases K 124: past 85% of the window it compacts first; the message that tips it over is answered', async () => {
    const [bot, ana] = await talked();
    bot.engine.reply('Her cat is Mitzi.');
    bot.engine.parts(...reading(900, 'Mitzi.'));
    await bot.ask(ana, `Her name? ${'x'.repeat(5_000)}`);
    expect(bot.engine.requests.map(isSummary)).toEqual([false, true, false]);
    expect(bot.engine.last.messages).toEqual([
      { role: 'user', text: expect.stringContaining('Her cat is Mitzi.\n</summary>\n\nHer name?') },
    ]);
    expect(bot.newest(ana).text).toBe('Mitzi.');
    const log = await bot.log(bot.privatePlace(ana));
    expect(log.find(({ type }) => type === 'context.compacted')?.data).toMatchObject({
      trigger: 'auto',
      preTokens: 84_200,
    });
    expect((await bot.state(ana)).reading).toMatchObject({ tokens: 920 });
    await bot.ask(ana, 'Sure?');
    const asked = JSON.stringify(bot.engine.last.messages);
    expect(asked).toContain('Her name?');
    expect(asked).toContain('Mitzi.');
  });

  test('SPEC 8.6: “context too long” compacts once and tries again', async () => {
    const [bot, ana] = await talked();
    bot.engine.fail('too-long');
    bot.engine.reply('Sum.');
    bot.engine.reply('Short again.');
    await bot.ask(ana, 'so?');
    expect(bot.newest(ana).text).toBe('Short again.');
    bot.engine.fail('too-long');
    bot.engine.reply('Sum.');
    bot.engine.fail('too-long');
    await bot.ask(ana, 'and?');
    expect(bot.newest(ana).text).toBe(
      'This chat has grown too long for the model. Write /clear or /new, then send your message again.',
    );
  });

  test('SPEC 8.5, 8.8: in mid-turn it closes the reply, later text starts a new one, and no call is parted from its result', async () => {
    const [bot, ana] = await talked();
    bot.tools = [find(async () => ({ text: 'r'.repeat(60_000) }))];
    bot.engine.parts(
      { type: 'text', delta: 'I look.' },
      { type: 'call', call: { id: 'c', name: 'find', input: {} } },
      { type: 'finish', usage: { inputTokens: 70_000, outputTokens: 10 }, reason: 'tools' },
    );
    bot.engine.reply('Found a lot.');
    bot.engine.parts(...reading(700, 'Here it is.'));
    await bot.ask(ana, 'look');
    expect(bot.engine.requests.map(isSummary)).toEqual([false, false, true, false]);
    expect(bot.texts(ana).slice(-2)).toEqual(['I look.', 'Here it is.']);
    const { messages } = bot.engine.last;
    expect(messages).toEqual([
      { role: 'user', text: 'A summary of the conversation so far:\n\n<summary>\nFound a lot.\n</summary>\n\nlook' },
    ]);
    expect((await bot.state(ana)).reading?.tokens).toBe(720);
    const kinds = (await bot.types(ana)).slice(5).filter((type) => type !== 'reply.opened');
    expect(kinds).toEqual([
      ...['message', 'turn.started', 'step', 'tool.result', 'context.compacted', 'turn.ended', 'reply.delivered'],
    ]);
  });

  test('SPEC 5.5, 5.6: a turn whose chat was cleared compacts for itself alone; undo brings all of the memory back, with its reading', async () => {
    const [bot, ana] = await talked();
    bot.tools = [
      find(async () => {
        await bot.say(ana, '/clear');
        return { text: 'r'.repeat(60_000) };
      }),
    ];
    bot.engine.parts(
      { type: 'text', delta: 'I look.' },
      { type: 'call', call: { id: 'c', name: 'find', input: {} } },
      { type: 'finish', usage: { inputTokens: 70_000, outputTokens: 10 }, reason: 'tools' },
    );
    bot.engine.reply('Found a lot.');
    bot.engine.parts(...reading(700, 'Here it is.'));
    await bot.ask(ana, 'look');
    expect(bot.engine.requests.map(isSummary)).toEqual([false, false, true, false]);
    expect((await bot.state(ana)).memory).toMatchObject({ messages: 0 });
    await bot.say(ana, '/undo');
    await bot.say(ana, '/context');
    expect(bot.newest(ana).text).toContain('Context: 70k of 100k (70%)');
    const restored = await bot.state(ana);
    expect(restored.memory).not.toHaveProperty('summary');

    bot.engine.reply('All of it.');
    await bot.ask(ana, 'so?');
    // As much as before, and the results: it has to be compacted first, and all of it is summed up.
    expect(bot.engine.requests.slice(4).map(isSummary)).toEqual([true, false]);
    const summed = JSON.stringify(bot.engine.requests[4]?.messages);
    for (const words of ['My cat is Mitzi', 'I look.', 'rrrr', 'Here it is.']) expect(summed).toContain(words);
    expect(summed).not.toContain('Found a lot.');
  });
});
