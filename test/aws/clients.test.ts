import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { call } from '../../lib/aws/calls.ts';
import { type AwsOptions, awsClient } from '../../lib/aws/clients.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import { startService } from './service.ts';

async function describe(endpoint: string, options: AwsOptions = {}, times = 1): Promise<void> {
  const client = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint, ...options });
  try {
    for (let n = 0; n < times; n++) await call('dynamodb', client.send('DescribeTable', { TableName: 't' }));
  } finally {
    client.destroy();
  }
}

const ok: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"Table":{}}');
};

test('a service that hangs is given up after its time, and tried again', async () => {
  const service = await startService(() => undefined);
  const began = Date.now();
  const described = describe(service.endpoint, { requestTimeoutMs: 100, maxAttempts: 2 });
  await expect(described).rejects.toMatchObject({ code: 'dynamodb-unavailable', retryable: true });
  expect(service.requests).toBe(2);
  expect(Date.now() - began).toBeLessThan(3_000);
  service.stop();
});

test('a request is tried three times, unless told otherwise', async () => {
  const service = await startService((_request, response) => response.writeHead(500).end('{}'));
  await expect(describe(service.endpoint)).rejects.toMatchObject({ code: 'dynamodb-unavailable' });
  expect(service.requests).toBe(3);
  await expect(describe(service.endpoint, { maxAttempts: 1 })).rejects.toMatchObject({ retryable: true });
  expect(service.requests).toBe(4);
  service.stop();
});

test('a request that is wrong is not tried again', async () => {
  const body = JSON.stringify({ __type: 'com.amazon.coral.validate#ValidationException', message: 'no' });
  const service = await startService((_request, response) => response.writeHead(400).end(body));
  await expect(describe(service.endpoint)).rejects.toMatchObject({ code: 'dynamodb-failed', retryable: false });
  expect(service.requests).toBe(1);
  service.stop();
});

test('a table that is throttled may answer later', async () => {
  const body = JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException' });
  const service = await startService((_request, response) => response.writeHead(400).end(body));
  await expect(describe(service.endpoint)).rejects.toMatchObject({ code: 'dynamodb-unavailable', retryable: true });
  expect(service.requests).toBe(3);
  service.stop();
});

test('requests one after the other share a connection', async () => {
  const service = await startService(ok);
  await describe(service.endpoint, {}, 3);
  expect(service.requests).toBe(3);
  expect(service.sockets.size).toBe(1);
  service.stop();
});
