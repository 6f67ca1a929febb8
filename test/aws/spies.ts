import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Table } from '../../lib/aws/table.ts';

/** What a client was asked for, named as the SDK names its commands. */
export interface Sent {
  name: string;
  input: Record<string, unknown>;
}

type Send = (operation: string, input: object) => Promise<unknown>;

/**
 * The table, seen through a client on which `around` comes between: it gets each command and what does it, and gives the
 * answer.
 */
export function interceptedTable(
  table: Table,
  around: (sent: Sent, proceed: () => Promise<unknown>) => Promise<unknown>,
): Table {
  const send: Send = (operation, input) => {
    const sent = { name: `${operation}Command`, input: input as Record<string, unknown> };
    return around(sent, () => (table.client.send as unknown as Send).call(table.client, operation, input));
  };
  const client = new Proxy(table.client, {
    get: (target, name) => (name === 'send' ? send : Reflect.get(target, name, target)),
  });
  return { ...table, client };
}

/** The table, and what is sent to it. */
export function recordedTable(table: Table): { table: Table; sent: Sent[] } {
  const sent: Sent[] = [];
  const recorded = interceptedTable(table, (command, proceed) => {
    sent.push(command);
    return proceed();
  });
  return { table: recorded, sent };
}

/**
 * A proxy before a service that passes everything on, but loses the answer to the first request with this target, after
 * the service has done it.
 */
export async function startLossyProxy(endpoint: string, target: string) {
  const state = { requests: 0 };
  const server = createServer((request, response) => {
    const { hostname, port } = new URL(endpoint);
    const hit = String(request.headers['x-amz-target']).endsWith(`.${target}`);
    if (hit) state.requests += 1;
    const lose = hit && state.requests === 1;
    const onward = httpRequest({ hostname, port, method: request.method, path: request.url, headers: request.headers });
    onward.on('response', (answer) => {
      if (lose) return answer.resume().on('end', () => request.socket.destroy());
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      return answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
