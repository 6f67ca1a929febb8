import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server answers to a request; `hang`: nothing, ever. */
export type WebAnswer = { status?: number; headers?: Record<string, string>; body: unknown } | 'hang';

/** A small server on a free port that answers as told and records what it was asked. */
export async function webServer(answer: (request: IncomingMessage, url: URL) => WebAnswer) {
  const requests: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    requests.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
    const given = answer(request, new URL(request.url ?? '', 'http://stand-in'));
    if (given === 'hang') return;
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers });
    response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    requests,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
