import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunningMcp, startMcp, textTool } from '../standins/mcp.ts';
import { run, type ToolWorld, toolWorld } from './setup.ts';

let [mcp, world]: [RunningMcp, ToolWorld] = [] as never;
beforeEach(async () => {
  mcp = await startMcp();
  world = toolWorld();
});
afterEach(async () => {
  await world.close();
  mcp.stop();
  expect(mcp.faults).toEqual([]);
});

describe.each([
  ['JSON', { sse: false, modern: false }],
  ['event streams', { sse: true, modern: false }],
  ['the protocol without sessions', { sse: false, modern: true }],
  ['the protocol without sessions and event streams', { sse: true, modern: true }],
])('a tool server that answers in %s', (_how, how) => {
  beforeEach(() => Object.assign(mcp, how));

  test('DESIGN 4: all of its tools are offered, with what it says of them', async () => {
    mcp.tools = [
      textTool('list', undefined, { title: 'List issues', annotations: { readOnlyHint: true } }),
      textTool('delete', undefined, { annotations: { destructiveHint: true, title: 'Delete an issue' } }),
      textTool('add', undefined, { annotations: { destructiveHint: false } }),
      textTool('bare', undefined, { description: undefined, inputSchema: { type: 'object' } }),
      textTool('filtered'),
    ];
    const { catalog } = await world.connect('tracker', mcp.url, { only: ['list', 'delete', 'add', 'bare'] });
    expect(catalog).toMatchObject({ answeredAt: world.clock.ms, protocol: how.modern ? '2026-07-28' : '2025-11-25' });
    const { tools } = await world.open();
    expect(tools.map(({ run: _, inputSchema: __, ...tool }) => tool)).toEqual([
      {
        ...{ name: 'tracker_list', title: 'tracker: List issues', description: 'Does list' },
        ...{ readOnly: true, grant: expect.stringMatching(/^tracker\/list#[0-9a-f]{8}$/u) },
      },
      {
        ...{ name: 'tracker_delete', title: 'tracker: Delete an issue', description: 'Does delete' },
        ...{ readOnly: false, destructive: true, grant: expect.stringMatching(/^tracker\/delete#[0-9a-f]{8}$/u) },
      },
      {
        ...{ name: 'tracker_add', title: 'tracker: add', description: 'Does add' },
        ...{ readOnly: false, destructive: false, grant: expect.stringMatching(/^tracker\/add#[0-9a-f]{8}$/u) },
      },
      {
        name: 'tracker_bare',
        title: 'tracker: bare',
        description: 'bare',
        readOnly: false,
        grant: expect.stringMatching(/^tracker\/bare#[0-9a-f]{8}$/u),
      },
    ]);
    expect(tools[3]?.inputSchema).toEqual({ type: 'object', properties: {} });
  });

  test('calls of one turn share a session, which begins with the first and ends with the turn', async () => {
    mcp.tools = [textTool('echo', ({ say }) => `You said ${say}`)];
    await world.connect('tracker', mcp.url, { plain: { Authorization: 'Bearer secret-of-acme' } });
    mcp.requests.length = 0;
    mcp.wanted = { authorization: 'Bearer secret-of-acme' };
    const box = await world.open();
    expect(mcp.requests).toEqual([]);
    const said = await Promise.all(['a', 'b', 'c'].map((say) => run(box, 'tracker_echo', { say })));
    expect(said).toEqual(['a', 'b', 'c'].map((say) => ({ text: `You said ${say}` })));
    expect(await run(box, 'tracker_echo', { say: 'd' })).toEqual({ text: 'You said d' });
    await box.close();
    const begin = how.modern ? ['server/discover'] : ['initialize', 'notifications/initialized'];
    expect(mcp.asked()).toEqual([...begin, ...Array(4).fill('tools/call')]);
    expect(mcp.sessions.size).toBe(0);
  });

  test('what a call gives is named in words where it is no text, and cut where it is too long', async () => {
    const content = [
      { type: 'text', text: 'Here:' },
      { type: 'image', data: 'A'.repeat(40_000), mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///b.bin', blob: 'AAAA', mimeType: 'x/y' } },
      { type: 'resource_link', uri: 'https://x.example', name: 'More' },
      { type: 'new-thing' },
    ];
    const schema = { inputSchema: { type: 'object' } };
    mcp.tools = [
      { definition: { name: 'all', ...schema }, run: () => ({ content }) },
      {
        definition: { name: 'long', ...schema },
        run: () => ({ content: [{ type: 'text', text: 'x'.repeat(60_000) }] }),
      },
      {
        definition: { name: 'bad', ...schema },
        run: () => ({ content: [{ type: 'text', text: 'No.' }], isError: true }),
      },
      { definition: { name: 'data', ...schema }, run: () => ({ structuredContent: { a: 1 }, content: [] }) },
      { definition: { name: 'nothing', ...schema }, run: () => ({ content: [] }) },
    ];
    await world.connect('s', mcp.url);
    const box = await world.open();
    expect((await run(box, 's_all')).text).toBe(
      [
        ...['Here:', '[An image (image/png), 30 kB: it cannot be shown here.]'],
        '[A recording (audio/wav), 3 bytes: it cannot be shown here.]',
        ...['[file:///a.txt]\ninside', '[A file: file:///b.bin (x/y), 3 bytes: it cannot be shown here.]'],
        ...['[A link: More https://x.example]', '[Something of the type new-thing: it cannot be shown here.]'],
      ].join('\n\n'),
    );
    expect((await run(box, 's_long')).text).toBe(
      `${'x'.repeat(50_000)}\n\n[There is more; only the first 50000 characters are here.]`,
    );
    expect(await run(box, 's_bad')).toEqual({ text: 'No.', error: true });
    expect(await run(box, 's_data')).toEqual({ text: '{"a":1}' });
    expect(await run(box, 's_nothing')).toEqual({ text: '(The tool gave nothing.)' });
    expect(await run(box, 's_nothing', 'text')).toMatchObject({ error: true });
  });

  test('an error of the protocol is told in the server’s words', async () => {
    mcp.tools = [textTool('gone')];
    await world.connect('s', mcp.url);
    mcp.tools = [textTool('other')];
    const answer = await run(await world.open(), 's_gone');
    expect(answer).toEqual({
      text: 'The tool server “s” could not do this. It says: Unknown tool: gone',
      error: true,
    });
  });

  test('an aborted call ends with the reason, and the next one works', async () => {
    mcp.tools = [textTool('slow')];
    await world.connect('s', mcp.url);
    const box = await world.open();
    const stop = new AbortController();
    mcp.intercept = ({ method }) => {
      if (method !== 'tools/call') return false;
      stop.abort(new Error('stopped by the person'));
      return true;
    };
    await expect(run(box, 's_slow', {}, stop.signal)).rejects.toThrow('stopped by the person');
    await expect(run(box, 's_slow', {}, stop.signal)).rejects.toThrow('stopped by the person');
    mcp.intercept = undefined;
    expect(await run(box, 's_slow')).toEqual({ text: 'slow ran' });
  });
});

describe('a session that is lost', () => {
  test('is begun once more, also for calls at the same time, and nothing runs twice', async () => {
    const ran: unknown[] = [];
    mcp.tools = [textTool('add', ({ n }) => String(ran.push(n)))];
    await world.connect('s', mcp.url);
    const box = await world.open();
    await run(box, 's_add', { n: 0 });
    mcp.sessions.clear();
    const answers = await Promise.all([1, 2, 3].map((n) => run(box, 's_add', { n })));
    expect(answers.filter(({ error }) => error)).toEqual([]);
    expect(ran.toSorted()).toEqual([0, 1, 2, 3]);
    expect(mcp.sessions.size).toBe(1);
  });

  test('again and again is an error', async () => {
    mcp.tools = [textTool('add')];
    await world.connect('s', mcp.url);
    const box = await world.open();
    let calls = 0;
    mcp.intercept = ({ method }, _request, response) => {
      if (method !== 'tools/call') return false;
      calls++;
      response.writeHead(404).end();
      return true;
    };
    expect(await run(box, 's_add')).toMatchObject({ error: true });
    expect(calls).toBe(2);
  });
});
