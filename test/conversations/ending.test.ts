import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventOf } from '../../lib/domain/events.ts';
import type { EnginePart } from '../../lib/ports/engine.ts';
import type { Tool } from '../../lib/ports/tools.ts';
import type { User } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const usage = { inputTokens: 100, outputTokens: 20 };

function calls(...names: string[]): EnginePart[] {
  return [
    ...names.map((name, n): EnginePart => ({ type: 'call', call: { id: `c${n}`, name, input: {} } })),
    { type: 'finish', usage, reason: 'tools' },
  ];
}

/** A tool that runs until the test ends it, or its signal. */
function slow(name: string, readOnly: boolean) {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const runs: AbortSignal[] = [];
  const tool: Tool = {
    ...{ name, title: `desk: ${name}`, description: name, inputSchema: { type: 'object' }, grant: `desk/${name}` },
    readOnly,
    run: async (_input, signal) => {
      runs.push(signal);
      begun.resolve();
      const aborted = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => aborted.reject(signal.reason));
      if (runs.length === 1) await Promise.race([over.promise, aborted.promise]);
      return { text: `${name} done` };
    },
  };
  return { tool, runs, begun: begun.promise, end: over.resolve };
}

/** A bot whose process can be told to end, and can be started anew. */
async function ended(mode: 'trust' | 'ask' = 'trust') {
  const bot = await world.bot({ settings: { mode } });
  const ending = new AbortController();
  const { runtime } = bot.deps;
  bot.deps.runtime = { ...runtime, ending: ending.signal };
  const again = async () => {
    bot.deps.runtime = runtime;
    await bot.settle();
  };
  return { bot, ana: world.somebody(), ending, again };
}

const log = async (bot: Bot, ana: User) => bot.log(bot.privatePlace(ana));
const resultsIn = async (bot: Bot, ana: User) =>
  (await log(bot, ana)).flatMap((event) => eventOf(event, 'tool.result')?.data.results ?? []);
const yielded = async (bot: Bot, ana: User) => eventOf((await log(bot, ana)).at(-1), 'turn.yielded')?.data.reason;

describe('DESIGN 3: a process that is about to end hands over within seconds', () => {
  test('a compaction that was asked for: its request is aborted, and the next worker makes it', async () => {
    const { bot, ana, ending, again } = await ended();
    await bot.ask(ana, 'hi');
    const held = bot.engine.hold('A sum');
    await bot.say(ana, '/compact');
    const working = bot.workOnce();
    await held.begun;
    ending.abort();
    await working;
    expect(held.aborted).toBe(true);
    expect(await yielded(bot, ana)).toBe('time');
    bot.engine.reply('They said hi.');
    await again();
    expect((await bot.types(ana)).filter((type) => type === 'context.compacted')).toHaveLength(1);
  });

  test('a compaction in mid-turn, and the turn is answered by the next worker', async () => {
    const { bot, ana, ending, again } = await ended();
    await bot.ask(ana, 'hi');
    bot.engine.fail('too-long');
    const held = bot.engine.hold('A sum');
    await bot.say(ana, 'and now?');
    const working = bot.workOnce();
    await held.begun;
    ending.abort();
    await working;
    expect(await yielded(bot, ana)).toBe('time');
    await again();
    expect(bot.newest(ana).text).toBe('You said: and now?');
    expect(await bot.types(ana)).not.toContain('context.compacted');
  });

  test('a tool that only reads: it is aborted, and read again', async () => {
    const { bot, ana, ending, again } = await ended();
    const find = slow('find', true);
    bot.tools = [find.tool];
    bot.engine.parts(...calls('find'));
    bot.engine.reply('Found.');
    await bot.say(ana, 'find it');
    const working = bot.workOnce();
    await find.begun;
    ending.abort();
    await working;
    expect(await yielded(bot, ana)).toBe('time');
    expect(await bot.types(ana)).not.toContain('tool.result');
    await again();
    expect(find.runs).toHaveLength(2);
    expect(await resultsIn(bot, ana)).toEqual([{ id: 'c0', name: 'find', output: 'find done' }]);
    expect(bot.newest(ana).text).toBe('Found.');
  });

  test('a tool that changes something and has begun ends if it can, and never runs twice; what follows is left', async () => {
    const { bot, ana, ending, again } = await ended();
    const [write, other] = [slow('write', false), slow('other', false)];
    bot.tools = [write.tool, other.tool];
    bot.engine.parts(...calls('write', 'other'));
    bot.engine.reply('Written.');
    await bot.say(ana, 'write it');
    const working = bot.workOnce();
    await write.begun;
    ending.abort();
    bot.time.advance(1_000);
    write.end();
    await working;
    expect(await yielded(bot, ana)).toBe('time');
    expect(await resultsIn(bot, ana)).toMatchObject([
      { output: 'write done' },
      { output: 'It was not run: there was no time left for it. Call it again.', error: true },
    ]);
    await again();
    expect([write.runs.length, other.runs.length]).toEqual([1, 0]);
    expect(bot.newest(ana).text).toBe('Written.');
  });

  test('DESIGN 3a: one that does not end is broken off; nobody knows its outcome, and nobody runs it again', async () => {
    const { bot, ana, ending, again } = await ended();
    const [first, write, other] = [slow('first', false), slow('write', false), slow('other', false)];
    bot.tools = [first.tool, write.tool, other.tool];
    bot.engine.parts(...calls('first', 'write', 'other'));
    bot.engine.reply('I do not know.');
    await bot.say(ana, 'write it');
    const working = bot.workOnce();
    first.end();
    await write.begun;
    ending.abort();
    bot.time.advance(1_500);
    await working;
    expect(await yielded(bot, ana)).toBe('time');
    expect(await resultsIn(bot, ana)).toMatchObject([
      { output: 'first done' },
      { output: expect.stringContaining('not known'), error: true },
      { output: 'It was stopped before it gave a result.', error: true },
    ]);
    await again();
    expect([first.runs.length, write.runs.length, other.runs.length]).toEqual([1, 1, 0]);
    expect(bot.newest(ana).text).toBe('I do not know.');
  });
});
