import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Compaction } from '../../lib/ports/engine.ts';
import { anthropicEngine } from '../../lib/providers/anthropic.ts';
import { demoEngine } from '../../lib/providers/demo.ts';
import { ProviderError } from '../../lib/providers/faults.ts';
import { googleEngine } from '../../lib/providers/google.ts';
import { openaiEngine } from '../../lib/providers/openai.ts';
import { afterStep, withTools } from '../contracts/engineTools.ts';
import { type WebAnswer, webServer } from '../standins/web.ts';

let provider: Awaited<ReturnType<typeof webServer>>;
let answer: WebAnswer;
beforeAll(async () => {
  provider = await webServer(() => answer);
});
beforeEach(() => {
  provider.requests.length = 0;
});
afterAll(() => provider.close());

/** What the API answers to a request for a summary. */
const summarised = (content: unknown[], stop_reason = 'compaction'): WebAnswer => ({
  body: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content, stop_reason },
    usage: {
      ...{ input_tokens: 0, output_tokens: 0 },
      iterations: [{ type: 'compaction', input_tokens: 84_000, output_tokens: 500 }],
    },
  },
});
const SUMMARY = { type: 'compaction', content: ' They talk about shells. ', signature: 'c2ln' };

function compact(model = 'claude-opus-5-5', instructions = 'Keep the names.', signal = new AbortController().signal) {
  const engine = anthropicEngine({ apiKey: 'canary-key', baseURL: provider.url, settings: {} });
  const calls = [{ id: 'call_1', name: 'search', input: { q: 'shells' } }];
  const results = [{ id: 'call_1', name: 'search', output: 'Three.' }];
  return engine.compact?.(withTools({ model, messages: afterStep(calls, results) }), instructions, signal);
}

describe('SPEC 8.2: the provider’s own compaction', () => {
  test('gives its summary, what it took, and what the conversation held', async () => {
    answer = summarised([SUMMARY]);
    const expected: Compaction = {
      summary: 'They talk about shells.',
      usage: { inputTokens: 84_000, outputTokens: 500, cachedTokens: 0 },
      preTokens: 84_000,
    };
    expect(await compact()).toEqual(expected);
  });

  test('is asked for the conversation as it is, and how', async () => {
    answer = summarised([SUMMARY]);
    await compact();
    const [request] = provider.requests;
    const body = JSON.parse(request?.body ?? '');
    expect(request?.headers['anthropic-beta']).toContain('compact-2026-09-04');
    expect(body.compaction).toEqual({ type: 'summarize', instructions: 'Keep the names.' });
    expect(body.system[0].text).toBe('Be brief.');
    expect(body.tools).toHaveLength(2);
    expect(JSON.stringify(body.messages)).toMatch(/the-words-of-the-person.*call_1.*Three\./);
  });

  test.each<[string, WebAnswer]>([
    ['with an answer instead', summarised([{ type: 'text', text: 'Hello.' }], 'end_turn')],
    ['cut off', summarised([SUMMARY], 'max_tokens')],
    ['refused', summarised([], 'refusal')],
    ['empty', summarised([{ ...SUMMARY, content: '' }])],
  ])('that ends %s is none, so that an ordinary request is made', async (_case, given) => {
    answer = given;
    expect(await compact()).toBeUndefined();
  });

  test('is not asked of a model that has none, nor of an engine whose own gives no text', async () => {
    for (const model of ['claude-opus-4-5', 'claude-haiku-4-5', 'claude-3-5-haiku-20241022', 'some-model'])
      expect(await compact(model)).toBeUndefined();
    expect(provider.requests).toEqual([]);
    const settings = { apiKey: 'k', settings: {} };
    for (const engine of [openaiEngine(settings), googleEngine(settings), demoEngine(settings)])
      expect(engine.compact).toBeUndefined();
  });

  test.each([
    [{ status: 429, headers: { 'retry-after': '3' }, body: {} }, 'rate-limited', 3_000],
    [{ status: 400, body: { error: { message: 'prompt is too long: 3 tokens > 2 maximum' } } }, 'too-long', undefined],
    [{ status: 401, body: { error: { message: 'canary-key' } } }, 'unauthorized', undefined],
  ] as const)('SPEC 8.6, 13.5: a failure is the provider’s failure', async (given, fault, retryAfterMs) => {
    answer = given;
    const error = await compact()?.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ fault });
    expect((error as ProviderError).retryAfterMs).toBe(retryAfterMs);
    expect(JSON.stringify(error) + (error as Error).stack).not.toContain('canary');
    expect(provider.requests).toHaveLength(1);
  });

  test('SPEC 4.10: /stop ends it, with the signal’s reason', async () => {
    answer = 'hang';
    const stop = new AbortController();
    const asking = compact('claude-opus-5-5', undefined, stop.signal);
    await expect.poll(() => provider.requests.length).toBe(1);
    stop.abort(new Error('stopped'));
    await expect(asking).rejects.toThrow('stopped');
  });
});
