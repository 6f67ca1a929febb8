import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { promptsFor, skillsFor } from '../../lib/commands/catalog.ts';
import type { EnginePart } from '../../lib/ports/engine.ts';
import { outwardGuard } from '../../lib/tenants/apiRoots.ts';
import { type ToolDeps, toolOpener } from '../../lib/tools/index.ts';
import { toolRefresher } from '../../lib/tools/refresh.ts';
import { type RunningMcp, startMcp, textTool } from '../standins/mcp.ts';
import type { User } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

const CANARY = 'canary-of-a-tool-server';

let [world, mcp]: [World, RunningMcp] = [] as never;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  mcp = await startMcp({ wanted: { authorization: `Bearer ${CANARY}` } });
});
afterEach(() => {
  mcp.stop();
  expect(mcp.faults).toEqual([]);
});

const usage = { inputTokens: 100, outputTokens: 20 };
const calls = (name: string, input: unknown): EnginePart[] => [
  { type: 'call', call: { id: `call-${name}`, name, input } },
  { type: 'finish', usage, reason: 'tools' },
];
const results = ({ engine }: Bot) => engine.last.messages.flatMap((one) => (one.role === 'tool' ? one.results : []));

/** A bot whose tenant has the tool server and a skill, with the tools as the worker has them. */
async function connected(): Promise<[Bot, User]> {
  const bot = await world.bot();
  const { tenants, secrets } = world.stores;
  const deps: ToolDeps = {
    ...{ tenants, secrets, guard: outwardGuard('*'), runtime: bot.time, logger: bot.deps.logger },
    ...{ skillsOf: skillsFor, promptsOf: promptsFor },
  };
  const owner = 'tool-server#tracker';
  const Authorization = await secrets.seal(`Bearer ${CANARY}`, { tenant: bot.tenant, owner });
  const server = { name: 'tracker', url: mcp.url, headers: { Authorization }, prompts: [], revision: 'r' };
  await tenants.putToolServer(bot.tenant, server);
  await tenants.putSkill(bot.tenant, { name: 'tone', description: 'How we write', text: 'Write short.' });
  await toolRefresher(deps)(bot.tenant, server);
  bot.deps.openTools = toolOpener(deps);
  return [bot, world.somebody()];
}

describe('SPEC 7: a turn with a tool server', () => {
  test('what only reads runs at once, what changes after approval; the server is spoken to in one session', async () => {
    mcp.tools = [
      textTool('find', ({ what }) => `Found ${what}`, { annotations: { readOnlyHint: true } }),
      textTool('close', ({ issue }) => `Closed ${issue}`),
    ];
    const [bot, ana] = await connected();
    mcp.requests.length = 0;
    bot.engine.parts(...calls('tracker_find', { what: 'bugs' }));
    bot.engine.parts(...calls('load_skill', { name: 'tone' }));
    bot.engine.parts(...calls('tracker_close', { issue: 7 }));
    await bot.ask(ana, 'close the oldest bug');
    expect(bot.engine.last.tools?.map(({ name }) => name)).toEqual(['load_skill', 'tracker_find', 'tracker_close']);
    expect(results(bot).map(({ output }) => output)).toEqual(['Found bugs', 'Write short.']);
    expect(bot.newest(ana).text).toContain('tracker: close');
    expect(mcp.asked().filter((rpc) => rpc === 'tools/call')).toHaveLength(1);
    bot.engine.reply('Done.');
    await bot.deliver(bot.press(ana, bot.newest(ana), 'Allow once'));
    await bot.work();
    expect(results(bot).map(({ output }) => output)).toEqual(['Found bugs', 'Write short.', 'Closed 7']);
    expect(bot.texts(ana).at(-1)).toContain('Done.');
    expect(mcp.asked().filter((rpc) => rpc === 'initialize' || rpc === 'tools/list')).toEqual([
      'initialize',
      'initialize',
    ]);
    expect(mcp.sessions.size).toBe(0);
    const all = JSON.stringify([bot.logged, await bot.log(bot.privatePlace(ana)), bot.engine.asked, bot.texts(ana)]);
    expect(all).not.toContain(CANARY);
  });

  test('a server that is down is told to the model, and the turn is answered', async () => {
    mcp.tools = [textTool('find', undefined, { annotations: { readOnlyHint: true } })];
    const [bot, ana] = await connected();
    mcp.stop();
    bot.engine.parts(...calls('tracker_find', {}));
    bot.engine.reply('I cannot look right now.');
    await bot.ask(ana, 'find it');
    expect(results(bot)).toEqual([
      {
        ...{ id: 'call-tracker_find', name: 'tracker_find', error: true },
        output: 'The tool server “tracker” could not do this. It cannot be reached.',
      },
    ]);
    expect(bot.texts(ana).at(-1)).toContain('I cannot look right now.');
  });

  test('SPEC 4.5: the command of a prompt goes to the model as typed, which loads it', async () => {
    mcp.prompts = [
      {
        definition: { name: 'Triage Now', description: 'Sorts', arguments: [{ name: 'what' }] },
        get: ({ what }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Sort ${what}!` } }] }),
      },
      { definition: { name: 'clear', description: 'Ours comes first' } },
    ];
    const [bot, ana] = await connected();
    bot.engine.parts(...calls('load_prompt', { name: 'triage_now', arguments: { what: 'bugs' } }));
    bot.engine.reply('Sorted.');
    await bot.ask(ana, '/Triage_Now  bugs');
    expect(bot.engine.requests[0]?.messages).toEqual([{ role: 'user', text: '/Triage_Now  bugs' }]);
    expect(results(bot).map(({ output }) => output)).toEqual(['Sort bugs!']);
    await bot.say(ana, '/help');
    expect(bot.newest(ana).text).toMatch(/From tool servers\s+.*\/triage_now: Sorts/su);
    expect(bot.newest(ana).text).not.toContain('Ours comes first');
  });
});
