import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { EFFORTS, type Effort } from '../../lib/domain/events.ts';
import type { EngineName } from '../../lib/ports/tenants.ts';
import { ENGINES } from '../../lib/providers/engines.ts';
import { listModels } from '../../lib/providers/models.ts';
import { ModelStandIn } from '../standins/model.ts';

let model: ModelStandIn;
beforeAll(async () => {
  model = await ModelStandIn.start();
});
afterAll(() => model.close());
beforeEach(() => model.reset());

const NAMES = ['anthropic', 'openai', 'google', 'bedrock', 'openai-compatible'] as const satisfies EngineName[];

/** What menus say of the first model of this engine. */
function factsOf(engine: EngineName) {
  const [facts] = listModels([{ name: 'p', engine, models: [{ id: MODELS[engine] }], settings: {}, secrets: {} }]);
  if (!facts) throw new Error('No model');
  return facts;
}

const MODELS: Record<EngineName, string> = {
  ...{ demo: 'demo', anthropic: 'claude-opus-5-5', openai: 'gpt-5.4', google: 'gemini-3.8-flash' },
  ...{ bedrock: 'us.anthropic.claude-opus-5-5', 'openai-compatible': 'one' },
};

/** The body of a request with these wishes, as the provider gets it. */
async function bodyOf(
  engine: (typeof NAMES)[number],
  wishes: { effort?: Effort; fast?: boolean },
  id = MODELS[engine],
): Promise<string> {
  const opened = await ENGINES[engine]({ apiKey: model.apiKey, baseURL: model.baseURL(engine), settings: {} });
  const request = { model: id, system: '', messages: [{ role: 'user' as const, text: 'hi' }], ...wishes };
  for await (const _part of opened.run(request, new AbortController().signal));
  return JSON.stringify(model.last.body);
}

test.each(NAMES)(
  'SPEC 4.2: %s asks for a faster service where menus say that there is one, and nowhere else',
  async (engine) => {
    const isDifferent = (await bodyOf(engine, { fast: true })) !== (await bodyOf(engine, {}));
    expect(isDifferent).toBe(factsOf(engine).fast);
  },
);

test.each(NAMES)('SPEC 4.7: %s asks for each level that menus offer in another way', async (engine) => {
  const { efforts } = factsOf(engine);
  const bodies = new Set<string>();
  for (const effort of efforts) bodies.add(await bodyOf(engine, { effort }));
  expect(bodies.size).toBe(efforts.length);
  const missing = EFFORTS.filter((effort) => !efforts.includes(effort));
  for (const effort of missing) expect(bodies.has(await bodyOf(engine, { effort }))).toBe(true);
});

test.each([
  ['anthropic', 'claude-3-5-haiku-20241022'],
  ['google', 'gemini-2.0-flash'],
  ['bedrock', 'us.amazon.nova-pro-v1:0'],
] as const)('SPEC 4.7: %s is not asked for an effort of %s, which would refuse it', async (engine, id) => {
  const plain = await bodyOf(engine, {}, id);
  for (const effort of EFFORTS) expect(await bodyOf(engine, { effort }, id)).toBe(plain);
});
