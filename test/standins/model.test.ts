import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ModelStandIn } from './model.ts';

let standIn: ModelStandIn;
beforeAll(async () => {
  standIn = await ModelStandIn.start('right-key');
});
beforeEach(() => standIn.reset());
afterAll(() => standIn.close());

const post = (key = 'right-key', rest: object = {}, signal?: AbortSignal) =>
  fetch(`${standIn.baseURL('openai-compatible')}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }], ...rest }),
    ...(signal ? { signal } : {}),
  });
const frames = (text: string) =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((line) => line.replace('data: ', ''));

test('chat completions end with a finish reason, the figures if asked for, and [DONE]', async () => {
  const plain = frames(await (await post()).text());
  const figures = frames(await (await post('right-key', { stream_options: { include_usage: true } })).text());
  expect(plain.at(-1)).toBe('[DONE]');
  expect(JSON.parse(plain.at(-2) ?? '').choices[0]).toEqual({ index: 0, delta: {}, finish_reason: 'stop' });
  expect(JSON.parse(figures.at(-2) ?? '')).toMatchObject({ choices: [], usage: { prompt_tokens: 120 } });
  expect(plain.slice(0, -2).map((frame) => JSON.parse(frame).choices[0].delta.content)).toEqual([
    '',
    'You said: ',
    'hi',
  ]);
});

test('a script is used up in order, one step a request; then it echoes', async () => {
  standIn.reply('one');
  standIn.fail(503, { error: 'down' }, { 'retry-after': '3' });
  expect(await (await post()).text()).toContain('"one"');
  const failed = await post();
  expect([failed.status, failed.headers.get('retry-after'), await failed.json()]).toEqual([
    503,
    '3',
    { error: 'down' },
  ]);
  expect(await (await post()).text()).toContain('"hi"');
});

test('a wrong key is refused, recorded, and uses no script', async () => {
  standIn.reply('one');
  expect((await post('wrong-key')).status).toBe(401);
  expect(standIn.last.headers.authorization).toBe('Bearer wrong-key');
  expect(await (await post()).text()).toContain('"one"');
  expect(standIn.requests).toHaveLength(2);
});

test('it records what was asked, and when the client went away', async () => {
  standIn.hang();
  const stop = new AbortController();
  const asking = post('right-key', {}, stop.signal).catch(() => 'gone');
  await expect.poll(() => standIn.requests.length).toBe(1);
  expect(standIn.last).toMatchObject({
    protocol: 'openai-compatible',
    path: '/v1/chat/completions',
    asked: { model: 'm', system: '', messages: [{ role: 'user', text: 'hi' }] },
  });
  expect(standIn.last.closedAt).toBeUndefined();
  stop.abort();
  expect(await asking).toBe('gone');
  await expect.poll(() => standIn.last.closedAt).toBeGreaterThanOrEqual(standIn.last.at);
});

test('a complete answer is not a client that went away', async () => {
  await (await post()).text();
  await post();
  expect(standIn.requests[0]?.closedAt).toBeUndefined();
});

test('an unknown path is 404', async () => {
  expect((await fetch(`${standIn.baseURL('openai')}/unknown`, { method: 'POST' })).status).toBe(404);
});
