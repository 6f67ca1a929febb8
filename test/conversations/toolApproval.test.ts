import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mode } from '../../lib/domain/events.ts';
import { needsApproval } from '../../lib/domain/toolCalls.ts';
import type { EnginePart } from '../../lib/ports/engine.ts';
import type { Tool } from '../../lib/ports/tools.ts';
import { group, type User } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const usage = { inputTokens: 100, outputTokens: 20 };

function calls(...names: string[]): EnginePart[] {
  return [
    ...names.map((name, n): EnginePart => ({ type: 'call', call: { id: `c${n}`, name, input: { of: name } } })),
    { type: 'finish', usage, reason: 'tools' },
  ];
}

/** A tool that notes its runs. */
function tool(name: string, more: Partial<Tool> = {}): Tool & { runs: unknown[] } {
  const runs: unknown[] = [];
  return {
    ...{
      name,
      title: `desk: ${name}`,
      description: name,
      inputSchema: { type: 'object' },
      grant: `desk/${name}`,
      runs,
    },
    readOnly: false,
    run: async (input) => {
      runs.push(input);
      return { text: `${name} done` };
    },
    ...more,
  };
}

async function somebody(mode?: Mode): Promise<[Bot, User]> {
  const bot = await world.bot({ settings: mode === undefined ? {} : { mode } });
  return [bot, world.somebody()];
}

const results = (bot: Bot) =>
  bot.engine.last.messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
const labels = (bot: Bot, who: User | number) =>
  bot
    .newest(who)
    .buttons.flat()
    .map(({ text }) => text);
const press = async (bot: Bot, ana: User, label: string) => {
  expect(await bot.deliver(bot.press(ana, bot.newest(ana), label))).toBe(200);
  await bot.work();
};

describe('SPEC 7.5: which call asks first', () => {
  const kinds = {
    reads: { readOnly: true, grant: 'a' },
    adds: { readOnly: false, destructive: false, grant: 'a' },
    changes: { readOnly: false, grant: 'a' },
    destroys: { readOnly: false, destructive: true, grant: 'a' },
  };
  test.each([
    ['ask', ['adds', 'changes', 'destroys']],
    ['edit', ['changes', 'destroys']],
    ['auto', ['destroys']],
    ['trust', []],
  ] as const)('in %s: %s', (mode, expected) => {
    const asking = Object.entries(kinds).filter(([, marks]) => needsApproval(mode, marks, []));
    expect(asking.map(([kind]) => kind)).toEqual(expected);
    expect(needsApproval(mode, kinds.destroys, ['a'])).toBe(false);
  });
});

describe('tools in a turn (SPEC 7)', () => {
  test('what only reads runs without asking, several at once; the results go back in pairs', async () => {
    const [bot, ana] = await somebody();
    const find = tool('find', { readOnly: true });
    bot.tools = [find];
    bot.engine.parts({ type: 'text', delta: 'I look.' }, ...calls('find', 'find'));
    bot.engine.reply('Found.');
    await bot.ask(ana, 'find it');
    expect(find.runs).toHaveLength(2);
    expect(bot.newest(ana).text).toBe('I look.\n\nFound.');
    expect(bot.engine.last.messages.slice(-2)).toEqual([
      {
        role: 'assistant',
        text: 'I look.',
        calls: [expect.objectContaining({ id: 'c0' }), expect.objectContaining({ id: 'c1' })],
      },
      {
        role: 'tool',
        results: [
          { id: 'c0', name: 'find', output: 'find done' },
          { id: 'c1', name: 'find', output: 'find done' },
        ],
      },
    ]);
    const kinds = (await bot.types(ana)).filter((type) => type !== 'reply.opened');
    expect(kinds).toEqual(['message', 'turn.started', 'step', 'tool.result', 'turn.ended', 'reply.delivered']);
    await bot.ask(ana, 'and now?');
    expect(bot.engine.last.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  test('SPEC 7.5: what changes something asks first, and nothing has run; Allow once runs it, the next one asks again', async () => {
    const [bot, ana] = await somebody();
    const write = tool('write');
    bot.tools = [write];
    bot.engine.parts(...calls('write'));
    await bot.ask(ana, 'write it');
    expect(bot.newest(ana).text).toContain('May I use desk: write?');
    expect(bot.newest(ana).text).toContain('"of": "write"');
    expect(labels(bot, ana)).toEqual(['Allow once', 'Allow in this chat', 'Deny', 'Plan first']);
    expect(write.runs).toEqual([]);
    bot.engine.parts(...calls('write'));
    await press(bot, ana, 'Allow once');
    expect(write.runs).toHaveLength(1);
    expect(labels(bot, ana)).toContain('Deny');
    bot.engine.reply('Then not.');
    await press(bot, ana, 'Deny');
    expect(write.runs).toHaveLength(1);
    expect(results(bot).at(-1)).toMatchObject({ error: true, output: expect.stringContaining('did not allow') });
    expect(bot.newest(ana).text).toBe('Then not.');
  });

  test('SPEC 7.5, 5.3: Allow in this chat holds from now on, also after /clear', async () => {
    const [bot, ana] = await somebody();
    const write = tool('write');
    bot.tools = [write];
    bot.engine.parts(...calls('write'));
    bot.engine.reply('Done.');
    await bot.ask(ana, 'write it');
    await press(bot, ana, 'Allow in this chat');
    await bot.say(ana, '/clear');
    bot.engine.parts(...calls('write'));
    bot.engine.reply('Again.');
    await bot.ask(ana, 'once more');
    expect(write.runs).toHaveLength(2);
    expect(bot.newest(ana).text).toBe('Again.');
    expect((await bot.state(ana)).grants).toEqual(['desk/write']);
  });

  test('SPEC 7.5: whoever goes back to Ask is asked again, also about what they had allowed in this chat', async () => {
    const ana = world.somebody();
    const bot = await world.bot({ owner: String(ana.id) });
    const write = tool('write');
    bot.tools = [write];
    bot.engine.parts(...calls('write'));
    bot.engine.reply('Done.');
    await bot.ask(ana, 'write it');
    await press(bot, ana, 'Allow in this chat');
    await bot.say(ana, '/status');
    expect(bot.newest(ana).text).toContain('Allowed in this chat: desk: write');
    await bot.say(ana, '/mode ask');
    expect(bot.newest(ana).text).toContain('Tools that were allowed in this chat ask again.');
    bot.engine.parts(...calls('write'));
    await bot.ask(ana, 'once more');
    expect(labels(bot, ana)).toContain('Allow once');
    expect(write.runs).toHaveLength(1);
  });

  test('SPEC 7.5: Plan first turns plan mode on and sends the message again', async () => {
    const [bot, ana] = await somebody();
    bot.tools = [tool('write'), tool('find', { readOnly: true })];
    bot.engine.parts(...calls('write'));
    await bot.ask(ana, 'write it');
    bot.engine.reply('First this.');
    await press(bot, ana, 'Plan first');
    expect(bot.engine.last.messages.at(-1)).toMatchObject({ role: 'user', text: 'write it' });
    expect(bot.engine.last.tools?.map(({ name }) => name)).toEqual(['find', 'exit_plan_mode']);
    expect((await bot.state(ana)).options.mode).toBe('plan');
  });

  test.each(['/plan on', '/mode plan'])('SPEC 7.2: %s closes the question, and nothing runs', async (typed) => {
    const ana = world.somebody();
    const bot = await world.bot({ owner: String(ana.id) });
    const write = tool('write');
    bot.tools = [write];
    bot.engine.parts(...calls('write'));
    await bot.ask(ana, 'go');
    const question = bot.newest(ana);
    await bot.say(ana, typed);
    expect(bot.newest(ana).text).toContain('My open question is closed, and I did not do what it asked about.');
    const late = bot.press(ana, question, 'Allow once');
    await bot.deliver(late);
    await bot.work();
    expect(bot.pressAnswer(late)).toBe('That question is closed, so nothing was started.');
    expect(write.runs).toEqual([]);
    bot.engine.reply('A plan.');
    await bot.ask(ana, 'and now?');
    expect(results(bot)).toMatchObject([{ output: 'It was not run.' }]);
  });

  test.each([
    ['/cancel', 'This was cancelled.'],
    ['/stop', 'That question is closed, so nothing was started.'],
  ])('SPEC 11.2: a press after %s says what became of the question', async (typed, said) => {
    const [bot, ana] = await somebody();
    bot.tools = [tool('write')];
    bot.engine.parts(...calls('write'));
    await bot.ask(ana, 'go');
    const question = bot.newest(ana);
    await bot.say(ana, typed);
    const late = bot.press(ana, question, 'Allow once');
    await bot.deliver(late);
    expect(bot.pressAnswer(late)).toBe(said);
  });

  test('SPEC 7.1: in plan mode a tool that changes something is not offered, and not run if it is called all the same', async () => {
    const [bot, ana] = await somebody('plan');
    const write = tool('write');
    bot.tools = [write];
    bot.engine.parts(...calls('write'));
    bot.engine.reply('So I plan.');
    await bot.ask(ana, 'write it');
    expect(bot.engine.requests[0]?.tools?.map(({ name }) => name)).toEqual(['exit_plan_mode']);
    expect(write.runs).toEqual([]);
    expect(bot.newest(ana).text).toBe('So I plan.');
  });

  test('SPEC 7.4: a group guest is asked nothing: the call is declined at once, and plan mode only plans', async () => {
    const bot = await world.bot({ settings: { mode: 'plan' } });
    const ana = world.somebody();
    const chat = group(-5_000_000 - ana.id);
    await bot.deliver(bot.updates.groupMessage('@acme_bot mend it', ana, chat));
    await bot.work();
    expect(bot.engine.last.tools).toBeUndefined();
    const other = await world.bot();
    const write = tool('write');
    other.tools = [write];
    other.engine.parts(...calls('write'));
    other.engine.reply('I may not.');
    await other.deliver(other.updates.groupMessage('@acme_bot write it', ana, chat));
    await other.work();
    expect(write.runs).toEqual([]);
    expect(other.newest(chat.id).text).toBe('I may not.');
  });

  test('DESIGN 3a: a tool that changes something, started and without a result, is not run again: its outcome is unknown', async () => {
    const [bot, ana] = await somebody('trust');
    const write = tool('write');
    bot.tools = [write];
    bot.engine.parts(...calls('write'));
    bot.engine.reply('I shall look.');
    const original = bot.deps.log.append.bind(bot.deps.log);
    let dead = false;
    bot.deps.log.append = (async (...args: Parameters<typeof original>) => {
      if (args[1].type === 'tool.result' && !dead) {
        dead = true;
        throw new Error('died');
      }
      return original(...args);
    }) as typeof original;
    await bot.ask(ana, 'write it');
    bot.time.advance(70_000);
    await bot.settle();
    expect(write.runs).toHaveLength(1);
    expect(results(bot)).toEqual([
      { id: 'c0', name: 'write', error: true, output: expect.stringContaining('not known whether it took effect') },
    ]);
    expect(bot.newest(ana).text).toBe('I shall look.');
  });

  test.each([
    ['changes something', {}, 'not known whether it took effect'],
    ['only reads', { readOnly: true }, 'stopped before it gave a result'],
  ])(
    'SPEC 4.10, 7.2: /stop while a tool that %s runs ends the turn; the next request has its pair',
    async (_, marks, said) => {
      const [bot, ana] = await somebody('trust');
      const begun = Promise.withResolvers<void>();
      bot.tools = [
        tool('write', {
          ...marks,
          run: (_input, signal) =>
            new Promise((_, reject) => {
              begun.resolve();
              signal.addEventListener('abort', () => reject(signal.reason));
            }),
        }),
      ];
      bot.engine.parts(...calls('write'));
      await bot.say(ana, 'write it');
      const working = bot.workOnce();
      await begun.promise;
      await bot.say(ana, '/stop');
      await bot.pass(1_500);
      await working;
      expect(bot.texts(ana)).toContain('Stopped.');
      await bot.ask(ana, 'so?');
      expect(results(bot)).toEqual([{ id: 'c0', name: 'write', error: true, output: expect.stringContaining(said) }]);
    },
  );

  test('a tool that is not there, and one that fails, are told to the model in words', async () => {
    const [bot, ana] = await somebody();
    bot.tools = [tool('find', { readOnly: true, run: async () => ({ text: 'The server is down.', error: true }) })];
    bot.engine.parts(...calls('find', 'nowhere'));
    bot.engine.reply('Neither.');
    await bot.ask(ana, 'look');
    expect(results(bot)).toEqual([
      { id: 'c0', name: 'find', output: 'The server is down.', error: true },
      { id: 'c1', name: 'nowhere', output: 'There is no tool nowhere.', error: true },
    ]);
  });

  test('SPEC 9.4: after as many steps as the tenant allows the turn ends and says so', async () => {
    const bot = await world.bot({ settings: { stepsPerTurn: 2 } });
    const ana = world.somebody();
    bot.tools = [tool('find', { readOnly: true })];
    for (let n = 0; n < 3; n++) bot.engine.parts({ type: 'text', delta: `Step ${n}.` }, ...calls('find'));
    await bot.ask(ana, 'look');
    expect(bot.engine.requests).toHaveLength(2);
    expect(bot.newest(ana).text).toBe('Step 0.\n\nStep 1.\n\nI stopped after 2 steps. Tell me to go on if I should.');
  });

  test('SPEC 9.4: the day’s tokens count between steps too', async () => {
    const bot = await world.bot({ settings: { tokensPerDay: 100 } });
    const ana = world.somebody();
    const run = async () => {
      await bot.counted();
      return { text: 'found' };
    };
    bot.tools = [tool('find', { readOnly: true, run })];
    bot.engine.parts({ type: 'text', delta: 'I look.' }, ...calls('find'));
    await bot.ask(ana, 'look');
    expect(bot.engine.requests).toHaveLength(1);
    expect(bot.newest(ana).text).toMatch(/^I look\.\n\nWhat this bot may read and write in a day is used up\./u);
  });

  test('DESIGN 3: before the worker’s time is over the turn is handed over, and goes on in the next one', async () => {
    const [bot, ana] = await somebody();
    bot.tools = [tool('find', { readOnly: true })];
    bot.engine.parts({ type: 'text', delta: 'One.' }, ...calls('find'));
    bot.engine.reply('Two.');
    await bot.say(ana, 'look');
    const step = bot.engine.run.bind(bot.engine);
    bot.engine.run = (request, signal) => {
      bot.time.advance(20_000);
      return step(request, signal);
    };
    await bot.workOnce(375_000);
    expect(await bot.types(ana)).toContain('turn.yielded');
    expect(bot.engine.requests).toHaveLength(1);
    await bot.settle();
    expect(bot.newest(ana).text).toBe('One.\n\nTwo.');
  });
});
