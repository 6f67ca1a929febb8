import { DynamoActions } from '../lib/aws/actions.ts';
import { DynamoCapacity } from '../lib/aws/capacity.ts';
import { awsClient } from '../lib/aws/clients.ts';
import { DynamoInstallations } from '../lib/aws/installations.ts';
import { DynamoLog } from '../lib/aws/log.ts';
import { SqsHintQueue } from '../lib/aws/queue.ts';
import { DynamoSweepCursor } from '../lib/aws/sweepCursor.ts';
import { DynamoTenants } from '../lib/aws/tenants.ts';
import { DynamoTextReplies } from '../lib/aws/textReplies.ts';
import { DynamoUsage } from '../lib/aws/usage.ts';
import { TenantDirectory } from '../lib/tenants/directory.ts';
import { logger } from './runtime.ts';
import { required, type Settings } from './settings.ts';

/** The stores on DynamoDB. */
export function createStores(settings: Settings) {
  const endpoint = settings.CONCH_DYNAMODB_ENDPOINT;
  const options = endpoint === undefined ? {} : { endpoint };
  const client = awsClient('dynamodb', options);
  const table = { client, name: settings.CONCH_TABLE };
  const tenants = new DynamoTenants(table, logger);
  return {
    log: new DynamoLog(table),
    tenants,
    directory: new TenantDirectory(tenants),
    installations: new DynamoInstallations(table),
    actions: new DynamoActions(table),
    capacity: new DynamoCapacity(table),
    usage: new DynamoUsage(table, awsClient('dynamodb', { ...options, maxAttempts: 1 })),
    cursor: new DynamoSweepCursor(table),
    textReplies: new DynamoTextReplies(table),
  };
}

/** The queue of hints on SQS. */
export function createQueue(settings: Settings): SqsHintQueue {
  const endpoint = settings.CONCH_SQS_ENDPOINT;
  const client = awsClient('sqs', endpoint === undefined ? {} : { endpoint });
  return new SqsHintQueue(client, required(settings, 'CONCH_QUEUE_URL'));
}
