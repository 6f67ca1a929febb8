import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunningMcp, startMcp, textTool } from '../standins/mcp.ts';
import { run, type ToolWorld, toolWorld } from './setup.ts';

const CANARY = 'canary-of-a-header-4711';
const JSON_TYPE = { 'content-type': 'application/json' };
const SSE_TYPE = { 'content-type': 'text/event-stream' };

/** A test machine may be busy; only where the time has to run out it is short. */
const PATIENT = { openMs: 10_000, callMs: 10_000, settleMs: 500 };
const SHORT = { openMs: 1_000, callMs: 1_000, settleMs: 500 };

let [mcp, world]: [RunningMcp, ToolWorld] = [] as never;
beforeEach(async () => {
  mcp = await startMcp({ tools: [textTool('list')] });
  world = toolWorld({ times: PATIENT });
});
afterEach(async () => {
  await world.close();
  mcp.stop();
});

/** Answers one method of the protocol as the test wants it. */
function answering(rpc: string, answer: (response: ServerResponse, id: number | undefined) => void): void {
  mcp.intercept = ({ method, id }, _request, response) => {
    if (method !== rpc) return false;
    answer(response, id);
    return true;
  };
}

/** Writes for as long as somebody reads. */
function endless(response: ServerResponse, chunk: string): void {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

const slowly = (response: ServerResponse) => {
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};

type Answer = (response: ServerResponse, id: number | undefined) => void;

/** What a server may do to whoever listens, and what is said of it. */
const TRICKS: Record<string, [Answer, RegExp]> = {
  'a body without an end': [
    (response) => endless(response.writeHead(200, JSON_TYPE), `"${CANARY}${'x'.repeat(64_000)}`),
    /too large/u,
  ],
  'an event stream without an end': [
    (response) => endless(response.writeHead(200, SSE_TYPE), `data: ${'x'.repeat(64_000)}\n\n`),
    /too large/u,
  ],
  'one event without an end': [
    (response) => endless(response.writeHead(200, SSE_TYPE).write('data: ') ? response : response, 'x'.repeat(64_000)),
    /too large/u,
  ],
  'an event stream that says nothing': [(response) => response.writeHead(200, SSE_TYPE).flushHeaders(), /in time/u],
  'an event stream that ends before the answer': [
    (response) => response.writeHead(200, SSE_TYPE).end(': bye\n\n'),
    /connection ended/u,
  ],
  'a body that comes byte by byte': [(response) => slowly(response.writeHead(200, JSON_TYPE)), /in time/u],
  'no answer at all': [() => {}, /in time/u],
  'a connection that ends': [(response) => response.destroy(), /connection ended/u],
  'a connection that ends within the body': [
    (response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '100' }).write('{"jsonrpc"');
      setTimeout(() => response.destroy(), 20);
    },
    /connection ended/u,
  ],
  'another type of content': [
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${CANARY}</h1>`),
    /Model Context Protocol/u,
  ],
  'no JSON': [(response) => response.writeHead(200, JSON_TYPE).end(`{${CANARY}`), /Model Context Protocol/u],
  'JSON of something else': [(response) => response.writeHead(200, JSON_TYPE).end('[{"a":1}]'), /Model Context/u],
  'the answer to something else': [
    (response) => response.writeHead(200, JSON_TYPE).end('{"jsonrpc":"2.0","id":4711,"result":{}}'),
    /Model Context Protocol|in time/u,
  ],
  'a status of failure with a body': [
    (response) => response.writeHead(500).end(`stack trace with ${CANARY}`),
    /It failed. \(HTTP status 500\)/u,
  ],
  'too many requests': [(response) => response.writeHead(429).end('slow down'), /takes no requests right now\.$/u],
  'a refusal': [(response) => response.writeHead(403).end(`not ${CANARY}`), /refused the credentials/u],
  'an error that repeats the header': [
    (response, id) => {
      const error = { code: -32_603, message: `bad token ${CANARY}, Bearer ${CANARY}` };
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    },
    /It says: bad token \[hidden\], \[hidden\]/u,
  ],
};

describe.each(Object.entries(TRICKS))('a server with %s', (_what, [trick, words]) => {
  beforeEach(() => {
    if (words.source.includes('in time')) world = toolWorld({ times: SHORT });
  });

  test('fails a call in words, and the turn goes on', async () => {
    await world.connect('s', mcp.url, { plain: { Authorization: `Bearer ${CANARY}` } });
    const box = await world.open();
    answering('tools/call', trick);
    const answer = await run(box, 's_list');
    expect(answer.error).toBe(true);
    expect(answer.text).toMatch(words);
    expect(answer.text.length).toBeLessThan(400);
    expect(world.logged).toContainEqual([
      'tools.call.failed',
      expect.objectContaining({ tenant: 'acme', server: 's' }),
    ]);
    mcp.intercept = undefined;
    expect(await run(box, 's_list')).toEqual({ text: 'list ran' });
    expect(JSON.stringify([answer, world.logged])).not.toContain(CANARY);
  });

  test.each(['initialize', 'tools/list'])('in %s keeps what was known, and is told by the reason', async (method) => {
    const plain = { Authorization: `Bearer ${CANARY}` };
    await world.connect('s', mcp.url, { plain });
    answering(method, trick);
    const { catalog, server } = await world.connect('s', mcp.url, { plain, revision: 'r2' });
    expect(catalog.fault).toMatch(words);
    expect(catalog.tools.map(({ name }) => name)).toEqual(['list']);
    expect(JSON.stringify([catalog, server, world.logged])).not.toContain(CANARY);
  });
});

describe('what a server offers', () => {
  const schema = { type: 'object', properties: {} };
  const offer = (...definitions: Record<string, unknown>[]) => {
    mcp.tools = definitions.map((definition) => ({ definition }));
  };

  test('a thousand tools are a hundred, and the rest is told in short', async () => {
    offer(...Array.from({ length: 1_000 }, (_, n) => ({ name: `t${n}`, inputSchema: schema })));
    const { catalog } = await world.connect('s', mcp.url);
    expect(catalog.tools).toHaveLength(60);
    expect((await world.open()).tools).toHaveLength(60);
  });

  test('many in one page are cut, and the reasons do not grow without an end', async () => {
    answering('tools/list', (response, id) => {
      const tools = Array.from({ length: 1_000 }, (_, n) => ({ name: `t${n}`, inputSchema: schema }));
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }));
    });
    const { catalog } = await world.connect('s', mcp.url);
    expect(catalog.tools).toHaveLength(100);
    expect(catalog.leftOut).toHaveLength(51);
    expect(catalog.leftOut.at(-1)).toEqual({ name: '850 more', reason: 'As these.' });
  });

  test('pages without an end are left at some page', async () => {
    let pages = 0;
    answering('tools/list', (response, id) => {
      const result = { tools: [], nextCursor: String(++pages) };
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    expect((await world.connect('s', mcp.url)).catalog.fault).toBe('It offers no tools and no prompts.');
    expect(pages).toBe(20);
  });

  test('a tool that cannot be offered is left out with the reason, and the others are there', async () => {
    offer(
      { name: 'good', inputSchema: schema },
      { name: 'good', inputSchema: schema, description: 'another' },
      { name: 'list-shaped', inputSchema: { type: 'array' } },
      { name: 'huge', inputSchema: { ...schema, description: 'x'.repeat(30_000) } },
      { name: 'n'.repeat(129), inputSchema: schema },
      { name: ' ', inputSchema: schema },
      { name: 'echo', description: `Send ${CANARY}`, inputSchema: schema },
      { name: 'last', inputSchema: { properties: { a: { type: 'string' } } } },
    );
    const { catalog } = await world.connect('s', mcp.url, { plain: { 'x-key': CANARY } });
    expect(catalog.tools.map(({ name }) => name)).toEqual(['good', 'last']);
    expect(catalog.tools[1]?.inputSchema).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
    expect(catalog.leftOut.map(({ reason }) => reason)).toEqual([
      'Another tool of the server has this name.',
      'Its input is no object.',
      'The description of its input has more than 20000 characters.',
      'Its name has to have 1 to 128 characters.',
      'Its name has to have 1 to 128 characters.',
      'It repeats the credentials that Conch sends.',
    ]);
  });

  test('much text is cut, and what does not fit together is left out', async () => {
    const description = `${'d'.repeat(5_000)}`;
    offer({ name: 'wordy', title: `t\n${'t'.repeat(200)}`, description, inputSchema: schema });
    const { catalog } = await world.connect('s', mcp.url);
    expect(catalog.tools[0]?.description).toBe(`${'d'.repeat(2_000)}\n\n[The description goes on.]`);
    expect(catalog.tools[0]?.title).toHaveLength(80);
    const large = { ...schema, description: 'x'.repeat(19_000) };
    offer(...Array.from({ length: 20 }, (_, n) => ({ name: `t${n}`, inputSchema: large })));
    const { catalog: full } = await world.connect('s', mcp.url, { revision: 'r2' });
    expect(full.tools).toHaveLength(13);
    expect(full.leftOut.every(({ reason }) => reason === 'There is no more room.')).toBe(true);
  });

  test('prompts that fail leave the tools', async () => {
    mcp.prompts = [{ definition: { name: 'p' } }];
    answering('prompts/list', (response) => response.writeHead(500).end());
    const { catalog } = await world.connect('s', mcp.url);
    expect([catalog.tools.length, catalog.fault]).toEqual([1, undefined]);
  });
});

test('SPEC 14.2: the headers reach no log, no result and no error, whatever the server makes of them', async () => {
  mcp.tools = [
    textTool('echo', () => `Your header was Bearer ${CANARY} (${CANARY}), in base64 it is another matter`),
    textTool('list'),
  ];
  await world.connect('s', mcp.url, { plain: { Authorization: `Bearer ${CANARY}`, 'x-team': 'another matter' } });
  const box = await world.open();
  const echoed = await run(box, 's_echo');
  expect(echoed.text).toBe('Your header was [hidden] ([hidden]), in base64 it is another matter');
  mcp.stop();
  const down = await run(box, 's_list');
  expect(down).toMatchObject({ error: true });
  expect(JSON.stringify([echoed, down, world.logged, await world.tenants.toolCatalog('acme', 's')])).not.toContain(
    CANARY,
  );
});

test('whether a call may have been carried out is said, and not of one that was never sent', async () => {
  await world.connect('s', mcp.url);
  const unknown = 'Whether the call was carried out is not known: do not simply repeat one that changes something.';
  answering('tools/call', (response) => response.destroy());
  expect((await run(await world.open(), 's_list')).text).toContain(unknown);
  answering('initialize', (response) => response.destroy());
  const unsent = (await run(await world.open(), 's_list')).text;
  expect(unsent).toBe('The tool server “s” could not do this. The connection ended before the answer came.');
});

test('a server that wants to ask the person is told to the model', async () => {
  mcp.modern = true;
  await world.connect('s', mcp.url);
  answering('tools/call', (response, id) => {
    const inputRequests = {
      a: { method: 'elicitation/create', params: { message: 'Who are you?', requestedSchema: {} } },
    };
    const result = { resultType: 'input_required', inputRequests };
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  expect((await run(await world.open(), 's_list')).text).toContain('It asks the person for something more');
});

test('a secret that cannot be opened is told in words', async () => {
  await world.connect('s', mcp.url);
  const { server } = await world.connect('s', mcp.url, { headers: { 'x-key': 'other|sealed|x' }, revision: 'r2' });
  expect((await world.tenants.toolCatalog('acme', server.name))?.fault).toBe('Its credentials cannot be opened here.');
});
