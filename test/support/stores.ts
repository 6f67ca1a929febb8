import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { inject } from 'vitest';
import { DynamoActions } from '../../lib/aws/actions.ts';
import { DynamoCapacity } from '../../lib/aws/capacity.ts';
import { awsClient } from '../../lib/aws/clients.ts';
import { DynamoInstallations } from '../../lib/aws/installations.ts';
import { KeyFileSecretBox } from '../../lib/aws/keyFileSecrets.ts';
import { DynamoLog } from '../../lib/aws/log.ts';
import { SqsHintQueue } from '../../lib/aws/queue.ts';
import { DynamoSweepCursor } from '../../lib/aws/sweepCursor.ts';
import { createTable, type Table } from '../../lib/aws/table.ts';
import { DynamoTenants } from '../../lib/aws/tenants.ts';
import { DynamoTextReplies } from '../../lib/aws/textReplies.ts';
import { DynamoUsage } from '../../lib/aws/usage.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import { createQueues } from '../../local/embedded/sqs.ts';

/** Long limits: a test machine may be busy, and what is tested is not its speed. */
const PATIENT = { ...EMBEDDED_AWS, connectionTimeoutMs: 10_000, requestTimeoutMs: 20_000 };

/** A fresh table with all that lies in it. `client` is the SDK's, to look at it from outside. */
export async function createTableStores(endpoint: string, now: () => number = Date.now) {
  const client = new DynamoDBClient({ ...EMBEDDED_AWS, endpoint });
  const ownClient = awsClient('dynamodb', { ...PATIENT, endpoint });
  const onceClient = awsClient('dynamodb', { ...PATIENT, endpoint, maxAttempts: 1 });
  const table: Table = { client: ownClient, name: `conch-${randomBytes(6).toString('hex')}` };
  await createTable(table);
  return {
    client,
    table,
    tableName: table.name,
    log: new DynamoLog(table),
    tenants: new DynamoTenants(table),
    installations: new DynamoInstallations(table),
    actions: new DynamoActions(table),
    capacity: new DynamoCapacity(table),
    usage: new DynamoUsage(table, onceClient),
    cursor: new DynamoSweepCursor(table),
    textReplies: new DynamoTextReplies(table, now),
    close() {
      client.destroy();
      ownClient.destroy();
      onceClient.destroy();
    },
  };
}

/** Fresh queues, as the stack makes them. `sqs` is the SDK's client, to look at them from outside. */
export async function createQueueStores(endpoint: string) {
  const sqs = new SQSClient({ ...EMBEDDED_AWS, endpoint });
  const ownSqs = awsClient('sqs', { ...PATIENT, endpoint });
  const { queueUrl, deadLetterUrl } = await createQueues(ownSqs, `test-${randomBytes(6).toString('hex')}`);
  return { sqs, ownSqs, queue: new SqsHintQueue(ownSqs, queueUrl), queueUrl, deadLetterUrl };
}

/** Secrets sealed with a fresh key file. */
function createSecrets() {
  const directory = mkdtempSync(join(tmpdir(), 'conch-key-'));
  const secrets = KeyFileSecretBox.open(join(directory, 'keys', 'secrets.key'));
  return { secrets, closeSecrets: () => rmSync(directory, { recursive: true, force: true }) };
}

/**
 * Everything that is stored, fresh for a test file, on the run's embedded services. Call `close` at the end.
 * @param now the clock of what looks at one by itself.
 */
export async function createStores(now: () => number = Date.now) {
  const [stores, queues] = await Promise.all([
    createTableStores(inject('dynamodbEndpoint'), now),
    createQueueStores(inject('sqsEndpoint')),
  ]);
  const { secrets, closeSecrets } = createSecrets();
  return {
    ...stores,
    ...queues,
    secrets,
    close() {
      stores.close();
      queues.sqs.destroy();
      queues.ownSqs.destroy();
      closeSecrets();
    },
  };
}

export type Stores = Awaited<ReturnType<typeof createStores>>;
