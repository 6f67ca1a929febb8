import { expect, test } from 'vitest';
import type { EngineName, ProviderRecord } from '../../lib/ports/tenants.ts';
import { listModels, resolveModel } from '../../lib/providers/models.ts';

const provider = (name: string, engine: EngineName, models: ProviderRecord['models'] = []): ProviderRecord => ({
  name,
  engine,
  models,
  settings: {},
  secrets: {},
});
const router = provider('router', 'openai-compatible', [
  { id: 'meta/llama-3.3-70b', contextWindow: 100_000, maxOutputTokens: 2_000 },
  { id: 'claude-sonnet-4-5' },
]);
const claude = provider('claude', 'anthropic');
const both = [claude, router];
const resolve = (providers: ProviderRecord[], model?: string, byDefault?: string) =>
  resolveModel(providers, model === undefined ? {} : { model }, byDefault === undefined ? {} : { model: byDefault });

test('SPEC 1: a tenant without providers has the built-in demo', () => {
  expect(resolve([])).toMatchObject({ ok: true, name: 'demo/demo', provider: { engine: 'demo' } });
  expect(resolve([], 'demo/demo')).toMatchObject({ ok: true, name: 'demo/demo' });
  expect(resolve(both, 'demo/demo').ok).toBe(false);
});

test('SPEC 7.3: the chat’s own model, else the tenant’s default, else the first of the first provider', () => {
  expect(resolve(both, 'router/claude-sonnet-4-5', 'claude/x')).toMatchObject({ name: 'router/claude-sonnet-4-5' });
  expect(resolve(both, undefined, 'router/claude-sonnet-4-5')).toMatchObject({ name: 'router/claude-sonnet-4-5' });
  expect(resolve([router])).toMatchObject({ ok: true, model: 'meta/llama-3.3-70b', provider: { name: 'router' } });
  expect(resolve([claude])).toMatchObject({ ok: true, model: listModels([claude])[0]?.model });
});

test('case 116: a model’s id may contain slashes', () => {
  expect(resolve(both, 'router/meta/llama-3.3-70b')).toEqual({
    ok: true,
    provider: router,
    model: 'meta/llama-3.3-70b',
    name: 'router/meta/llama-3.3-70b',
    contextWindow: 100_000,
    maxOutputTokens: 2_000,
    efforts: ['low', 'medium', 'high'],
    fast: false,
    tools: true,
  });
});

test('case 116: the name of a provider, or of a model that one provider lists, will do', () => {
  expect(resolve(both, 'router')).toMatchObject({ name: 'router/meta/llama-3.3-70b' });
  expect(resolve(both, 'meta/llama-3.3-70b')).toMatchObject({ name: 'router/meta/llama-3.3-70b' });
  expect(resolve(both, 'claude-sonnet-4-5').ok).toBe(false);
  expect(resolve([router], 'claude-sonnet-4-5')).toMatchObject({ name: 'router/claude-sonnet-4-5' });
});

test.each([
  ['nobody/claude-sonnet-4-5', /nobody\/claude-sonnet-4-5/],
  ['router/gpt-5', /“router” has no model “gpt-5”/],
  ['gpt-5', /“gpt-5” is not set up/],
  ['', /not set up/],
])('case 119: nothing is chosen in place of %j, and the person is told why', (model, reason) => {
  expect(resolve(both, model)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
});

test('SPEC 1: a compatible server without models cannot be asked for one of its own', () => {
  const empty = provider('mine', 'openai-compatible');
  expect(resolve([empty])).toMatchObject({ ok: false, reason: expect.stringContaining('mine') });
  expect(resolve([empty], 'mine/any')).toMatchObject({ ok: true, model: 'any', contextWindow: 128_000 });
});

test.each<[string, number, number | undefined]>([
  ['demo', 32_000, 4_000],
  ['claude-sonnet-4-5-20250929', 200_000, 64_000],
  ['claude-opus-4-1', 200_000, 30_000],
  ['claude-sonnet-4-20250514', 200_000, 30_000],
  ['claude-opus-4-8', 200_000, 64_000],
  ['claude-3-5-haiku-20241022', 200_000, 4_096],
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 200_000, 64_000],
  ['gpt-4.1-mini', 1_047_576, undefined],
  ['gpt-4o-mini', 128_000, undefined],
  ['gpt-4', 8_192, undefined],
  ['gpt-5-mini', 272_000, undefined],
  ['gpt-5-chat-latest', 128_000, undefined],
  ['openai.gpt-oss-120b-1:0', 131_072, undefined],
  ['o3-mini', 200_000, undefined],
  ['gemini-2.5-flash', 1_048_576, undefined],
  ['us.amazon.nova-pro-v1:0', 300_000, undefined],
  ['meta.llama3-8b-instruct-v1:0', 8_192, undefined],
  ['meta.llama3-1-8b-instruct-v1:0', 128_000, undefined],
  ['somebody/something-new', 128_000, undefined],
])('SPEC 8.1: the window of %s', (id, contextWindow, maxOutputTokens) => {
  const [model] = listModels([provider('p', 'openai-compatible', [{ id }])]);
  expect(model?.contextWindow).toBe(contextWindow);
  expect(model?.maxOutputTokens).toBe(maxOutputTokens);
});

test('SPEC 4.2: every engine but the compatible one offers models without a list', () => {
  const engines = ['demo', 'anthropic', 'openai', 'google', 'bedrock'] as const;
  for (const engine of engines) expect(listModels([provider('p', engine)]).length).toBeGreaterThan(0);
});

test.each<[EngineName, string, string]>([
  ['anthropic', 'claude-opus-5-5', 'effort tools'],
  ['anthropic', 'claude-3-7-sonnet-20250219', 'effort tools'],
  ['anthropic', 'claude-3-5-haiku-20241022', 'tools'],
  ['openai', 'gpt-6.1-terra', 'effort fast tools'],
  ['openai', 'gpt-5.4-nano', 'effort tools'],
  ['openai', 'gpt-5-chat-latest', 'tools'],
  ['openai', 'gpt-4.1', 'fast tools'],
  ['openai', 'o1-mini', 'effort'],
  ['google', 'gemini-3.8-flash', 'effort tools'],
  ['google', 'gemini-2.0-flash', 'tools'],
  ['google', 'gemma-3-27b-it', ''],
  ['bedrock', 'us.anthropic.claude-sonnet-5-5', 'effort tools'],
  ['bedrock', 'us.amazon.nova-pro-v1:0', 'tools'],
  ['bedrock', 'us.meta.llama3-3-70b-instruct-v1:0', ''],
  ['openai-compatible', 'meta/llama-3.3-70b', 'effort tools'],
  ['openai-compatible', 'somebody/something-new', 'effort tools'],
  ['demo', 'demo', 'effort tools'],
])('SPEC 4.7: what %s can be asked of %s: %s', (engine, id, expected) => {
  const [model] = listModels([provider('p', engine, [{ id }])]);
  const { efforts = [], fast, tools } = model ?? {};
  expect([efforts.length > 0 && 'effort', fast && 'fast', tools && 'tools'].filter(Boolean).join(' ')).toBe(expected);
});

test('SPEC 7.1: whether a model uses tools, its provider’s record says last', () => {
  const models = [
    { id: 'gemma-3-27b-it', tools: true },
    { id: 'gpt-4o', tools: false },
  ];
  expect(listModels([provider('p', 'openai-compatible', models)]).map(({ tools }) => tools)).toEqual([true, false]);
});
