import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { postText } from '../../../lib/channels/shared/http.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

test('SPEC 13.6: an answer that does not end is read no further than 1 MB, and nobody knows what it says', async () => {
  const chunk = Buffer.alloc(65_536, 97);
  const closed = Promise.withResolvers<void>();
  let sent = 0;
  server = createServer((_request, response) => {
    response.writeHead(200).on('close', () => closed.resolve());
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on('drain', more);
    more();
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const outcome = await postText(`http://127.0.0.1:${port}/`, '{}', {}, AbortSignal.timeout(10_000));
  expect(outcome).toEqual({ kind: 'unknown', reason: 'ANSWER_TOO_LONG' });
  await closed.promise;
  expect(sent).toBeLessThan(20_000_000);
});

test('SPEC 13.6: an answer that changes the protocol ends the request, and nobody knows what became of it', async () => {
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: x', 'Connection: Upgrade', '', ''].join('\r\n');
  server = createServer().on('connection', (socket) => socket.once('data', () => socket.write(head)));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const outcome = await postText(`http://127.0.0.1:${port}/`, '{}', {}, AbortSignal.timeout(10_000));
  expect(outcome).toEqual({ kind: 'unknown', reason: 'UNWANTED_UPGRADE' });
});
