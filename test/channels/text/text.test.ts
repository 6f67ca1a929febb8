import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createText } from '../../../lib/channels/text/index.ts';
import { verify } from '../../../lib/channels/text/verify.ts';
import type { Channel, Piece } from '../../../lib/ports/chatApp.ts';
import { channel, MemoryReplies, SECRET } from './channel.ts';

const TO = { chat: 'c1', message: '1' };
const CHAT = { tenant: 't1', channelId: 't1.abc', chat: 'c1' };
const OPTIONS = { timeoutMs: 2_000, idempotencyKey: 'r1' };

function piece(text: string): Piece {
  return { body: { text }, plain: { text } };
}

describe('replies that a client fetches', () => {
  test('are kept in order, each once however often it is sent (SPEC 2.3)', async () => {
    const replies = new MemoryReplies();
    const sender = createText(replies).sender(channel);
    expect(await sender.post(TO, piece('one'), OPTIONS)).toEqual({ kind: 'sent', id: 'r1' });
    expect(await sender.post(TO, piece('one'), OPTIONS)).toEqual({ kind: 'sent', id: 'r1' });
    expect(await sender.post(TO, piece('two'), { ...OPTIONS, idempotencyKey: 'r2' })).toMatchObject({ kind: 'sent' });
    const at = expect.any(Number);
    expect(await replies.after(CHAT, 0, 10)).toEqual([
      { seq: 1, id: 'r1', text: 'one', at },
      { seq: 2, id: 'r2', text: 'two', at },
    ]);
  });

  test('can be changed while they are known', async () => {
    const replies = new MemoryReplies();
    const sender = createText(replies).sender(channel);
    await sender.post(TO, piece('one'), OPTIONS);
    expect(await sender.edit(TO, 'r1', piece('two'), OPTIONS)).toEqual({ kind: 'sent', id: 'r1' });
    expect(await replies.after(CHAT, 0, 10)).toMatchObject([{ text: 'two' }]);
    expect(await sender.edit(TO, 'r9', piece('two'), OPTIONS)).toMatchObject({ kind: 'missing' });
  });

  test('may be sent again after the store failed only if they have a key (SPEC 13.6)', async () => {
    const replies = new MemoryReplies();
    replies.append = () => Promise.reject(new Error('down'));
    const sender = createText(replies).sender(channel);
    expect(await sender.post(TO, piece('one'), OPTIONS)).toMatchObject({ kind: 'refused' });
    expect(await sender.post(TO, piece('one'), { timeoutMs: 1_000 })).toMatchObject({ kind: 'unknown' });
  });
});

describe('replies that are posted to the callback', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** A client's callback that gives this status. */
  async function callback(status: number, headers: Record<string, string> = {}) {
    const received: { headers: Record<string, string>; body: Buffer }[] = [];
    server = createServer(async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync<Buffer>(request));
      received.push({ headers: request.headers as Record<string, string>, body });
      if (status > 0) response.writeHead(status, headers).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/replies`;
    return { received, channel: { ...channel, settings: { callbackUrl } } satisfies Channel };
  }

  test('are signed the way requests are', async () => {
    const { received, channel: withCallback } = await callback(204);
    const sender = createText(new MemoryReplies()).sender(withCallback);
    expect(await sender.post(TO, piece('Grüße 🎉'), OPTIONS)).toEqual({ kind: 'sent', id: 'r1' });
    expect(received.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { id: 'r1', chat: 'c1', text: 'Grüße 🎉', at: expect.any(Number) },
    ]);
    const [{ headers, body } = { headers: {}, body: Buffer.of() }] = received;
    const request = { headers, body };
    expect(verify(request, channel, Date.now())).toEqual({ ok: true });
    expect(verify({ ...request, body: Buffer.from('{}') }, channel, Date.now())).toMatchObject({ ok: false });
  });

  test.each([
    [429, { 'retry-after': '7' }, { kind: 'refused', retryAfterMs: 7_000 }],
    [503, {}, { kind: 'unknown' }],
    [302, { location: 'http://127.0.0.1:65530/' }, { kind: 'dead', scope: 'chat' }],
    [404, {}, { kind: 'dead', scope: 'chat' }],
    [0, {}, { kind: 'unknown', reason: 'timeout' }],
  ])('status %i means what it means in every app (SPEC 13.6)', async (status, headers, expected) => {
    const { received, channel: withCallback } = await callback(status, headers);
    const sender = createText(new MemoryReplies()).sender(withCallback);
    const result = await sender.post(TO, piece('hi'), { ...OPTIONS, timeoutMs: status ? 2_000 : 200 });
    expect(result).toMatchObject(expected);
    expect(received).toHaveLength(1);
  });
});

describe('the fields of a channel', () => {
  const { fields } = createText(new MemoryReplies());

  test('a secret, and an address or none', () => {
    expect(fields.parse({ secret: SECRET, access: 'anyone' })).toEqual({
      ok: true,
      secrets: { secret: SECRET },
      settings: {},
    });
    expect(fields.parse({ secret: SECRET, callbackUrl: 'https://a.example/x' })).toEqual({
      ok: true,
      secrets: { secret: SECRET },
      settings: { callbackUrl: 'https://a.example/x' },
    });
  });

  test.each([
    ['secret', { secret: 'x'.repeat(15) }],
    ['secret', {}],
    ['secret', { secret: 1234567890123456 }],
    ['callbackUrl', { secret: SECRET, callbackUrl: 'file:///etc/passwd' }],
    ['callbackUrl', { secret: SECRET, callbackUrl: 'https://user:pw@a.example' }],
    ['callbackUrl', { secret: SECRET, callbackUrl: 7 }],
  ])('a bad %s is refused and not echoed: %j', (field, body) => {
    const result = fields.parse(body);
    expect(result).toMatchObject({ ok: false, field });
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });
});

describe('what is read and shown', () => {
  const app = createText(new MemoryReplies());
  const read = (body: unknown) => app.read(new TextEncoder().encode(JSON.stringify(body)), channel, 0);
  const message = { id: '1', chat: 'c', person: 'p', text: 'x' };

  test.each([
    ['an empty id', { ...message, id: '' }],
    ['a long chat', { ...message, chat: 'x'.repeat(201) }],
    ['a long text', { ...message, text: 'x'.repeat(100_001) }],
    ['half a character', { ...message, text: '\ud800' }],
    ['a number', { ...message, person: 7 }],
    ['blanks alone', { ...message, text: ' \n\u00a0' }],
  ])('%s is malformed', (_case, body) => {
    expect(read(body)).toMatchObject([{ kind: 'malformed' }]);
  });

  test('SPEC 13.5: which field, and why, in words', () => {
    const reasonOf = (body: unknown) => read(body).map((one) => 'reason' in one && one.reason);
    expect(reasonOf({ ...message, person: 7 })).toEqual(['person is missing, too long or has the wrong type']);
    expect(reasonOf({ ...message, text: '   ' })).toEqual(['text is blank']);
    expect(reasonOf([])).toEqual(['the body is missing, too long or has the wrong type']);
  });

  test('chats and ids cannot be mixed up in a key', () => {
    const keys = [
      { chat: 'a:b', id: 'c' },
      { chat: 'a', id: 'b:c' },
    ].map((names) => read({ ...message, ...names })[0]);
    expect(new Set(keys.map((one) => one && 'key' in one && one.key)).size).toBe(2);
  });

  test('Markdown stays as it is, with the choices numbered behind it (SPEC 11.4)', () => {
    const choices = [
      { label: 'Start', value: 'a:x:0' },
      { label: 'Keep planning', value: 'a:x:1' },
    ];
    const [piece, ...more] = app.render({ markdown: '**Plan**\n\n- one\n', choices });
    expect(piece?.body).toEqual({ text: '**Plan**\n\n- one\n\n\n1. Start\n2. Keep planning' });
    expect(more).toEqual([]);
  });
});
