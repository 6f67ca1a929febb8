import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { QUEUE } from '../lib/aws/queue.ts';
import { TABLE } from '../lib/aws/table.ts';

/** What is stored, and what waits. */
export interface Stores {
  table: Table;
  secretsKey: Key;
  hints: Queue;
  deadLetters: Queue;
}

/** AWS advises six times the function's time limit. */
const DEAD_LETTER_VISIBILITY = Duration.minutes(6);

export function createStores(scope: Construct): Stores {
  return { table: createTable(scope), secretsKey: createSecretsKey(scope), ...createQueues(scope) };
}

const attribute = ({ name, type }: { name: string; type: 'S' | 'N' }) => ({
  name,
  type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER,
});

/** The one table: it outlives the stack, and can be put back to any second of the last 35 days. */
function createTable(scope: Construct): Table {
  const table = new Table(scope, 'Table', {
    partitionKey: attribute(TABLE.partitionKey),
    sortKey: attribute(TABLE.sortKey),
    timeToLiveAttribute: TABLE.ttlAttribute,
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  for (const index of TABLE.indexes) {
    table.addGlobalSecondaryIndex({
      indexName: index.name,
      partitionKey: attribute(index.partitionKey),
      sortKey: attribute(index.sortKey),
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }
  return table;
}

/** Seals tenants' secrets. It outlives the stack as the table does: what it has sealed opens with nothing else. */
function createSecretsKey(scope: Construct): Key {
  return new Key(scope, 'SecretsKey', {
    description: 'Seals bot tokens and provider keys of Conch, bound to their tenants',
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}

/** The hints, and those that were received too often. The log holds the work itself, so that neither is kept. */
function createQueues(scope: Construct): Pick<Stores, 'hints' | 'deadLetters'> {
  const safe = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
  const deadLetters = new Queue(scope, 'DeadLettersQueue', {
    ...safe,
    visibilityTimeout: DEAD_LETTER_VISIBILITY,
    retentionPeriod: Duration.seconds(QUEUE.deadLetterRetentionSeconds),
  });
  const hints = new Queue(scope, 'HintsQueue', {
    ...safe,
    visibilityTimeout: Duration.seconds(QUEUE.visibilityTimeoutSeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: QUEUE.maxReceiveCount },
  });
  return { hints, deadLetters };
}
