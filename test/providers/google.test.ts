import { afterAll, beforeAll, expect, test } from 'vitest';
import { googleEngine } from '../../lib/providers/google.ts';
import { apiEngineContract, failureOf, partsOf, requestOf } from '../contracts/engine.ts';
import type { FaultCase } from '../contracts/engineFaults.ts';
import { engineToolsContract } from '../contracts/engineTools.ts';
import { ModelStandIn } from '../standins/model.ts';

/** Google's shape of an error. */
const body = (code: number, status: string, message: string, details: unknown[] = []) => ({
  error: { code, message, status, details },
});

const faults: FaultCase[] = [
  {
    case: 'an invalid key',
    status: 400,
    body: body(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
    ]),
    fault: 'unauthorized',
  },
  {
    case: 'a quota with the wait in the body',
    status: 429,
    body: body(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details.',
      [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }],
    ),
    fault: 'rate-limited',
    retryAfterMs: 34_500,
  },
  {
    case: 'no such model',
    status: 404,
    body: body(404, 'NOT_FOUND', 'models/x is not found for API version v1beta, or is not supported'),
    fault: 'unknown-model',
  },
  {
    case: 'a context too long',
    status: 400,
    body: body(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
    fault: 'too-long',
  },
  {
    case: 'overload',
    status: 503,
    body: body(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    fault: 'overloaded',
  },
];

apiEngineContract({
  protocol: 'google',
  open: googleEngine,
  faults,
  overloadedEvent: body(503, 'UNAVAILABLE', 'The model is overloaded.'),
});
engineToolsContract('google', 'gemini-3.8-flash', googleEngine);

let standIn: ModelStandIn;
beforeAll(async () => {
  standIn = await ModelStandIn.start();
});
afterAll(() => standIn.close());

test('SPEC 4.2: /effort is the thinking budget of the request', async () => {
  const engine = googleEngine({ apiKey: standIn.apiKey, baseURL: standIn.baseURL('google'), settings: {} });
  const budgetOf = async (effort: 'low' | 'max') => {
    await partsOf(engine, requestOf({ model: 'gemini-2.5-flash', effort }));
    const { thinkingConfig } = standIn.last.body.generationConfig as { thinkingConfig: { thinkingBudget: number } };
    return thinkingConfig.thinkingBudget;
  };
  expect(await budgetOf('max')).toBeGreaterThan(await budgetOf('low'));
});

test('SPEC 13.5: a prompt that Gemini blocks is refused', async () => {
  const engine = googleEngine({ apiKey: standIn.apiKey, baseURL: standIn.baseURL('google'), settings: {} });
  const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 9 } };
  standIn.fail(200, `data: ${JSON.stringify(blocked)}\n\n`, { 'content-type': 'text/event-stream' });
  expect(await partsOf(engine, requestOf())).toMatchObject([{ type: 'finish', reason: 'refused' }]);
});

test('SPEC 13.5: a call that Gemini itself finds malformed is its trouble, and worth another try', async () => {
  const engine = googleEngine({ apiKey: standIn.apiKey, baseURL: standIn.baseURL('google'), settings: {} });
  const malformed = { candidates: [{ index: 0, content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] };
  standIn.fail(200, `data: ${JSON.stringify(malformed)}\n\n`, { 'content-type': 'text/event-stream' });
  expect(await failureOf(engine)).toMatchObject({ fault: 'failing', retryable: true });
});
