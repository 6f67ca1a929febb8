import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENGINES } from '../../lib/providers/engines.ts';
import { answerOf, failureOf, requestOf } from '../contracts/engine.ts';

/** Another implementation of the same APIs, so that our stand-in and our engines cannot agree on a mistake. */
const peer = new LLMock({ port: 0 });
beforeAll(async () => {
  peer.onMessage('hello', { content: 'Hi there, this is the peer speaking.' });
  peer.onMessage('limit', { error: { message: 'Slow down', type: 'rate_limit_error' }, status: 429 });
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

  test('SPEC 13.5: understands the peer’s failure', async () => {
    expect((await failureOf(await open(), ask('limit'))).fault).toBe('rate-limited');
  });
});
