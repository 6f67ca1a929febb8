import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENGINES } from '../../lib/providers/engines.ts';
import { answerOf, failureOf, partsOf, requestOf } from '../contracts/engine.ts';
import { callsIn, ownIn, TOOLS } from '../contracts/engineTools.ts';

/** Another implementation of the same APIs, so that our stand-in and our engines cannot agree on a mistake. */
const peer = new LLMock({ port: 0 });
beforeAll(async () => {
  peer.onMessage('hello', { content: 'Hi there, this is the peer speaking.' });
  peer.onMessage('limit', { error: { message: 'Slow down', type: 'rate_limit_error' }, status: 429 });
  peer.on({ userMessage: 'look up', hasToolResult: true }, { content: 'There are three.' });
  peer.on(
    { userMessage: 'look up', hasToolResult: false },
    {
      toolCalls: [
        { name: 'search', arguments: '{"q":"shells"}' },
        { name: 'now', arguments: '{}' },
      ],
    },
  );
  await peer.start();
});
afterAll(() => peer.stop());

const BASE_PATHS = { 'openai-compatible': '/v1', openai: '/v1', anthropic: '/v1', google: '/v1beta', bedrock: '' };

describe.each(Object.entries(BASE_PATHS) as [keyof typeof BASE_PATHS, string][])('engine %s', (name, basePath) => {
  const ask = (text: string) => requestOf({ messages: [{ role: 'user', text }] });
  const open = () => ENGINES[name]({ apiKey: 'any-key', baseURL: peer.url + basePath, settings: {} });

  test('SPEC 13.3: understands the peer’s answer', async () => {
    expect(await answerOf(await open(), ask('hello'))).toBe('Hi there, this is the peer speaking.');
  });

  test('SPEC 8.5: the peer takes a step with its results back and goes on', async () => {
    const engine = await open();
    const request = { ...ask('look up shells'), tools: TOOLS };
    const parts = await partsOf(engine, request);
    const calls = callsIn(parts);
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['search', { q: 'shells' }],
      ['now', {}],
    ]);
    const results = calls.map((call) => ({ id: call.id, name: call.name, output: 'three' }));
    const step = [
      { role: 'assistant' as const, text: '', calls, own: ownIn(parts) },
      { role: 'tool' as const, results },
    ];
    expect(await answerOf(engine, { ...request, messages: [...request.messages, ...step] })).toBe('There are three.');
  });

  test('SPEC 13.5: understands the peer’s failure', async () => {
    expect((await failureOf(await open(), ask('limit'))).fault).toBe('rate-limited');
  });
});
