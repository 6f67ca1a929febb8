import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT_PLAN_MODE } from '../../lib/domain/toolCalls.ts';
import { toolName } from '../../lib/tools/names.ts';
import { type RunningMcp, startMcp, textTool } from '../standins/mcp.ts';
import { skill } from '../support/own.ts';
import { run, type ToolWorld, toolWorld } from './setup.ts';

let [mcp, world]: [RunningMcp, ToolWorld] = [] as never;
beforeEach(async () => {
  mcp = await startMcp();
  world = toolWorld();
  await world.tenants.putSettings('acme', {});
});
afterEach(async () => {
  await world.close();
  mcp.stop();
  expect(mcp.faults).toEqual([]);
});

describe('SPEC 10.4: skills', () => {
  test('without skills there is no tool', async () => expect((await world.open()).tools).toEqual([]));

  test('the model loads one by its name', async () => {
    await world.tenants.putSkill('acme', skill('tone'));
    await world.tenants.putSkill('acme', skill('greet'));
    const box = await world.open();
    expect(box.tools).toMatchObject([{ name: 'load_skill', readOnly: true, grant: 'load_skill' }]);
    expect(await run(box, 'load_skill', { name: 'tone' })).toEqual({ text: 'This is how to tone.' });
    for (const input of [{ name: 'none' }, {}, null, 'tone', { name: ['tone'] }]) {
      expect(await run(box, 'load_skill', input)).toEqual({
        text: 'There is no such skill. There are: greet, tone.',
        error: true,
      });
    }
  });
});

describe('SPEC 4.4, 4.5: prompts of tool servers', () => {
  beforeEach(async () => {
    mcp.prompts = [
      {
        definition: {
          ...{ name: 'triage', description: 'Sorts issues' },
          arguments: [{ name: 'what', required: true }, { name: 'how' }],
        },
        get: ({ what, how }) => ({
          messages: [{ role: 'user', content: { type: 'text', text: `Sort ${what} by ${how}.` } }],
        }),
      },
      {
        definition: { name: 'talk' },
        get: () => ({
          messages: [
            { role: 'user', content: { type: 'text', text: 'Hi' } },
            { role: 'assistant', content: { type: 'text', text: 'Hello' } },
          ],
        }),
      },
      { definition: { name: 'empty' } },
    ];
    await world.connect('s', mcp.url);
  });

  test('the model is told of them, and loads one', async () => {
    const box = await world.open();
    expect(box.tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([['load_prompt', true]]);
    expect(box.tools[0]?.description).toMatch(
      /\n- \/triage: Sorts issues; arguments: what, how \(optional\)\n- \/talk: talk/u,
    );
    const input = { name: '/triage', arguments: { what: 'bugs', how: 5 } };
    expect(await run(box, 'load_prompt', input)).toEqual({ text: 'Sort bugs by 5.' });
    expect(await run(box, 'load_prompt', { name: 'talk' })).toEqual({ text: 'User: Hi\n\nAssistant: Hello' });
    expect(await run(box, 'load_prompt', { name: 'empty' })).toEqual({ text: '(The prompt is empty.)' });
  });

  test('what is missing or wrong is said', async () => {
    const box = await world.open();
    expect(await run(box, 'load_prompt', { name: 'triage', arguments: 'bugs' })).toEqual({
      text: 'The prompt needs these arguments: what.',
      error: true,
    });
    expect(await run(box, 'load_prompt', { name: 'other' })).toEqual({
      text: 'There is no such prompt. There are: triage, talk, empty.',
      error: true,
    });
    mcp.stop();
    expect(await run(box, 'load_prompt', { name: 'talk' })).toMatchObject({ error: true });
  });
});

describe('names of tools', () => {
  test('are what every provider takes, and one’s own', () => {
    const pairs = [
      ...[
        ['s', 'list'],
        ['s', 'li.st'],
        ['s', 'li_st'],
        ['s', 'li st'],
        ['s', 'Liste ü'],
        ['a-b', 'c'],
        ['a', 'b_c'],
      ],
      ...[
        ['s', 'x'.repeat(62)],
        ['s', 'x'.repeat(63)],
        ['s', `${'x'.repeat(63)}y`],
        ['s', '🚀'],
        ['s', '🛸'],
      ],
      ...[
        ['load', 'skill'],
        ['load', 'prompt'],
        ['exit', 'plan_mode'],
      ],
    ] as [string, string][];
    const names = pairs.map(([server, tool]) => toolName(server, tool));
    expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/u.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(pairs.length);
    for (const own of ['load_skill', 'load_prompt', EXIT_PLAN_MODE]) expect(names).not.toContain(own);
    expect(names[0]).toBe('s_list');
  });

  test('two servers with the same tools are told apart, and there is an end to all tools', async () => {
    const tools = Array.from({ length: 58 }, (_, n) => textTool(`t${n}`));
    mcp.tools = tools;
    for (const name of ['a', 'b', 'c']) await world.connect(name, mcp.url);
    const names = (await world.open()).tools.map(({ name }) => name);
    expect(names).toHaveLength(120);
    expect(new Set(names).size).toBe(120);
    expect(names.slice(57, 59)).toEqual(['a_t57', 'b_t0']);
    expect(world.logged).toContainEqual(['tools.too-many', { tenant: 'acme', tools: 174 }]);
  });
});
