import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EngineRequest, TranscriptMessage } from '../../lib/ports/engine.ts';
import type { EngineName } from '../../lib/ports/tenants.ts';
import { ENGINES } from '../../lib/providers/engines.ts';
import { partsOf, requestOf } from '../contracts/engine.ts';
import { afterStep, withTools } from '../contracts/engineTools.ts';
import { ModelStandIn } from '../standins/model.ts';

let standIn: ModelStandIn;
beforeAll(async () => {
  standIn = await ModelStandIn.start();
});
beforeEach(() => standIn.reset());
afterAll(() => standIn.close());

type Api = Exclude<EngineName, 'demo'>;

/** The body of this request, as the provider gets it. */
async function bodyOf(name: Api, model: string, request: Partial<EngineRequest>): Promise<Record<string, unknown>> {
  const engine = await ENGINES[name]({ apiKey: standIn.apiKey, baseURL: standIn.baseURL(name), settings: {} });
  await partsOf(engine, withTools({ model, ...request }));
  return standIn.last.body;
}

/** The JSON up to each mark, without the marks: what the provider keeps cached. */
function cachedBy({ tools, system, messages }: Record<string, unknown>, mark: string): string[] {
  const pieces = JSON.stringify({ tools, system, messages }).split(mark);
  return pieces.slice(0, -1).map((_, n) => pieces.slice(0, n + 1).join(''));
}

const CLAUDE = ',"cache_control":{"type":"ephemeral"}';
const BEDROCK = '{"cachePoint":{"type":"default"}}';
const SEARCH = { id: 'call_1', name: 'search', input: { q: 'shells' } };
const step = (n: number): TranscriptMessage[] =>
  afterStep([{ ...SEARCH, id: `call_${n}` }], [{ id: `call_${n}`, name: 'search', output: `Found ${n}.` }]).slice(1);
const PERSON: TranscriptMessage = { role: 'user', text: 'Find shells.' };

test('SPEC 8.1: Claude is told to keep the tools, the system prompt, and the conversation so far', async () => {
  const body = await bodyOf('anthropic', 'claude-sonnet-5-5', { messages: [PERSON] });
  const cached = cachedBy(body, CLAUDE);
  expect(cached).toHaveLength(3);
  expect(cached[0]).toContain('"name":"now"');
  expect(cached[0]).not.toContain('"system"');
  expect(cached[1]).toContain('Be brief.');
  expect(cached[1]).not.toContain('Find shells.');
  expect(cached[2]).toContain('Find shells.');
});

test('SPEC 8.1: where a request ended, the next one has a mark again: it is found in the cache', async () => {
  let messages: TranscriptMessage[] = [PERSON];
  let ended = cachedBy(await bodyOf('anthropic', 'claude-sonnet-5-5', { messages }), CLAUDE).at(-1);
  for (const n of [1, 2, 3]) {
    messages = [...messages, ...step(n)];
    const cached = cachedBy(await bodyOf('anthropic', 'claude-sonnet-5-5', { messages }), CLAUDE);
    expect(cached).toHaveLength(4);
    expect(cached).toContain(ended);
    ended = cached.at(-1);
  }
  messages = [...messages, { role: 'assistant', text: 'There are three.' }, { role: 'user', text: 'Thanks' }];
  expect(cachedBy(await bodyOf('anthropic', 'claude-sonnet-5-5', { messages }), CLAUDE)).toContain(ended);
});

test('SPEC 8.1: without tools or system prompt there is nothing to mark of them', async () => {
  const engine = await ENGINES.anthropic({
    apiKey: standIn.apiKey,
    baseURL: standIn.baseURL('anthropic'),
    settings: {},
  });
  await partsOf(engine, requestOf({ system: '' }));
  expect(cachedBy(standIn.last.body, CLAUDE)).toHaveLength(1);
});

test('SPEC 8.1: Claude on Bedrock is told the same, and no model that would refuse it', async () => {
  const messages = [PERSON, ...step(1)];
  for (const model of ['us.anthropic.claude-sonnet-5-5', 'anthropic.claude-3-7-sonnet-20250219-v1:0']) {
    const body = JSON.stringify(await bodyOf('bedrock', model, { messages }));
    expect(body.split(BEDROCK)).toHaveLength(4);
  }
  for (const model of [
    'us.amazon.nova-pro-v1:0',
    'anthropic.claude-3-sonnet-20240229-v1:0',
    'meta.llama3-8b-instruct-v1:0',
  ]) {
    expect(JSON.stringify(await bodyOf('bedrock', model, { messages }))).not.toContain('cachePoint');
  }
});

test('SPEC 8.1: OpenAI gets the key of the conversation, and the others no trace of it', async () => {
  const cacheKey = 'k3y-of_the-memory';
  expect((await bodyOf('openai', 'gpt-5.4', { cacheKey })).prompt_cache_key).toBe(cacheKey);
  expect((await bodyOf('openai', 'gpt-5.4', {})).prompt_cache_key).toBeUndefined();
  for (const name of ['anthropic', 'google', 'bedrock', 'openai-compatible'] as const)
    expect(JSON.stringify(await bodyOf(name, 'claude-sonnet-5-5', { cacheKey }))).not.toContain(cacheKey);
});

test.each(['anthropic', 'bedrock'] as const)('SPEC 8.1: what %s wrote to its cache was read, too', async (name) => {
  standIn.reply({ chunks: ['a'], usage: { input: 120, output: 30, cached: 60, cacheWrites: 40 } });
  const engine = await ENGINES[name]({ apiKey: standIn.apiKey, baseURL: standIn.baseURL(name), settings: {} });
  expect((await partsOf(engine, requestOf())).at(-1)).toMatchObject({
    usage: { inputTokens: 120, outputTokens: 30, cachedTokens: 60, cacheWriteTokens: 40 },
  });
});
