import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type AwsClient, awsClient } from '../../lib/aws/clients.ts';
import { parseHint, SqsHintQueue } from '../../lib/aws/queue.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import { type QueueUnderTest, queueContract } from '../contracts/queue.ts';
import { createQueueStores } from '../support/stores.ts';

type Queues = Awaited<ReturnType<typeof createQueueStores>>;
const opened: Queues[] = [];
afterAll(() => {
  for (const { sqs, ownSqs } of opened) {
    sqs.destroy();
    ownSqs.destroy();
  }
});

async function openQueue(): Promise<Queues> {
  const queues = await createQueueStores(inject('sqsEndpoint'));
  opened.push(queues);
  return queues;
}

async function queueUnderTest(): Promise<QueueUnderTest> {
  const { sqs, queue, queueUrl } = await openQueue();
  const receiveOnce = () =>
    sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, VisibilityTimeout: 2, MaxNumberOfMessages: 1 }));
  return {
    queue,
    async receive(waitMs) {
      const deadline = Date.now() + waitMs;
      for (;;) {
        const [message] = (await receiveOnce()).Messages ?? [];
        if (message) return { hint: parseHint(message.Body), receipt: message.ReceiptHandle ?? '' };
        if (Date.now() >= deadline) return undefined;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async delete(receipt) {
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receipt }));
    },
  };
}

/** A queue whose requests go nowhere, and the inputs that it was given. */
function recordedQueue(): { queue: SqsHintQueue; inputs: Record<string, unknown>[] } {
  const inputs: Record<string, unknown>[] = [];
  const client = {
    send: async (_operation: string, input: Record<string, unknown>) => {
      inputs.push(input);
    },
  };
  return { queue: new SqsHintQueue(client as unknown as AwsClient<'sqs'>, 'url'), inputs };
}

describe('hints on SQS', () => {
  queueContract(queueUnderTest);

  test('the group is the tenant, within what SQS allows, another for each (DESIGN 3)', async () => {
    const { queue, inputs } = recordedQueue();
    const tenants = ['acme', 'a'.repeat(128), 'a'.repeat(129), 'a'.repeat(130), 'ü', 'a b', 'sha256.x'];
    for (const tenant of tenants) await queue.send({ tenant, place: 'p' });
    const groups = inputs.map((input) => String(input.MessageGroupId));
    expect(groups.slice(0, 2)).toEqual(tenants.slice(0, 2));
    expect(new Set(groups).size).toBe(tenants.length);
    for (const group of groups) expect(group).toMatch(/^[\w.-]{1,128}$/);
  });

  test('times are whole seconds within what SQS allows, rounded up (DESIGN 3)', async () => {
    const { queue, inputs } = recordedQueue();
    for (const ms of [0, 1, 1_000, 1_001, 900_000, 9e9]) await queue.send({ tenant: 't', place: 'p' }, ms);
    expect(inputs.splice(0).map((input) => input.DelaySeconds)).toEqual([0, 1, 1, 2, 900, 900]);
    for (const ms of [-5, 0, 1, 1_001, 43_200_000, 9e9]) await queue.hold('r', ms);
    expect(inputs.map((input) => input.VisibilityTimeout)).toEqual([1, 1, 1, 2, 43_200, 43_200]);
  });

  test('a body is ASCII', async () => {
    const { queue, inputs } = recordedQueue();
    const hint = { tenant: 'ü\u007f', place: '👋\ud800' };
    await queue.send(hint);
    expect(inputs[0]?.MessageBody).toMatch(/^[\x20-\x7e]+$/);
    expect(parseHint(String(inputs[0]?.MessageBody))).toEqual(hint);
  });

  test.each([
    undefined,
    '',
    'x',
    '{',
    'null',
    '[]',
    '{}',
    '{"tenant":"t"}',
    '{"tenant":"","place":"p"}',
    '{"tenant":1,"place":"p"}',
  ])('no hint is read from %j', (body) => expect(parseHint(body)).toBeUndefined());

  test('fields of a newer version are passed over (SPEC 2.5)', () => {
    expect(parseHint('{"tenant":"t","place":"p","later":1}')).toEqual({ tenant: 't', place: 'p' });
  });

  test('a hint that is received 20 times without being deleted goes to the dead letters (DESIGN 3)', async () => {
    const { sqs, queue, queueUrl, deadLetterUrl } = await openQueue();
    await queue.send({ tenant: 't', place: 'poison' });
    for (let n = 0; n < 20; n++) {
      const take = new ReceiveMessageCommand({ QueueUrl: queueUrl, VisibilityTimeout: 0 });
      expect((await sqs.send(take)).Messages).toHaveLength(1);
    }
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }));
    const dead = await sqs.send(new ReceiveMessageCommand({ QueueUrl: deadLetterUrl }));
    expect(parseHint(dead.Messages?.[0]?.Body)).toEqual({ tenant: 't', place: 'poison' });
  });
});

describe('faults of SQS', () => {
  let away: AwsClient<'sqs'>;
  beforeAll(() => {
    away = awsClient('sqs', { ...EMBEDDED_AWS, endpoint: 'http://127.0.0.1:9', maxAttempts: 1 });
  });
  afterAll(() => away.destroy());

  test('a queue that cannot be reached throws with code and cause', async () => {
    const send = new SqsHintQueue(away, 'http://127.0.0.1:9/0/q').send({ tenant: 't', place: 'p' });
    await expect(send).rejects.toMatchObject({ code: 'sqs-unavailable', retryable: true, cause: expect.any(Error) });
  });

  test('a receipt that is none is refused for good', async () => {
    const { queue } = await openQueue();
    await expect(queue.hold('no receipt', 5_000)).rejects.toMatchObject({ code: 'sqs-failed', retryable: false });
  });
});
