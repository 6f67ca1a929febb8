import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ProviderFault } from '../../lib/ports/engine.ts';
import { aiSdkEngine, STEP_LIMITS, type StepLimits } from '../../lib/providers/aiSdk.ts';
import { openaiEngine } from '../../lib/providers/openai.ts';
import { failureOf, partsOf, requestOf } from '../contracts/engine.ts';
import { withTools } from '../contracts/engineTools.ts';
import { ModelStandIn } from '../standins/model.ts';

let standIn: ModelStandIn;
beforeAll(async () => {
  standIn = await ModelStandIn.start();
  // The first request of a process takes longer: its limits are not what is tested here.
  await partsOf(engineWith({}), requestOf());
});
beforeEach(() => standIn.reset());
afterEach(() => vi.restoreAllMocks());
afterAll(() => standIn.close());

const engineWith = (limits: Partial<StepLimits>) =>
  aiSdkEngine(
    {
      name: 'openai-compatible',
      model: (id) => {
        const baseURL = standIn.baseURL('openai-compatible');
        return createOpenAICompatible({ name: 'x', apiKey: standIn.apiKey, baseURL, includeUsage: true })(id);
      },
    },
    { ...STEP_LIMITS, ...limits },
  );

/** Runs a step that must end by its limit: soon, and the request is closed. It is silent if nothing has come. */
async function expectTimeout(
  limits: Partial<StepLimits>,
  request = requestOf(),
  fault: ProviderFault = 'silent',
): Promise<void> {
  const startedAt = performance.now();
  const error = await failureOf(engineWith(limits), request);
  expect(error).toMatchObject({ fault, retryable: true });
  expect(performance.now() - startedAt).toBeLessThan(1_500);
  await vi.waitFor(() => expect(standIn.last.closedAt).toBeDefined(), { timeout: 1_000 });
}

test('SPEC 13.5: what fails in making a request is no failure of the provider, and is not told as one', async () => {
  const broken = () => {
    throw new TypeError('x is undefined');
  };
  const model = (id: string) =>
    createOpenAICompatible({ name: 'x', baseURL: standIn.baseURL('openai-compatible') })(id);
  const engine = aiSdkEngine({ name: 'openai-compatible', model, options: broken, compaction: () => ({}) });
  await expect(partsOf(engine, requestOf())).rejects.toThrow(TypeError);
  await expect(engine.compact?.(requestOf(), 'sum up', new AbortController().signal)).rejects.toThrow(TypeError);
});

describe('DESIGN 3: the limits of a step', () => {
  test('one step is at most five minutes', () => {
    expect(STEP_LIMITS.stepMs).toBe(300_000);
    for (const limit of Object.values(STEP_LIMITS)) expect(limit).toBeLessThanOrEqual(STEP_LIMITS.stepMs);
  });

  test('a provider that never answers', async () => {
    standIn.hang();
    await expectTimeout({ firstChunkMs: 200 });
  });

  test('a provider that begins without a word', async () => {
    standIn.breakOff(['a'], 0, 'hang');
    await expectTimeout({ firstChunkMs: 200 });
  });

  test('a provider that falls silent', async () => {
    standIn.breakOff(['a', 'b'], 1, 'hang');
    await expectTimeout({ chunkMs: 200 }, requestOf());
  });

  test('a provider that never ends', async () => {
    standIn.reply({ chunks: Array.from({ length: 100 }, () => 'x '), delayMs: 40 });
    await expectTimeout({ stepMs: 400 }, requestOf());
  });

  test('the limit for the first word binds no later one, and a thought is a word', async () => {
    const chunks = Array.from({ length: 8 }, () => 'x ');
    standIn.reply({ chunks, delayMs: 60, reasoning: 'Hm.' });
    const parts = await partsOf(engineWith({ firstChunkMs: 300 }), requestOf());
    expect(parts).toHaveLength(chunks.length + 1);
    standIn.reply({ chunks: ['late'], delayMs: 400, reasoning: 'Hm.' });
    expect(await partsOf(engineWith({ firstChunkMs: 300 }), requestOf())).toHaveLength(2);
  });

  test('a call that is written for long is no silence', async () => {
    const pieces = ['{"q":', '"s', 'he', 'lls', '"}'];
    standIn.reply({ chunks: [], delayMs: 80, calls: [{ id: 'call_1', name: 'search', pieces }] });
    const parts = await partsOf(engineWith({ firstChunkMs: 300 }), withTools());
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'tools' });
  });

  test('a model that thinks hard gets longer for its first word', async () => {
    const limits = { firstChunkMs: 100, firstChunkOfHardThinkingMs: 5_000 };
    standIn.reply({ chunks: ['late'], delayMs: 300 });
    expect((await partsOf(engineWith(limits), requestOf({ effort: 'high' }))).at(-1)?.type).toBe('finish');
    standIn.reply({ chunks: ['late'], delayMs: 300 });
    await expectTimeout(limits, requestOf({ effort: 'low' }));
  });
});

test('SPEC 14.2: nothing of a failure is printed by the way', async () => {
  const printed = [
    ...(['error', 'warn', 'log', 'info'] as const).map((level) => vi.spyOn(console, level)),
    vi.spyOn(process, 'emitWarning'),
  ];
  standIn.fail(400, { error: { message: 'raw body' } });
  await failureOf(engineWith({}));
  standIn.breakOff(['a'], 1, 'reset');
  await failureOf(engineWith({}));
  const openai = openaiEngine({ apiKey: standIn.apiKey, baseURL: standIn.baseURL('openai'), settings: {} });
  await partsOf(openai, requestOf({ model: 'gpt-3.5-turbo', fast: true, effort: 'max' }));
  for (const spy of printed) expect(spy).not.toHaveBeenCalled();
});

test('SPEC 13.5: a limit for the answer is passed on', async () => {
  await partsOf(engineWith({}), requestOf({ maxOutputTokens: 77 }));
  expect(standIn.last.body.max_tokens).toBe(77);
});
