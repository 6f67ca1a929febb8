import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGINES } from '../../lib/providers/engines.ts';
import { failureOf, requestOf } from '../contracts/engine.ts';
import { TWO_CALLS } from '../contracts/engineTools.ts';
import { ModelStandIn } from '../standins/model.ts';

let standIn: ModelStandIn;
beforeAll(async () => {
  standIn = await ModelStandIn.start();
});
afterAll(() => standIn.close());

const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } });
const openai = (code: string, message: string) => ({ type: 'error', sequence_number: 3, code, message, param: null });
const google = (code: number, status: string, message: string) => ({ error: { code, status, message } });
const compatible = (code: number | string, message: string) => ({ error: { code, message, type: 'error' } });

/** Errors that come after the first words, in the provider’s own form. */
test.each([
  ['anthropic', anthropic('rate_limit_error', 'Number of tokens has exceeded your rate limit'), 'rate-limited'],
  ['anthropic', anthropic('invalid_request_error', 'prompt is too long: 3 tokens > 2 maximum'), 'too-long'],
  ['anthropic', anthropic('api_error', 'Internal server error'), 'failing'],
  ['openai', openai('rate_limit_exceeded', 'Rate limit reached'), 'rate-limited'],
  ['openai', openai('context_length_exceeded', 'Your input exceeds the context window'), 'too-long'],
  ['openai', openai('insufficient_quota', 'You exceeded your current quota'), 'billing'],
  ['google', google(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for the model'), 'rate-limited'],
  ['google', google(500, 'INTERNAL', 'An internal error has occurred'), 'failing'],
  ['openai-compatible', compatible(429, 'Rate limit exceeded, too many requests'), 'rate-limited'],
  ['openai-compatible', compatible('context_length_exceeded', 'Too long'), 'too-long'],
  ['openai-compatible', compatible(502, 'Provider returned error: upstream unavailable'), 'overloaded'],
] as const)('SPEC 13.5: %s fails in mid-stream: %j is %s', async (name, error, fault) => {
  const engine = await ENGINES[name]({ apiKey: standIn.apiKey, baseURL: standIn.baseURL(name), settings: {} });
  for (const answer of [{ chunks: ['a', 'b'] }, { chunks: ['a'], calls: TWO_CALLS }]) {
    standIn.breakOff(answer, 1, { error });
    expect((await failureOf(engine, requestOf())).fault).toBe(fault);
  }
});
