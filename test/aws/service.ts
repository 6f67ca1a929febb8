import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A service that answers as it is told; `sockets` are the connections made to it. */
export async function startService(listener: RequestListener) {
  const state = { requests: 0, sockets: new Set<Socket>() };
  const server = createServer((request, response) => {
    state.requests += 1;
    listener(request.resume(), response);
  });
  server.on('connection', (socket) => state.sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
