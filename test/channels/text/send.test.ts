import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createText } from '../../../lib/channels/text/index.ts';
import { verify } from '../../../lib/channels/text/verify.ts';
import type { Channel, Piece } from '../../../lib/ports/chatApp.ts';
import { channel, MemoryReplies } from './channel.ts';

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
    [403, {}, { kind: 'dead', scope: 'chat' }],
    [400, {}, { kind: 'dead', scope: 'message' }],
    [413, {}, { kind: 'dead', scope: 'message' }],
    [0, {}, { kind: 'unknown', reason: 'timeout' }],
  ])('status %i means what it means in every app (SPEC 13.6)', async (status, headers, expected) => {
    const { received, channel: withCallback } = await callback(status, headers);
    const sender = createText(new MemoryReplies()).sender(withCallback);
    const result = await sender.post(TO, piece('hi'), { ...OPTIONS, timeoutMs: status ? 2_000 : 200 });
    expect(result).toMatchObject(expected);
    expect(received).toHaveLength(1);
  });
});
