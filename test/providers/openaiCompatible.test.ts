import { afterAll, beforeAll, expect, test } from 'vitest';
import { openaiCompatibleEngine } from '../../lib/providers/openaiCompatible.ts';
import { apiEngineContract, failureOf, partsOf, requestOf } from '../contracts/engine.ts';
import { afterStep, callsIn, engineToolsContract, ownIn, withTools } from '../contracts/engineTools.ts';
import { ModelStandIn } from '../standins/model.ts';

apiEngineContract({
  protocol: 'openai-compatible',
  open: openaiCompatibleEngine,
  overloadedEvent: { error: { message: 'Overloaded, try again', type: 'server_error', code: 503 } },
  faults: [
    {
      case: 'no credit (OpenRouter)',
      status: 402,
      body: { error: { message: 'Insufficient credits. Add more at the settings page', code: 402 } },
      fault: 'billing',
    },
    {
      case: 'no balance (DeepSeek)',
      status: 400,
      body: { error: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' } },
      fault: 'billing',
    },
    {
      case: 'a context too long (vLLM)',
      status: 400,
      body: {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        type: 'BadRequestError',
        code: 400,
      },
      fault: 'too-long',
    },
    {
      case: 'a context too long (llama.cpp)',
      status: 400,
      body: {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
        },
      },
      fault: 'too-long',
    },
    ...[
      ['xAI', 'This model’s maximum prompt length is 131072 but the request contains 136973 tokens.'],
      ['Groq', 'Please reduce the length of the messages or completion.'],
      ['OpenRouter', 'This endpoint’s maximum context length is 262144 tokens. However, you requested about 300000.'],
      ['LM Studio', 'Trying to keep the first 111490 tokens when context the overflows.'],
      ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length.'],
      ['Kimi', 'Invalid request: Your request exceeded model token limit: 131072'],
      ['MiniMax', 'invalid params, context window exceeds limit'],
      ['OpenAI', 'Input tokens exceed the configured limit of 272000 tokens.'],
      ['Together', 'The input (40000 tokens) is longer than the model’s context length (32768 tokens).'],
    ].map(([server, message]) => ({
      case: `a context too long (${server})`,
      status: 400,
      body: { error: { message, type: 'invalid_request_error', code: null } },
      fault: 'too-long' as const,
    })),
    {
      case: 'no such model (Ollama)',
      status: 404,
      body: { error: { message: "model 'x' not found", type: 'api_error', param: null, code: null } },
      fault: 'unknown-model',
    },
    {
      case: 'a request over the limit per minute (Groq)',
      status: 413,
      body: {
        error: {
          message: 'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7000',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      },
      fault: 'too-long',
    },
  ],
});
engineToolsContract('openai-compatible', 'one', openaiCompatibleEngine);

let standIn: ModelStandIn;
beforeAll(async () => {
  standIn = await ModelStandIn.start('');
});
afterAll(() => standIn.close());

test('SPEC 1: a server of one’s own needs no key', async () => {
  const engine = openaiCompatibleEngine({ baseURL: standIn.baseURL('openai-compatible'), settings: {} });
  await partsOf(engine, requestOf()).catch(() => {});
  expect(standIn.last.headers.authorization).toBeUndefined();
});

test('SPEC 4.7: an effort that most servers do not know is asked as the nearest', async () => {
  const engine = openaiCompatibleEngine({ baseURL: standIn.baseURL('openai-compatible'), settings: {} });
  for (const [effort, sent] of [
    ['low', 'low'],
    ['max', 'high'],
    [undefined, undefined],
  ] as const) {
    await partsOf(engine, requestOf(effort ? { effort } : {})).catch(() => {});
    expect(standIn.last.body.reasoning_effort).toBe(sent);
  }
});

test('SPEC 13.5: without an address nothing can be asked', async () => {
  expect((await failureOf(openaiCompatibleEngine({ settings: {} }))).fault).toBe('bad-request');
});

test('SPEC 8.5: two calls of a server that gives them one id can be told apart', async () => {
  const keyed = await ModelStandIn.start('key');
  const engine = openaiCompatibleEngine({ apiKey: 'key', baseURL: keyed.baseURL('openai-compatible'), settings: {} });
  const call = { id: 'call_0', name: 'now', pieces: ['{}'] };
  keyed.reply({ chunks: ['Let me look.'], calls: [call, call] });
  const parts = await partsOf(engine, withTools());
  const calls = callsIn(parts);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  const results = calls.map(({ id }) => ({ id, name: 'now', output: `of ${id}` }));
  await partsOf(engine, withTools({ messages: afterStep(calls, results, ownIn(parts)) }));
  const sent = keyed.last.body.messages as { tool_calls?: { id: string }[]; tool_call_id?: string; content: string }[];
  expect(sent.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))).toEqual(calls.map(({ id }) => id));
  expect(sent.flatMap((one) => (one.tool_call_id ? [`${one.tool_call_id}: ${one.content}`] : []))).toEqual(
    calls.map(({ id }) => `${id}: of ${id}`),
  );
  await keyed.close();
});
