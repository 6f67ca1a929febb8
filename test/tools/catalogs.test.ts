import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../e2e/conch.ts';
import { type RunningMcp, startMcp, textTool } from '../standins/mcp.ts';
import { type ToolWorld, toolWorld } from './setup.ts';

const HOUR_MS = 60 * 60 * 1000;

let [mcp, world]: [RunningMcp, ToolWorld] = [] as never;
beforeEach(async () => {
  mcp = await startMcp({ tools: [textTool('first')] });
  world = toolWorld();
});
afterEach(async () => {
  await world.close();
  mcp.stop();
});

/** What a turn is offered; ends the turn, and so what goes on in its background. */
async function offered(): Promise<string[]> {
  const box = await world.open();
  const names = box.tools.map(({ name }) => name);
  await box.close();
  return names;
}

const versionOf = async () => (await world.tenant()).version;
const listed = () => mcp.asked().filter((rpc) => rpc === 'tools/list').length;

describe('SPEC 15.5: what a server offers is kept', () => {
  test('for an hour; then a turn goes on with what is known, and the next one has what is new', async () => {
    await world.connect('s', mcp.url);
    mcp.tools = [textTool('second')];
    world.clock.ms += HOUR_MS - 1;
    expect(await offered()).toEqual(['s_first']);
    expect(listed()).toBe(1);
    world.clock.ms += 1;
    expect(await offered()).toEqual(['s_first']);
    expect(listed()).toBe(2);
    expect(await offered()).toEqual(['s_second']);
    expect(listed()).toBe(2);
  });

  test('the tenant’s record is written only if it has changed', async () => {
    await world.connect('s', mcp.url);
    const before = await versionOf();
    world.clock.ms += HOUR_MS;
    await offered();
    expect(listed()).toBe(2);
    expect(await versionOf()).toBe(before);
    mcp.prompts = [{ definition: { name: 'p' } }];
    world.clock.ms += HOUR_MS;
    await offered();
    expect(await versionOf()).toBeGreaterThan(before);
    expect((await world.tenant()).toolServers[0]?.prompts).toEqual([{ name: 'p', arguments: [] }]);
  });

  test('an empty list and a server that is down replace nothing, and are not asked at each turn', async () => {
    mcp.prompts = [{ definition: { name: 'p' } }];
    await world.connect('s', mcp.url);
    mcp.prompts = [];
    mcp.tools = [];
    world.clock.ms += HOUR_MS;
    expect([await offered(), await offered()]).toEqual([
      ['load_prompt', 's_first'],
      ['load_prompt', 's_first'],
    ]);
    expect((await world.tenants.toolCatalog('acme', 's'))?.fault).toBe('It offers no tools and no prompts.');
    mcp.stop();
    world.clock.ms += HOUR_MS;
    expect([await offered(), await offered()]).toEqual([
      ['load_prompt', 's_first'],
      ['load_prompt', 's_first'],
    ]);
    expect(await world.tenants.toolCatalog('acme', 's')).toMatchObject({
      ...{ fault: 'It cannot be reached.', askedAt: world.clock.ms, answeredAt: world.clock.ms - 2 * HOUR_MS },
      tools: [{ name: 'first' }],
    });
    expect((await world.tenant()).toolServers[0]?.prompts).toHaveLength(1);
  });

  test('an empty list of one kind leaves that kind as it was', async () => {
    await world.connect('s', mcp.url);
    mcp.tools = [];
    mcp.prompts = [{ definition: { name: 'p' } }];
    const { server } = await world.refresh('acme', (await world.tenant()).toolServers[0] as never);
    expect(await offered()).toEqual(['load_prompt', 's_first']);
    mcp.tools = [textTool('second')];
    mcp.prompts = [];
    await world.refresh('acme', server);
    expect(await offered()).toEqual(['load_prompt', 's_second']);
  });

  test('turns at the same time ask a server once', async () => {
    await world.connect('s', mcp.url);
    world.clock.ms += HOUR_MS;
    await Promise.all([offered(), offered(), offered()]);
    expect(listed()).toBe(2);
  });

  test('the end of a turn waits only shortly for a server that is being asked', async () => {
    world = toolWorld({ refreshWaitMs: 50 });
    await world.connect('s', mcp.url);
    world.clock.ms += HOUR_MS;
    mcp.intercept = () => true;
    expect(await offered()).toEqual(['s_first']);
    expect((await world.tenants.toolCatalog('acme', 's'))?.fault).toBeUndefined();
    mcp.intercept = undefined;
    mcp.tools = [textTool('second')];
    const box = await world.open();
    await until(
      async () => (await world.tenants.toolCatalog('acme', 's'))?.answeredAt === world.clock.ms,
      'the answer',
    );
    await box.close();
    expect(await offered()).toEqual(['s_second']);
  });

  test('a server that has never answered is asked by a turn', async () => {
    mcp.wanted = { 'x-key': 'later' };
    await world.connect('s', mcp.url);
    mcp.wanted = {};
    expect(await offered()).toEqual([]);
    world.clock.ms += HOUR_MS;
    expect(await offered()).toEqual([]);
    expect(await offered()).toEqual(['s_first']);
  });

  test('what another address offered is not offered, and what was asked before a change is not noted after it', async () => {
    const { server } = await world.connect('s', mcp.url);
    const moved = { ...server, url: `${mcp.url}/moved`, revision: 'later' };
    await world.tenants.putToolServer('acme', moved);
    expect(await offered()).toEqual([]);
    expect(await offered()).toEqual(['s_first']);
    mcp.tools = [textTool('third')];
    await world.refresh('acme', server);
    expect((await world.tenant()).toolServers).toEqual([{ ...moved, catalog: expect.any(String) }]);
    expect((await world.tenants.toolCatalog('acme', 's'))?.url).toBe(moved.url);
    expect(await offered()).toEqual(['s_first']);
  });

  test('what another process has found is read after five minutes, or when the record says so', async () => {
    const { server } = await world.connect('s', mcp.url);
    expect(await offered()).toEqual(['s_first']);
    mcp.tools = [textTool('second')];
    await world.refresh('acme', server);
    expect(await offered()).toEqual(['s_second']);
  });
});
