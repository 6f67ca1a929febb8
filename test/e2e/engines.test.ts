import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EngineName } from '../../lib/ports/tenants.ts';
import type { Tool } from '../../lib/ports/tools.ts';
import { engineOpener } from '../../lib/providers/engines.ts';
import { ModelStandIn } from '../standins/model.ts';
import type { User } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

/** The rules of turns (SPEC 5 to 8) by the real worker and engines, against a stand-in of each provider's API. */

let world: World;
let standIn: ModelStandIn;
beforeAll(async () => {
  [world, standIn] = await Promise.all([World.open(), ModelStandIn.start()]);
});
beforeEach(() => standIn.reset());
afterAll(() => Promise.all([world.close(), standIn.close()]));

/** None that compacts by itself: that is held to its form in test/providers/compaction.test.ts. */
const MODELS = {
  'openai-compatible': 'local',
  openai: 'gpt-5.4',
  anthropic: 'claude-haiku-4-5',
  google: 'gemini-2.5-pro',
};
type Api = keyof typeof MODELS;
const APIS = Object.keys(MODELS) as Api[];

function tool(name: string, readOnly: boolean): Tool {
  return {
    ...{ name, title: `desk: ${name}`, description: name, inputSchema: { type: 'object', properties: {} } },
    ...{ grant: `desk/${name}`, readOnly, run: async () => ({ text: `${name} gave shells` }) },
  };
}

/** A bot whose tenant has this provider alone, and somebody who writes to it. */
async function talking(api: Api, mode?: 'plan' | 'trust'): Promise<[Bot, User]> {
  const [bot, ana] = [await world.bot(), world.somebody()];
  const { tenants, secrets } = world.stores;
  const { tenant } = bot;
  await tenants.putProvider(tenant, {
    ...{ name: 'main', engine: api satisfies EngineName, baseURL: standIn.baseURL(api), settings: {} },
    models: [{ id: MODELS[api], contextWindow: 100_000 }],
    secrets: { apiKey: await secrets.seal(standIn.apiKey, { tenant, owner: 'provider#main' }) },
  });
  if (mode) await tenants.putSettings(tenant, { mode });
  bot.deps.openEngine = engineOpener(secrets);
  bot.tools = [tool('find', true), tool('write', false)];
  return [bot, ana];
}

const asked = () => JSON.stringify(standIn.last.body);
const step = (name: string) => ({ chunks: ['I look.'], calls: [{ id: 'call_1', name, pieces: ['{}'] }] });

describe.each(APIS)('%s', (api) => {
  test('SPEC 6.2, 7.1: the goal is quoted; in plan mode what reads and exit_plan_mode are offered, nothing else', async () => {
    const [bot, ana] = await talking(api, 'plan');
    await bot.say(ana, '/goal collect shells');
    standIn.reply('Fine.');
    await bot.ask(ana, 'hello');
    expect(asked()).toContain('> collect shells');
    expect(asked()).toContain('exit_plan_mode');
    expect(asked()).toContain('"name":"find"');
    expect(asked()).not.toContain('"name":"write"');
  });

  test('SPEC 8.5: a step goes back with its results, also when the worker died before they were in the log', async () => {
    const [bot, ana] = await talking(api, 'trust');
    standIn.reply(step('write'));
    const append = bot.deps.log.append.bind(bot.deps.log);
    let died = false;
    bot.deps.log.append = (async (...args: Parameters<typeof append>) => {
      if (args[1].type === 'tool.result' && !died) {
        died = true;
        throw new Error('died');
      }
      return append(...args);
    }) as typeof append;
    await bot.ask(ana, 'write it');
    standIn.reply('I shall look.');
    bot.time.advance(70_000);
    await bot.settle();
    expect(standIn.requests).toHaveLength(2);
    expect(asked()).toContain('not known whether it took effect');
    expect(bot.newest(ana).text).toContain('I shall look.');
  });

  test('SPEC 5.2, 8.2: after a compaction the summary stands for what was; after a clear nothing of it is sent', async () => {
    const [bot, ana] = await talking(api);
    standIn.reply(step('find'));
    standIn.reply('Three shells.');
    await bot.ask(ana, 'Mitzi wants shells');
    expect(asked()).toContain('find gave shells');
    standIn.reply('Her cat wants shells.');
    await bot.ask(ana, '/compact');
    standIn.reply('Yes.');
    await bot.ask(ana, 'so?');
    expect(asked()).toContain('Her cat wants shells.');
    expect(asked()).not.toContain('Mitzi');
    await bot.say(ana, '/clear');
    standIn.reply('Hello.');
    await bot.ask(ana, 'anew');
    expect(asked()).toContain('anew');
    expect(asked()).not.toMatch(/shells\b(?! *")|so\?|Mitzi/u);
  });
});

test('SPEC 8.1: Claude is told where to keep the conversation in its cache', async () => {
  const [bot, ana] = await talking('anthropic');
  standIn.reply('Fine.');
  await bot.ask(ana, 'hello');
  expect(asked()).toContain('"cache_control":{"type":"ephemeral"}');
});
