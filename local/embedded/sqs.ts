import { type AwsClient, awsClient } from '../../lib/aws/clients.ts';
import { QUEUE } from '../../lib/aws/queue.ts';
import { SettingsError } from '../../lib/domain/errors.ts';
import { startFauxqsOnLoopback } from './fauxqs.ts';
import { startLocked } from './lock.ts';
import { EMBEDDED_AWS, freePort, reason } from './ports.ts';

/** An SQS that runs in this process. */
export interface EmbeddedSqs {
  endpoint: string;
  queueUrl: string;
  deadLetterUrl: string;
  stop(): Promise<void>;
}

async function createQueue(
  client: AwsClient<'sqs'>,
  name: string,
  attributes: Record<string, string>,
): Promise<string> {
  const { QueueUrl = '' } = await client.send('CreateQueue', { QueueName: name });
  await client.send('SetQueueAttributes', { QueueUrl, Attributes: attributes });
  return QueueUrl;
}

async function arnOf(client: AwsClient<'sqs'>, QueueUrl: string): Promise<string> {
  const answer = await client.send('GetQueueAttributes', { QueueUrl, AttributeNames: ['QueueArn'] });
  return answer.Attributes?.QueueArn ?? '';
}

/** Creates a queue for hints and its dead-letter queue, `<name>-dead`, if they are not there. */
export async function createQueues(
  client: AwsClient<'sqs'>,
  name: string,
): Promise<{ queueUrl: string; deadLetterUrl: string }> {
  const deadLetterUrl = await createQueue(client, `${name}-dead`, {
    MessageRetentionPeriod: String(QUEUE.deadLetterRetentionSeconds),
  });
  const deadLetterTargetArn = await arnOf(client, deadLetterUrl);
  const queueUrl = await createQueue(client, name, {
    VisibilityTimeout: String(QUEUE.visibilityTimeoutSeconds),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: QUEUE.maxReceiveCount }),
  });
  return { queueUrl, deadLetterUrl };
}

async function startServer(wanted: number, dataDir: string): Promise<Pick<EmbeddedSqs, 'endpoint' | 'stop'>> {
  const port = await freePort(wanted);
  return startFauxqsOnLoopback({ port, dataDir }).catch((error: unknown) => {
    throw new SettingsError(`The embedded SQS did not start on the data in ${dataDir}: ${reason(error)}`, error);
  });
}

async function withQueues(server: Pick<EmbeddedSqs, 'endpoint' | 'stop'>): Promise<EmbeddedSqs> {
  const client = awsClient('sqs', { ...EMBEDDED_AWS, endpoint: server.endpoint });
  try {
    return { ...server, ...(await createQueues(client, 'conch')) };
  } catch (error) {
    await server.stop();
    throw error;
  } finally {
    client.destroy();
  }
}

/**
 * Starts an embedded SQS with the queues `conch` and `conch-dead`.
 * @param options `port` 0 for a free one; `dataDir` is made if it is not there.
 * @throws {SettingsError} if the port is taken, or the directory or what is in it cannot be used.
 */
export function startEmbeddedSqs(options: { port: number; dataDir: string }): Promise<EmbeddedSqs> {
  return startLocked(options.dataDir, async (directory) => withQueues(await startServer(options.port, directory)));
}
