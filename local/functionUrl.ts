import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import type { HttpAnswer, HttpFunction } from '../functions/functionUrl.ts';

/** More than any function takes (it refuses over 1 MB itself); Lambda's own limit is 6 MB. */
const MAX_BODY_BYTES = 6_000_000;

/** An HTTP request as Lambda gives it to a function behind a Function URL: the body in base64, as it came. */
function functionUrlEvent(request: IncomingMessage, url: URL, body: Buffer): LambdaFunctionURLEvent {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : (value ?? ''),
    ]),
  );
  const { cookie, ...others } = headers;
  const now = Date.now();
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    headers: others,
    ...(cookie === undefined ? {} : { cookies: cookie.split('; ') }),
    queryStringParameters: Object.fromEntries(url.searchParams),
    body: body.toString('base64'),
    isBase64Encoded: true,
    requestContext: {
      ...{ accountId: 'anonymous', apiId: 'local', domainName: 'localhost' },
      ...{ domainPrefix: 'local', requestId: String(now), routeKey: '$default', stage: '$default', timeEpoch: now },
      time: new Date(now).toISOString(),
      http: {
        ...{ method: request.method ?? 'GET', path: url.pathname, protocol: 'HTTP/1.1' },
        ...{ sourceIp: request.socket.remoteAddress ?? '', userAgent: headers['user-agent'] ?? '' },
      },
    },
  };
}

/** Answers one HTTP request by a function, as its Function URL would. */
export async function serve(handler: HttpFunction, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url: path = '' } = request;
  const url = path.startsWith('/') ? URL.parse(`http://localhost${path}`) : null;
  if (!url) return send(response, { statusCode: 400, body: '{"message":"This is no path."}' });
  const body = await readBody(request);
  if (!body) return send(response, { statusCode: 413, body: '{"message":"The body is too large."}' });
  send(response, await handler(functionUrlEvent(request, url, body)));
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
}

function send(response: ServerResponse, answer: HttpAnswer): void {
  const body = Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8');
  const cookies = answer.cookies?.length ? { 'set-cookie': answer.cookies } : {};
  response.writeHead(answer.statusCode, { ...answer.headers, ...cookies });
  response.end(body);
}
