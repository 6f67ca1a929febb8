import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT_PLAN_MODE } from '../../lib/domain/toolCalls.ts';
import type { EnginePart } from '../../lib/ports/engine.ts';
import type { User } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const PLAN = '1. Look\n2. Mend';
const usage = { inputTokens: 100, outputTokens: 20 };

/** A step that says something and asks to start this plan. */
function proposes(plan: string, said = 'Here is my plan.'): EnginePart[] {
  return [
    { type: 'text', delta: said },
    { type: 'call', call: { id: 'c1', name: EXIT_PLAN_MODE, input: { plan } } },
    { type: 'finish', usage, reason: 'tools' },
  ];
}

/** Ana in plan mode, with a plan shown. */
async function planned(): Promise<[Bot, User]> {
  const [bot, ana] = [await world.bot(), world.somebody()];
  await bot.say(ana, '/plan on');
  bot.engine.parts(...proposes(PLAN));
  await bot.ask(ana, 'mend it');
  return [bot, ana];
}

const labels = (bot: Bot, ana: User) =>
  bot
    .newest(ana)
    .buttons.flat()
    .map(({ text }) => text);

async function press(bot: Bot, ana: User, label: string) {
  const update = bot.press(ana, bot.newest(ana), label);
  expect(await bot.deliver(update)).toBe(200);
  return update;
}

describe('plan mode (SPEC 7)', () => {
  test('SPEC 7.1, 7.2: the model is offered exit_plan_mode; the plan is shown with Start and Keep planning', async () => {
    const [bot, ana] = await planned();
    expect(bot.engine.last.tools?.map(({ name }) => name)).toEqual([EXIT_PLAN_MODE]);
    expect(bot.engine.last.system).toContain('Plan mode is on');
    expect(bot.newest(ana).text).toBe('Here is my plan.\n\n1. Look\n2. Mend');
    expect(labels(bot, ana)).toEqual(['Start', 'Keep planning']);
    expect((await bot.types(ana)).slice(1).filter((type) => type !== 'reply.opened')).toEqual([
      ...['message', 'turn.started', 'step', 'question.asked', 'reply.delivered'],
    ]);
    const state = await bot.state(ana);
    expect(state.turn).toBeUndefined();
    expect(state.question).toMatchObject({ kind: 'ExitPlanMode', turn: { leaseUntil: 0 } });
    expect(bot.queue.waiting.count).toBe(0);
  });

  test('SPEC 4.8, 13.5: while it is open, /status and /compact say what is waited for', async () => {
    const [bot, ana] = await planned();
    await bot.say(ana, '/status');
    expect(bot.newest(ana).text).toContain('Now: waiting for your answer to my question');
    await bot.say(ana, '/compact');
    expect(bot.newest(ana).text).toMatch(/^Once my question is closed, I sum up/u);
  });

  test('SPEC 7.3, cases K 128: Start goes back to the mode before, and on in the same turn, in that mode', async () => {
    const [bot, ana] = await planned();
    bot.engine.reply('Mended.');
    await press(bot, ana, 'Start');
    await bot.work();
    expect(bot.texts(ana).slice(-2)).toEqual(['Started. Mode: Ask. I ask before I change anything.', 'Mended.']);
    expect(bot.engine.requests).toHaveLength(2);
    const { messages, system, tools } = bot.engine.last;
    expect(messages.slice(-2)).toEqual([
      {
        role: 'assistant',
        text: 'Here is my plan.',
        calls: [{ id: 'c1', name: EXIT_PLAN_MODE, input: { plan: PLAN } }],
      },
      { role: 'tool', results: [{ id: 'c1', name: EXIT_PLAN_MODE, output: expect.stringContaining('pressed Start') }] },
    ]);
    expect(system).not.toContain('Plan mode is on.');
    expect(tools).toBeUndefined();
    expect((await bot.state(ana)).options.mode).toBeUndefined();
  });

  test('SPEC 7.3: Keep planning asks the model nothing; it is told so with what the person says next', async () => {
    const [bot, ana] = await planned();
    await press(bot, ana, 'Keep planning');
    await bot.work();
    expect(bot.newest(ana).text).toBe('Still planning. Tell me what to change.');
    expect(bot.engine.requests).toHaveLength(1);
    await bot.ask(ana, 'look twice');
    const results = bot.engine.last.messages.find(({ role }) => role === 'tool');
    expect(JSON.stringify(results)).toContain('wants to keep planning');
    expect(bot.engine.last.messages.at(-1)).toEqual({ role: 'user', text: 'look twice' });
    expect((await bot.state(ana)).options.mode).toBe('plan');
  });

  test('SPEC 7.2, 7.3, cases K 130: "go ahead" while it is open is a message and starts nothing; a press then says so', async () => {
    const [bot, ana] = await planned();
    const card = bot.newest(ana);
    await bot.ask(ana, 'go ahead');
    expect(bot.engine.last.messages.at(-1)).toEqual({ role: 'user', text: 'go ahead' });
    expect(JSON.stringify(bot.engine.last.messages)).toContain('did not start this plan');
    const late = bot.press(ana, card, 'Start');
    await bot.deliver(late);
    await bot.work();
    expect(bot.pressAnswer(late)).toBe('That question is closed, so nothing was started.');
    expect(bot.engine.requests).toHaveLength(2);
    expect((await bot.state(ana)).options.mode).toBe('plan');
  });

  test.each(['/stop', '/clear', '/new', '/plan off'])(
    'SPEC 7.2: %s closes the question, and a press starts nothing',
    async (command) => {
      const [bot, ana] = await planned();
      const card = bot.newest(ana);
      await bot.say(ana, command);
      expect((await bot.state(ana)).question).toBeUndefined();
      const late = bot.press(ana, card, 'Start');
      await bot.deliver(late);
      await bot.work();
      expect(bot.pressAnswer(late)).toBe('That question is closed, so nothing was started.');
      expect(bot.engine.requests).toHaveLength(1);
    },
  );

  test('SPEC 7.2: an empty plan asks nothing, and the model is told', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, '/plan on');
    bot.engine.parts(...proposes('  '));
    bot.engine.reply('What is broken?');
    await bot.ask(ana, 'mend it');
    expect(bot.newest(ana).text).toBe('Here is my plan.\n\nWhat is broken?');
    expect(JSON.stringify(bot.engine.last.messages)).toContain('The plan was empty');
  });

  test('DESIGN 3a: no question opens while a message waits: the plan is then simply the answer', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, '/plan on');
    bot.engine.pause(...proposes(PLAN));
    await bot.say(ana, 'mend it');
    const working = bot.workOnce();
    await bot.engine.paused;
    await bot.say(ana, 'or not');
    bot.engine.resume();
    await working;
    await bot.work();
    expect(bot.texts(ana).at(-2)).toBe('Here is my plan.\n\n1. Look\n2. Mend');
    expect(world.telegram.messages(ana.id).flatMap(({ buttons }) => buttons)).toEqual([]);
    expect(bot.engine.last.messages.at(-1)).toEqual({ role: 'user', text: 'or not' });
  });

  test('SPEC 7.2: Start twice, at once or later, starts once', async () => {
    const [bot, ana] = await planned();
    const card = bot.newest(ana);
    const presses = [
      bot.press(ana, card, 'Start'),
      bot.press(ana, card, 'Start'),
      bot.press(ana, card, 'Keep planning'),
    ];
    await Promise.all(presses.map((one) => bot.deliver(one)));
    await bot.work();
    const types = await bot.types(ana);
    expect(types.filter((type) => type === 'question.answered')).toHaveLength(1);
  });

  test('SPEC 7.2, 11.4: where there are no buttons, a command’s reply shows the choices of the open question again', async () => {
    const bot = await world.bot();
    await bot.sayText('c', '/plan on', 'm1');
    bot.engine.parts(...proposes(PLAN));
    await bot.sayText('c', 'mend it', 'm2');
    await bot.work();
    await bot.sayText('c', '/goal', 'm3');
    expect((await bot.textReplies('c')).at(-1)).toMatch(
      /\n\nMy question is still open:\n\n1\. Start\n2\. Keep planning\n\nAnswer with a number to choose\.$/u,
    );
    await bot.sayText('c', '1', 'm4');
    await bot.work();
    expect(bot.engine.requests).toHaveLength(2);
  });

  test('SPEC 7.2, 11.4, cases C 61: in an app without buttons the answers are numbers, and yes or no, read before the queue', async () => {
    for (const [typed, started] of [
      ['1', true],
      ['yes', true],
      ['2', false],
      ['no', false],
    ] as const) {
      const bot = await world.bot();
      await bot.sayText('c', '/plan on', 'm1');
      bot.engine.parts(...proposes(PLAN));
      await bot.sayText('c', 'mend it', 'm2');
      await bot.work();
      expect((await bot.textReplies('c')).at(-1)).toBe(
        'Here is my plan.\n\n1. Look\n2. Mend\n\n1. Start\n2. Keep planning\n\nAnswer with a number to choose.',
      );
      // Cases C 58: in another chat it is a message.
      await bot.sayText('d', typed, 'm3');
      await bot.work();
      expect(bot.engine.last.messages).toEqual([{ role: 'user', text: typed }]);
      await bot.sayText('c', typed, 'm4');
      await bot.work();
      expect(bot.engine.requests).toHaveLength(started ? 3 : 2);
    }
  });
});
