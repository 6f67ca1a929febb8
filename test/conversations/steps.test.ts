import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT_PLAN_MODE } from '../../lib/domain/toolCalls.ts';
import type { EnginePart } from '../../lib/ports/engine.ts';
import type { Tool } from '../../lib/ports/tools.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const usage = { inputTokens: 100, outputTokens: 20 };

/** A step with one call, whose id each step uses again. */
function calls(name: string, input: object = {}): EnginePart[] {
  return [
    { type: 'call', call: { id: 'c0', name, input } },
    { type: 'finish', usage, reason: 'tools' },
  ];
}

/** A tool that gives the number of its run. */
function counting(name: string, readOnly: boolean): Tool {
  let runs = 0;
  return {
    ...{ name, title: `desk: ${name}`, description: name, inputSchema: { type: 'object' }, grant: `desk/${name}` },
    readOnly,
    run: async () => ({ text: `run ${++runs}` }),
  };
}

describe('steps of a turn', () => {
  test('SPEC 8.5: calls that are numbered anew in each step keep their own results', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.tools = [counting('find', true)];
    bot.engine.parts(...calls('find'));
    bot.engine.parts(...calls('find'));
    await bot.ask(ana, 'look twice');
    const results = bot.engine.last.messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
    expect(results.map(({ output }) => output)).toEqual(['run 1', 'run 2']);
  });

  test('SPEC 7.2, 11.4: in an app that cannot edit, what follows a question is shown as well', async () => {
    const bot = await world.bot();
    await bot.sayText('c', '/plan on', 'm1');
    bot.engine.parts(...calls(EXIT_PLAN_MODE, { plan: '1. Mend' }));
    await bot.sayText('c', 'mend it', 'm2');
    await bot.work();
    bot.engine.reply('Mended.');
    await bot.sayText('c', 'yes', 'm3');
    await bot.work();
    expect((await bot.textReplies('c')).at(-1)).toBe('Mended.');
  });

  test('SPEC 4.10: a tool that changes something does not start once /stop was asked, though the worker has not looked yet', async () => {
    const [bot, ana] = [await world.bot({ settings: { mode: 'trust' } }), world.somebody()];
    const write = counting('write', false);
    let runs = 0;
    bot.tools = [{ ...write, run: async () => ({ text: `run ${++runs}` }) }];
    bot.engine.parts(...calls('write'));
    const append = bot.deps.log.append.bind(bot.deps.log);
    bot.deps.log.append = (async (...args: Parameters<typeof append>) => {
      const appended = await append(...args);
      if (args[1].type === 'step') await bot.say(ana, '/stop');
      return appended;
    }) as typeof append;
    await bot.ask(ana, 'write it');
    expect(runs).toBe(0);
    expect(await bot.types(ana)).not.toContain('tool.started');
    expect(bot.texts(ana)).toContain('Stopped.');
  });

  test('SPEC 5.7: a request never ends with the assistant, also when another model goes on after the steps of the first', async () => {
    const bot = await world.bot();
    const { tenants } = world.stores;
    const [main] = (await tenants.load(bot.tenant))?.providers ?? [];
    if (!main) throw new Error('No provider');
    await tenants.putProvider(bot.tenant, { ...main, name: 'other', models: [{ id: 'x' }] });
    await tenants.putSettings(bot.tenant, { model: 'main/one', fallback: 'other/x' });
    const ana = world.somebody();
    bot.tools = [counting('find', true)];
    bot.engine.parts(...calls('find'));
    bot.engine.fail('billing');
    bot.engine.reply('Here.');
    await bot.ask(ana, 'look');
    expect(bot.engine.last.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(bot.engine.last.messages[1])).toContain('I used the tool find');
  });

  test('SPEC 10.4: a model is told to load skills only where it is offered that, also one that answers instead of another', async () => {
    const bot = await world.bot();
    const { tenants } = world.stores;
    const [main] = (await tenants.load(bot.tenant))?.providers ?? [];
    if (!main) throw new Error('No provider');
    await tenants.putProvider(bot.tenant, { ...main, models: [{ id: 'one', tools: false }] });
    await tenants.putProvider(bot.tenant, { ...main, name: 'other', models: [{ id: 'x' }] });
    await tenants.putSettings(bot.tenant, { model: 'main/one', fallback: 'other/x' });
    await tenants.putSkill(bot.tenant, { name: 'tone', description: 'How we write.', text: 'Be brief.' });
    bot.tools = [counting('load_skill', true)];
    const told = () => [bot.engine.last.system.includes('load_skill'), bot.engine.last.tools?.length ?? 0];
    const ana = world.somebody();
    bot.engine.fail('billing');
    await bot.ask(ana, 'hi');
    expect([bot.engine.last.model, ...told()]).toEqual(['x', false, 0]);
    await tenants.putSettings(bot.tenant, { model: 'other/x' });
    await bot.ask(ana, 'again');
    expect(told()).toEqual([true, 1]);
  });
});
