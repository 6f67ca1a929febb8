import { afterAll, beforeAll, expect, test } from 'vitest';
import { openaiEngine } from '../../lib/providers/openai.ts';
import { apiEngineContract, failureOf, partsOf, requestOf } from '../contracts/engine.ts';
import type { FaultCase } from '../contracts/engineFaults.ts';
import { engineToolsContract } from '../contracts/engineTools.ts';
import { ModelStandIn } from '../standins/model.ts';

/** OpenAI's shape of an error. */
const body = (message: string, type: string, code: string | null) => ({ error: { message, type, param: null, code } });

const faults: FaultCase[] = [
  {
    case: 'an invalid key',
    status: 401,
    body: body('Incorrect API key provided: sk-1***9.', 'invalid_request_error', 'invalid_api_key'),
    fault: 'unauthorized',
  },
  {
    case: 'no credit',
    status: 429,
    body: body(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
    fault: 'billing',
  },
  {
    case: 'a rate limit',
    status: 429,
    body: body('Rate limit reached for m: Limit 3, Used 3', 'requests', 'rate_limit_exceeded'),
    headers: { 'retry-after-ms': '1200' },
    fault: 'rate-limited',
    retryAfterMs: 1_200,
  },
  {
    case: 'no such model',
    status: 404,
    body: body(
      'The model `x` does not exist or you do not have access to it.',
      'invalid_request_error',
      'model_not_found',
    ),
    fault: 'unknown-model',
  },
  {
    case: 'no such model, said with 400',
    status: 400,
    body: body("The requested model 'x' does not exist.", 'invalid_request_error', 'model_not_found'),
    fault: 'unknown-model',
  },
  {
    case: 'a context too long',
    status: 400,
    body: body(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'invalid_request_error',
      'context_length_exceeded',
    ),
    fault: 'too-long',
  },
  {
    case: 'a prompt against the policy',
    status: 400,
    body: body('Your prompt was flagged as violating our usage policy.', 'invalid_request_error', 'invalid_prompt'),
    fault: 'refused',
  },
  {
    case: 'a filter (Azure)',
    status: 400,
    body: body("The response was filtered by Azure OpenAI's content management policy.", 'x', 'content_filter'),
    fault: 'refused',
  },
];

apiEngineContract({
  protocol: 'openai',
  open: openaiEngine,
  faults,
  overloadedEvent: {
    type: 'error',
    sequence_number: 3,
    code: 'server_error',
    message: 'The server had an error while processing your request.',
    param: null,
  },
});
engineToolsContract('openai', 'gpt-5.4', openaiEngine);

let standIn: ModelStandIn;
beforeAll(async () => {
  standIn = await ModelStandIn.start();
});
afterAll(() => standIn.close());
const bodyOf = async (rest: Parameters<typeof requestOf>[0]) => {
  const engine = openaiEngine({ apiKey: standIn.apiKey, baseURL: standIn.baseURL('openai'), settings: {} });
  await partsOf(engine, requestOf({ model: 'gpt-5', ...rest }));
  return standIn.last.body;
};

test('SPEC 4.2: /effort is the reasoning effort of the request, and nothing without it', async () => {
  expect((await bodyOf({ effort: 'low' })).reasoning).toMatchObject({ effort: 'low' });
  expect((await bodyOf({})).reasoning).toBeUndefined();
});

test('SPEC 4.2: /fast asks for the priority service, and only then', async () => {
  expect((await bodyOf({ fast: true })).service_tier).toBe('priority');
  expect((await bodyOf({ fast: false })).service_tier).toBeUndefined();
});

test('SPEC 5.2: the provider is asked to keep nothing', async () => {
  expect((await bodyOf({})).store).toBe(false);
  expect((await bodyOf({ fast: true })).store).toBe(false);
});

test.each([
  ['server_error', 'failing'],
  ['rate_limit_exceeded', 'rate-limited'],
  ['context_length_exceeded', 'too-long'],
] as const)('SPEC 13.5: an answer that fails on its way with %s is %s', async (code, fault) => {
  const engine = openaiEngine({ apiKey: standIn.apiKey, baseURL: standIn.baseURL('openai'), settings: {} });
  const response = { id: 'resp_1', status: 'failed', error: { code, message: 'It failed.' } };
  standIn.breakOff(['a'], 1, { error: { type: 'response.failed', sequence_number: 4, response } });
  expect((await failureOf(engine)).fault).toBe(fault);
});

test('SPEC 5.2, 5.7: with `keep` on, a request goes on with the response that OpenAI keeps, and sends what has come since', async () => {
  const engine = openaiEngine({ apiKey: standIn.apiKey, baseURL: standIn.baseURL('openai'), settings: { keep: 'on' } });
  const first = await partsOf(engine, requestOf({ model: 'gpt-5', messages: [{ role: 'user', text: 'one' }] }));
  expect(standIn.last.body).toMatchObject({ store: true });
  expect(standIn.last.body).not.toHaveProperty('previous_response_id');
  const session = first.findLast((part) => part.type === 'finish')?.session;
  expect(session).toBe('resp_1');
  const more = [
    { role: 'user', text: 'one' },
    { role: 'assistant', text: 'ONE', session: 'resp_1' },
    { role: 'user', text: 'two' },
  ] as const;
  await partsOf(engine, requestOf({ model: 'gpt-5', messages: [...more] }));
  expect(standIn.last.body).toMatchObject({ previous_response_id: 'resp_1', store: true });
  expect(JSON.stringify(standIn.last.body.input)).toContain('two');
  expect(JSON.stringify(standIn.last.body.input)).not.toContain('ONE');
  // A session from before the memory is in no message: then nothing is gone on with.
  await partsOf(engine, requestOf({ model: 'gpt-5', messages: [{ role: 'user', text: 'three' }] }));
  expect(standIn.last.body).not.toHaveProperty('previous_response_id');
});

test('SPEC 5.7: with `keep` on, the results of tools go to the response that called them', async () => {
  const engine = openaiEngine({ apiKey: standIn.apiKey, baseURL: standIn.baseURL('openai'), settings: { keep: 'on' } });
  const tools = [{ name: 'find', description: 'finds', inputSchema: { type: 'object', properties: {} } }];
  const call = { id: 'call_1', name: 'find', input: {} };
  await partsOf(
    engine,
    requestOf({
      ...{ model: 'gpt-5', tools },
      messages: [
        { role: 'user', text: 'one' },
        { role: 'assistant', text: '', calls: [call], session: 'resp_7' },
        { role: 'tool', results: [{ id: 'call_1', name: 'find', output: 'found' }] },
      ],
    }),
  );
  expect(standIn.last.body.previous_response_id).toBe('resp_7');
  expect(standIn.last.body.input).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'function_call_output', call_id: 'call_1', output: 'found' }),
    ]),
  );
  expect(JSON.stringify(standIn.last.body.input)).not.toContain('"function_call"');
});

test('SPEC 5.7: what OpenAI keeps no more is sent again, whole', async () => {
  const engine = openaiEngine({ apiKey: standIn.apiKey, baseURL: standIn.baseURL('openai'), settings: { keep: 'on' } });
  const before = standIn.requests.length;
  standIn.fail(
    400,
    body("Previous response with id 'resp_0' not found.", 'invalid_request_error', 'previous_response_not_found'),
  );
  const parts = await partsOf(
    engine,
    requestOf({
      model: 'gpt-5',
      messages: [
        { role: 'user', text: 'one' },
        { role: 'assistant', text: 'ONE', session: 'resp_0' },
        { role: 'user', text: 'two' },
      ],
    }),
  );
  expect(parts.at(-1)?.type).toBe('finish');
  expect(standIn.requests.length - before).toBe(2);
  expect(standIn.last.body).not.toHaveProperty('previous_response_id');
  expect(JSON.stringify(standIn.last.body.input)).toContain('ONE');
});
