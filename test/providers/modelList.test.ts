import { afterEach, expect, test, vi } from 'vitest';
import type { EngineName } from '../../lib/ports/tenants.ts';
import { ProviderError } from '../../lib/providers/faults.ts';
import { listModelsOf } from '../../lib/providers/modelList.ts';
import { type WebAnswer, webServer } from '../standins/web.ts';

const KEY = 'canary-key-77';
const opened: Awaited<ReturnType<typeof webServer>>[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of opened.splice(0)) await server.close();
});

async function serve(answer: (url: URL) => WebAnswer) {
  const server = await webServer((_request, url) => answer(url));
  opened.push(server);
  return server;
}

const list = (engine: EngineName, baseURL: string) => listModelsOf(engine, { apiKey: KEY, baseURL, settings: {} });

/** The failure of a list that cannot be had. */
async function failureOf(engine: EngineName, baseURL: string): Promise<ProviderError> {
  const outcome = await list(engine, baseURL).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(ProviderError);
  expect(JSON.stringify(outcome) + (outcome as Error).stack).not.toContain('canary');
  return outcome as ProviderError;
}

test.each(['openai', 'openai-compatible'] as const)('%s lists its models with the key in a header', async (engine) => {
  const server = await serve(() => ({
    body: { object: 'list', data: [{ id: 'm-1' }, { id: 'm/2' }, { id: 5 }, null] },
  }));
  expect(await list(engine, `${server.url}/v1/`)).toEqual([{ id: 'm-1' }, { id: 'm/2' }]);
  expect(server.requests).toMatchObject([{ path: '/v1/models', headers: { authorization: `Bearer ${KEY}` } }]);
});

test('a server of one’s own needs no key', async () => {
  const server = await serve(() => ({ body: { data: [{ id: 'm-1' }] } }));
  expect(await listModelsOf('openai-compatible', { baseURL: server.url, settings: {} })).toEqual([{ id: 'm-1' }]);
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

test('anthropic lists its models page by page', async () => {
  const server = await serve((url) =>
    url.searchParams.get('after_id') === 'm-1'
      ? { body: { data: [{ id: 'm-2' }], has_more: false, last_id: 'm-2' } }
      : { body: { data: [{ id: 'm-1' }], has_more: true, last_id: 'm-1' } },
  );
  expect(await list('anthropic', server.url)).toEqual([{ id: 'm-1' }, { id: 'm-2' }]);
  expect(server.requests[0]).toMatchObject({
    path: '/models?limit=1000',
    headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
  });
});

test('google lists its models by their names, those that answer', async () => {
  const answers = ['generateContent', 'countTokens'];
  const server = await serve((url) =>
    url.searchParams.has('pageToken')
      ? { body: { models: [{ name: 'models/gemini-b' }] } }
      : {
          body: {
            models: [
              { name: 'models/gemini-a', supportedGenerationMethods: answers },
              { name: 'models/embedding', supportedGenerationMethods: ['embedContent'] },
            ],
            nextPageToken: 'next page',
          },
        },
  );
  expect(await list('google', server.url)).toEqual([{ id: 'gemini-a' }, { id: 'gemini-b' }]);
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/models?pageSize=1000',
    '/models?pageSize=1000&pageToken=next+page',
  ]);
  expect(server.requests[0]?.headers['x-goog-api-key']).toBe(KEY);
});

test('an engine without a list says so', async () => {
  for (const engine of ['demo', 'bedrock'] as const) expect(await list(engine, 'http://127.0.0.1:1')).toBeUndefined();
});

test.each<[string, WebAnswer, string]>([
  ['a wrong key', { status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}` } } }, 'unauthorized'],
  ['a wrong key (Gemini)', { status: 400, body: { error: { message: 'API key not valid.' } } }, 'unauthorized'],
  ['no credit', { status: 402, body: {} }, 'billing'],
  ['too many requests', { status: 429, body: {} }, 'rate-limited'],
  ['a crash', { status: 500, body: '<html>Oops</html>' }, 'failing'],
  ['no such address', { status: 404, body: '' }, 'unknown-model'],
  ['a page', { body: '<html>Hello</html>' }, 'bad-request'],
  ['a list alone', { body: [{ id: 'm' }] }, 'bad-request'],
  ['too much', { body: 'x'.repeat(4_000_001) }, 'bad-request'],
  ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, 'unreachable'],
])('SPEC 13.5: %s is %s', async (_case, answer, fault) => {
  const server = await serve(() => answer);
  expect((await failureOf('openai', server.url)).fault).toBe(fault);
});

test('SPEC 13.5: nobody there, or nobody who answers in time, is unreachable', async () => {
  expect((await failureOf('openai', 'http://127.0.0.1:1')).fault).toBe('unreachable');
  const server = await serve(() => 'hang');
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() =>
    AbortSignal.abort(new DOMException('late', 'TimeoutError')),
  );
  expect((await failureOf('openai', server.url)).fault).toBe('unreachable');
});

test('pages without end are read to a limit, and so are models', async () => {
  let page = 0;
  const server = await serve(() => {
    page++;
    const data = Array.from({ length: 900 }, (_, n) => ({ id: `m-${page}-${n}` }));
    return { body: { data, has_more: true, last_id: 'm' } };
  });
  expect(await list('anthropic', server.url)).toHaveLength(2_000);
  expect(server.requests).toHaveLength(5);
});
