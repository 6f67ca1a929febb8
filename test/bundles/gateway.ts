import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Permissions } from '../../infra/permissions.ts';

/** Addresses of the services behind the gateway. */
export interface Services {
  dynamodb: string;
  sqs: string;
  kms: string;
}

interface Request {
  IndexName?: string;
  Key?: { pk: { S: string } };
  EncryptionContext?: Record<string, string>;
}

/** Each service's name in the header that names the action, and in the policy. */
const SERVICES: Record<string, keyof Services> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  TrentService: 'kms',
};

/**
 * Stands between one function and AWS's services, as its role does: what `PERMISSIONS` does not allow is refused. It has
 * no opinion on tables, queues and keys other than the function's own, of which the tests have none.
 */
export async function startGateway(permissions: Permissions, services: Services) {
  const refused: string[] = [];
  const used = new Set<string>();
  const state = { refused, used, sqsDown: false };
  const server = createServer(async (request, response) => {
    const [prefix = '', action = ''] = String(request.headers['x-amz-target']).split('.');
    const service = SERVICES[prefix];
    const body = await bodyOf(request);
    if (!service || !allows(permissions, service, action, JSON.parse(body.toString()))) {
      refused.push(`${prefix}.${action}`);
      return answer(response, 400, { __type: 'AccessDeniedException', message: 'not authorized' });
    }
    used.add(`${service}:${action}`);
    if (service === 'sqs' && state.sqsDown) return answer(response, 400, { __type: 'com.amazon.sqs#OverLimit' });
    await forward(services[service], request, body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return Object.assign(state, { endpoint, stop });
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

function allows(permissions: Permissions, service: keyof Services, action: string, request: Request): boolean {
  const named = (actions: readonly string[] | undefined) => actions?.includes(action) === true;
  if (service === 'sqs') return named(permissions.queue);
  if (service === 'kms') return named(permissions.key?.actions) && isBound(request, permissions.key?.notOwner);
  if (request.IndexName !== undefined) {
    return action === 'Query' && permissions.indexes?.some((name) => name === request.IndexName) === true;
  }
  return permissions.table.some(
    ({ actions, partition }) => named(actions) && (partition === undefined || request.Key?.pk.S === partition),
  );
}

function isBound({ EncryptionContext = {} }: Request, notOwner: readonly string[] = []): boolean {
  const isForbidden = notOwner.some((pattern) => EncryptionContext.owner?.startsWith(pattern.replace('*', '')));
  return Object.keys(EncryptionContext).sort().join() === 'owner,tenant' && !isForbidden;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
}

async function forward(to: string, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
  const { host: _h, connection: _c, 'content-length': _l, ...headers } = request.headers;
  const answered = await fetch(to, {
    method: 'POST',
    headers: headers as Record<string, string>,
    body: new Uint8Array(body),
  });
  const type = answered.headers.get('content-type') ?? 'application/x-amz-json-1.0';
  response.writeHead(answered.status, { 'content-type': type }).end(Buffer.from(await answered.arrayBuffer()));
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
}
