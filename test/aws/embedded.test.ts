import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, test } from 'vitest';
import { awsClient } from '../../lib/aws/clients.ts';
import { DynamoLog } from '../../lib/aws/log.ts';
import { SqsHintQueue } from '../../lib/aws/queue.ts';
import { createTable } from '../../lib/aws/table.ts';
import { startDynalite } from '../../local/embedded/dynalite.ts';
import { startEmbeddedDynamo } from '../../local/embedded/dynamodb.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import { startEmbeddedSqs } from '../../local/embedded/sqs.ts';
import { freshPlace, storedEvent } from '../contracts/log.ts';

const directory = mkdtempSync(join(tmpdir(), 'conch-embedded-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let directories = 0;
const newDirectory = () => join(directory, String(++directories));
const settingsError = (words: RegExp) =>
  expect.objectContaining({ code: 'settings', message: expect.stringMatching(words) });

async function withLog<T>(endpoint: string, use: (log: DynamoLog) => Promise<T>): Promise<T> {
  const client = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint });
  try {
    await createTable({ client, name: 'conch' });
    return await use(new DynamoLog({ client, name: 'conch' }));
  } finally {
    client.destroy();
  }
}

const sqsClient = (endpoint: string) => new SQSClient({ ...EMBEDDED_AWS, endpoint });

async function receiveAll(endpoint: string, QueueUrl: string): Promise<string[]> {
  const client = sqsClient(endpoint);
  const answer = await client.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
  );
  client.destroy();
  return (answer.Messages ?? []).map((message) => message.Body ?? '');
}

async function untilSilent(endpoint: string): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (Date.now() < deadline) {
    const silent = await fetch(endpoint).then(
      () => false,
      () => true,
    );
    if (silent) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('It still answers');
}

/** Starts both services in a process of their own. */
async function startChild(dataDir: string) {
  const program = fileURLToPath(new URL('./embeddedChild.ts', import.meta.url));
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
  return { child, ...(JSON.parse(line) as { dynamodb: string; sqs: string; queueUrl: string }) };
}

async function takenPort(): Promise<{ port: number; close(): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, close: () => server.close() };
}

const SERVICES = [
  { service: 'DynamoDB', start: startEmbeddedDynamo, file: 'dynamodb.sqlite' },
  { service: 'SQS', start: startEmbeddedSqs, file: 'fauxqs.db' },
];

describe.each(SERVICES)('the embedded $service', ({ start, file }) => {
  test('a port that is taken is a wrong setting', async () => {
    const { port, close } = await takenPort();
    await expect(start({ port, dataDir: newDirectory() })).rejects.toEqual(settingsError(new RegExp(`Port ${port}`)));
    close();
  });

  test('a directory that cannot be made is a wrong setting', async () => {
    const blocked = newDirectory();
    writeFileSync(blocked, '');
    const started = start({ port: 0, dataDir: join(blocked, 'data') });
    await expect(started).rejects.toEqual(settingsError(/cannot be written/));
  });

  test('data that are none are a wrong setting, and stay as they are', async () => {
    const dataDir = newDirectory();
    mkdirSync(dataDir);
    const content = 'this is no database, whatever its name says'.repeat(100);
    writeFileSync(join(dataDir, file), content);
    await expect(start({ port: 0, dataDir })).rejects.toEqual(settingsError(/did not start/));
    expect(readFileSync(join(dataDir, file), 'utf8')).toBe(content);
  });

  test('a data directory serves one process at a time, and is free after a stop', async () => {
    const dataDir = newDirectory();
    const first = await start({ port: 0, dataDir });
    await expect(start({ port: 0, dataDir })).rejects.toEqual(settingsError(/in use/));
    await first.stop();
    await untilSilent(first.endpoint);
    await (await start({ port: 0, dataDir })).stop();
  });

  test('it listens on the loopback address only', async (context) => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal);
    if (!outside) return context.skip('this machine has no other address');
    const started = await start({ port: 0, dataDir: newDirectory() });
    const { port } = new URL(started.endpoint);
    await expect(fetch(`http://${outside.address}:${port}/`)).rejects.toThrow();
    await started.stop();
  });
});

test('a process that is killed takes its services along and loses nothing that was acknowledged (DESIGN 5)', async () => {
  const dataDir = newDirectory();
  const { child, dynamodb, sqs, queueUrl } = await startChild(dataDir);
  const place = freshPlace();
  await withLog(dynamodb, (log) => log.append(place, storedEvent(1)));
  const client = awsClient('sqs', { ...EMBEDDED_AWS, endpoint: sqs });
  const queue = new SqsHintQueue(client, queueUrl);
  await queue.send({ tenant: 't', place: 'p' });
  await queue.send({ tenant: 't', place: 'delayed' }, 1_000);
  child.kill('SIGKILL');
  await Promise.all([untilSilent(dynamodb), untilSilent(sqs)]);
  client.destroy();

  const again = await startEmbeddedDynamo({ port: Number(new URL(dynamodb).port), dataDir: join(dataDir, 'dynamodb') });
  expect(await withLog(again.endpoint, (log) => log.newest(place))).toEqual(storedEvent(1));
  const sqsAgain = await startEmbeddedSqs({ port: 0, dataDir: join(dataDir, 'sqs') });
  const bodies = [];
  for (let tries = 0; bodies.length < 2 && tries < 5; tries++) {
    bodies.push(...(await receiveAll(sqsAgain.endpoint, sqsAgain.queueUrl)));
  }
  expect(bodies.toSorted()).toEqual(['{"tenant":"t","place":"delayed"}', '{"tenant":"t","place":"p"}']);
  await Promise.all([again.stop(), sqsAgain.stop()]);
});

test('dynalite keeps its data over a restart', async () => {
  const path = newDirectory();
  const place = freshPlace();
  const first = await startDynalite({ port: 0, path });
  await withLog(first.endpoint, (log) => log.append(place, storedEvent(1)));
  await first.stop();
  const second = await startDynalite({ port: 0, path });
  expect(await withLog(second.endpoint, (log) => log.newest(place))).toEqual(storedEvent(1));
  await second.stop();
});

test('the queue is as the stack makes it (DESIGN 3)', async () => {
  const sqs = await startEmbeddedSqs({ port: 0, dataDir: newDirectory() });
  const client = sqsClient(sqs.endpoint);
  const attributes = async (QueueUrl: string) =>
    (await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))).Attributes ?? {};
  const dead = await attributes(sqs.deadLetterUrl);
  const queue = await attributes(sqs.queueUrl);
  expect(queue.VisibilityTimeout).toBe('900');
  expect(JSON.parse(queue.RedrivePolicy ?? '{}')).toEqual({ deadLetterTargetArn: dead.QueueArn, maxReceiveCount: 20 });
  client.destroy();
  await sqs.stop();
});

test('a table of another shape is refused', async () => {
  const dynamodb = await startEmbeddedDynamo({ port: 0, dataDir: newDirectory() });
  const client = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: dynamodb.endpoint });
  const sdk = new DynamoDBClient({ ...EMBEDDED_AWS, endpoint: dynamodb.endpoint });
  await sdk.send(
    new CreateTableCommand({
      TableName: 'old',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
  await expect(createTable({ client, name: 'old' })).rejects.toMatchObject({ code: 'wrong-table' });
  client.destroy();
  sdk.destroy();
  await dynamodb.stop();
});
