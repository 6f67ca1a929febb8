import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { type AwsOptions, awsClient } from '../../lib/aws/clients.ts';
import { endpointOf } from '../../lib/aws/environment.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import { createQueueStores, createTableStores } from '../support/stores.ts';
import { startService } from './service.ts';

const SECRET = 'the-secret-access-key-of-the-tests';
const TOKEN = 'the-session-token-of-the-tests';
const OWN = { region: 'us-east-1', credentials: { accessKeyId: 'AKID', secretAccessKey: SECRET, sessionToken: TOKEN } };
const OK = '{"Item":{"pk":{"S":"ä👋"}}}';

const ends: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  for (const end of ends.splice(0)) end();
});

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

const succeed: Answer = (response) => response.writeHead(200).end(OK);
const refuse =
  (status: number, type: string, more: object = {}): Answer =>
  (response) =>
    response.writeHead(status).end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, ...more }));

/** A client of a service that gives these answers one after the other, then successes. */
async function clientOf(answers: Answer[], options: AwsOptions = {}) {
  const listener: RequestListener = (request, response) => (answers.shift() ?? succeed)(response, request);
  const service = await startService(listener);
  const client = awsClient('dynamodb', { ...OWN, endpoint: service.endpoint, requestTimeoutMs: 300, ...options });
  ends.push(() => client.destroy(), service.stop);
  return { service, client, get: () => client.send('GetItem', { TableName: 't', Key: { pk: { S: 'x' } } }) };
}

/** What the request's error is. */
const errorOf = (sent: Promise<unknown>) =>
  sent.then(
    () => expect.unreachable('It succeeded'),
    (error: Error) => error,
  );

describe('a request is tried again', () => {
  const cutShort: Answer = (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"Item"');
    setTimeout(() => response.socket?.resetAndDestroy(), 20);
  };

  test.each<[string, Answer]>([
    ['a time-out', () => undefined],
    ['an answer that stops in its middle', (response) => response.writeHead(200).write('{"It')],
    ['a fault of the service', refuse(500, 'InternalServerError')],
    ['a 503 without JSON', (response) => response.writeHead(503).end('<html>busy</html>')],
    ['a throttled table', refuse(400, 'ProvisionedThroughputExceededException')],
    ['a throttled account', refuse(400, 'ThrottlingException')],
    ['too many requests', refuse(400, 'RequestLimitExceeded')],
    ['a status of 429', (response) => response.writeHead(429).end()],
    ['a transaction under way', refuse(400, 'TransactionInProgressException')],
    ['a reset before the answer', (response) => response.socket?.resetAndDestroy()],
    ['a reset in the middle of the answer', cutShort],
    ['an answer that is no JSON', (response) => response.writeHead(200).end('{"Item":')],
  ])('after %s', async (_what, answer) => {
    const { service, get } = await clientOf([answer]);
    expect(await get()).toEqual(JSON.parse(OK));
    expect(service.requests).toBe(2);
  });

  test('after a reset of a connection that was idle', async () => {
    const { service, get } = await clientOf([succeed, (response) => response.socket?.resetAndDestroy()]);
    await get();
    expect(await get()).toEqual(JSON.parse(OK));
    expect(service.requests).toBe(3);
    expect(service.sockets.size).toBe(2);
  });

  test('but no more often than it may be', async () => {
    const { service, get } = await clientOf(Array(5).fill(refuse(500, 'InternalServerError')), { maxAttempts: 2 });
    expect(await errorOf(get())).toMatchObject({ name: 'InternalServerError', status: 500, retryable: true });
    expect(service.requests).toBe(2);
  });

  test('but not once it was given up', async () => {
    const { service, client } = await clientOf([() => undefined], { requestTimeoutMs: 10_000 });
    const given = new AbortController();
    const sent = client.send('DescribeTable', { TableName: 't' }, { abortSignal: given.signal });
    setTimeout(() => given.abort(), 50);
    await errorOf(sent);
    expect(service.requests).toBe(1);
  });
});

describe('connections', () => {
  test('one that was idle for more than 4 s is not used again, as after a freeze of the function', async () => {
    const { service, get } = await clientOf([]);
    await get();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_900 });
    await get();
    expect(service.sockets.size).toBe(1);
    vi.setSystemTime(Date.now() + 4_100);
    await get();
    expect(service.sockets.size).toBe(2);
  });

  test('an address that lets nobody connect is given up after its time', async () => {
    const client = awsClient('dynamodb', {
      ...{ ...OWN, endpoint: 'http://192.0.2.1', maxAttempts: 1, connectionTimeoutMs: 100, requestTimeoutMs: 5_000 },
    });
    ends.push(() => client.destroy());
    const began = Date.now();
    const error = await errorOf(client.send('DescribeTable', { TableName: 't' }));
    expect(error).toMatchObject({ retryable: true, status: undefined });
    expect(Date.now() - began).toBeLessThan(3_000);
  });
});

describe('what a service refuses', () => {
  test('is an error with the exception’s short name, and not asked again', async () => {
    const { service, get } = await clientOf([refuse(400, 'ResourceNotFoundException', { message: 'no table' })]);
    const facts = { name: 'ResourceNotFoundException', message: 'no table', status: 400, retryable: false };
    expect(await errorOf(get())).toMatchObject(facts);
    expect(service.requests).toBe(1);
  });

  test('the name may stand in a header, with an address', async () => {
    const header = { 'x-amzn-errortype': 'AccessDeniedException:http://internal.amazon.com/coral/' };
    const { get } = await clientOf([(response) => response.writeHead(400, header).end()]);
    expect(await errorOf(get())).toMatchObject({ name: 'AccessDeniedException' });
  });

  test.each(['null', '[]', '"x"', '<html>', ''])('an answer of %j gives its status', async (body) => {
    const { get } = await clientOf([(response) => response.writeHead(403).end(body)]);
    expect(await errorOf(get())).toMatchObject({ name: 'Status403', retryable: false });
  });

  test('a condition that failed gives the item', async () => {
    const { get } = await clientOf([refuse(400, 'ConditionalCheckFailedException', { Item: { pk: { S: 'y' } } })]);
    expect(await errorOf(get())).toMatchObject({ retryable: false, Item: { pk: { S: 'y' } } });
  });
});

describe('a clock that is wrong', () => {
  const HOUR_MS = 3_600_000;
  /** Refuses what is signed for a time that is more than 5 minutes off. */
  const strict =
    (type: string, aheadMs: number): Answer =>
    (response, request) => {
      const now = Date.now() + aheadMs;
      const stamp = String(request.headers['x-amz-date']).replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
      if (Math.abs(Date.parse(stamp) - now) < 300_000) return succeed(response, request);
      response.setHeader('date', new Date(now).toUTCString());
      return refuse(400, type)(response, request);
    };

  test.each([
    ['RequestTimeTooSkewed', HOUR_MS],
    ['InvalidSignatureException', -HOUR_MS],
  ])('%s is corrected by the service’s time, and stays so', async (type, aheadMs) => {
    const { service, get } = await clientOf(Array(9).fill(strict(type, aheadMs)), { maxAttempts: 2 });
    await Promise.all([get(), get()]);
    expect(service.requests).toBe(4);
    await get();
    expect(service.requests).toBe(5);
  });

  test('a signature that is wrong at the right time is not tried again', async () => {
    const wrong: Answer = (response, request) => {
      response.setHeader('date', new Date().toUTCString());
      return refuse(403, 'InvalidSignatureException')(response, request);
    };
    const { service, get } = await clientOf([wrong, wrong]);
    expect(await errorOf(get())).toMatchObject({ name: 'InvalidSignatureException', retryable: false });
    expect(service.requests).toBe(1);
  });
});

describe('credentials and addresses', () => {
  test.each(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'])('without %s no client is made', (missing) => {
    const all = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: SECRET, AWS_REGION: 'us-east-1' };
    for (const [name, value] of Object.entries({ ...all, AWS_DEFAULT_REGION: '', [missing]: '' })) {
      vi.stubEnv(name, value);
    }
    expect(() => awsClient('dynamodb')).toThrow(
      expect.objectContaining({ code: 'settings', message: expect.stringContaining(missing) }),
    );
  });

  test('those of the environment sign, the role’s token with them', async () => {
    const headers: IncomingMessage['headers'][] = [];
    const service = await startService((request, response) => {
      headers.push(request.headers);
      response.writeHead(200).end('{}');
    });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'ENVKEY');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET);
    vi.stubEnv('AWS_SESSION_TOKEN', TOKEN);
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    vi.stubEnv('AWS_ENDPOINT_URL_KMS', service.endpoint);
    const client = awsClient('kms');
    ends.push(() => client.destroy(), service.stop);
    await client.send('Decrypt', { CiphertextBlob: 'AAAA' });
    expect(headers).toMatchObject([
      {
        'x-amz-target': 'TrentService.Decrypt',
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-security-token': TOKEN,
        authorization: expect.stringMatching(/Credential=ENVKEY\/\d{8}\/eu-west-1\/kms\/aws4_request/),
      },
    ]);
  });

  test.each([
    ['us-east-1', 'https://dynamodb.us-east-1.amazonaws.com'],
    ['us-gov-west-1', 'https://dynamodb.us-gov-west-1.amazonaws.com'],
    ['cn-north-1', 'https://dynamodb.cn-north-1.amazonaws.com.cn'],
    ['us-iso-east-1', 'https://dynamodb.us-iso-east-1.c2s.ic.gov'],
    ['us-isob-east-1', 'https://dynamodb.us-isob-east-1.sc2s.sgov.gov'],
    ['eusc-de-east-1', 'https://dynamodb.eusc-de-east-1.amazonaws.eu'],
  ])('DynamoDB of %s', (region, endpoint) => expect(endpointOf('dynamodb', region, {})).toBe(endpoint));

  test('no error holds a key or the role’s token, also when the service repeats the request (SPEC 14.2)', async () => {
    const echo: Answer = (response, request) =>
      refuse(403, 'InvalidSignatureException', { message: JSON.stringify(request.headers) })(response, request);
    const answers: Answer[] = [echo, (response) => response.socket?.resetAndDestroy(), () => undefined];
    const { get, client } = await clientOf(answers, { maxAttempts: 1, requestTimeoutMs: 50 });
    const errors = [await errorOf(get()), await errorOf(get()), await errorOf(get())];
    const shown = inspect([errors, client], { depth: 9, showHidden: true }) + JSON.stringify(errors);
    for (const secret of [SECRET, TOKEN]) expect(shown).not.toContain(secret);
  });
});

describe('the embedded services', () => {
  test('DynamoDB takes and gives text, numbers and bytes, and tells what was in the way', async () => {
    const { table, client: sdk, close } = await createTableStores(inject('dynamodbEndpoint'));
    const { client, name: TableName } = table;
    const Item = { pk: { S: randomUUID() }, sk: { S: 'ä👋' }, n: { N: '-1.5' }, b: { B: 'AP8=' } };
    const ConditionExpression = 'attribute_not_exists(pk)';
    const put = { TableName, Item, ConditionExpression, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
    await client.send('PutItem', put);
    const Key = { pk: Item.pk, sk: Item.sk };
    expect((await client.send('GetItem', { TableName, Key, ConsistentRead: true })).Item).toEqual(Item);
    const error = await errorOf(client.send('PutItem', put));
    expect(error).toMatchObject({ name: 'ConditionalCheckFailedException', Item });
    sdk.destroy();
    close();
  });

  test('SQS takes and gives messages, and names a queue that is not there', async () => {
    const { ownSqs, sqs, queueUrl: QueueUrl } = await createQueueStores(inject('sqsEndpoint'));
    await ownSqs.send('SendMessage', { QueueUrl, MessageBody: 'ä' });
    expect((await ownSqs.send('ReceiveMessage', { QueueUrl })).Messages).toMatchObject([{ Body: 'ä' }]);
    const missing = ownSqs.send('SendMessage', { QueueUrl: `${QueueUrl}-not`, MessageBody: 'x' });
    expect(await errorOf(missing)).toMatchObject({ name: expect.stringContaining('QueueDoesNotExist'), status: 400 });
    for (const one of [ownSqs, sqs]) one.destroy();
  });

  test('an operation without a table is the service’s own error', async () => {
    const client = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: inject('dynamodbEndpoint') });
    ends.push(() => client.destroy());
    const error = await errorOf(client.send('DescribeTable', { TableName: 'not-there' }));
    expect(error).toMatchObject({ name: 'ResourceNotFoundException', retryable: false });
  });
});
