import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { afterAll, describe, expect, test } from 'vitest';
import { FUNCTIONS } from '../../infra/bundling.ts';
import { QUEUE } from '../../lib/aws/queue.ts';
import { TABLE } from '../../lib/aws/table.ts';
import { APP_NAMES } from '../../lib/ports/tenants.ts';
import { HASH, synthesise, temporaryApp } from './template.ts';

/** Of the CPU, not of the clock: the machine may be busy. */
const before = process.cpuUsage();
const stack = synthesise({ apiRoots: 'https://bots.example' }, { bundle: true });
const { user, system } = process.cpuUsage(before);

afterAll(() => stack.remove());

const functionOf = (name: string) => stack.of('Lambda::Function', name).Properties;
const sourceOf = (name: string) => stack.of('Lambda::EventSourceMapping', name).Properties;
const queueNamed = (name: string) => stack.of('SQS::Queue', name);

test('to synthesise the stack takes less than 10 s', () => {
  expect((user + system) / 1e6).toBeLessThan(10);
});

describe('the table', () => {
  const table = stack.only('DynamoDB::Table');
  const keys = (of: { partitionKey: { name: string }; sortKey: { name: string } }) => [
    { AttributeName: of.partitionKey.name, KeyType: 'HASH' },
    { AttributeName: of.sortKey.name, KeyType: 'RANGE' },
  ];

  test('has the keys, the types and the indexes of TABLE, as the local run’s has', () => {
    expect(table.Properties.KeySchema).toEqual(keys(TABLE));
    const indexes = TABLE.indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keys(index),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    }));
    expect(table.Properties.GlobalSecondaryIndexes).toEqual(indexes);
    const attributes = [TABLE, ...TABLE.indexes].flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]);
    const types = attributes.map(({ name, type }) => ({ AttributeName: name, AttributeType: type }));
    expect(table.Properties.AttributeDefinitions).toEqual(types);
    expect(table.Properties.TimeToLiveSpecification).toEqual({ AttributeName: TABLE.ttlAttribute, Enabled: true });
  });

  test('is paid by request, can be put back in time, and outlives the stack', () => {
    expect(table.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
    });
    expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });
});

test('the key of the secrets rotates and outlives the stack', () => {
  const key = stack.only('KMS::Key');
  expect(key.Properties.EnableKeyRotation).toBe(true);
  expect(key).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
});

describe('the queues', () => {
  test('the queue of hints is a standard one; what is received too often goes to the dead letters', () => {
    const { Properties } = queueNamed('Hints');
    expect(Properties.FifoQueue).toBeUndefined();
    expect(Properties.VisibilityTimeout).toBe(QUEUE.visibilityTimeoutSeconds);
    expect(Properties.RedrivePolicy).toEqual({
      deadLetterTargetArn: { 'Fn::GetAtt': [queueNamed('DeadLetters').id, 'Arn'] },
      maxReceiveCount: QUEUE.maxReceiveCount,
    });
    expect(queueNamed('DeadLetters').Properties.MessageRetentionPeriod).toBe(QUEUE.deadLetterRetentionSeconds);
  });

  test.each(['Hints', 'DeadLetters'])('%s is encrypted and takes nothing without TLS', (name) => {
    expect(queueNamed(name).Properties.SqsManagedSseEnabled).toBe(true);
    const { Statement } = stack.of('SQS::QueuePolicy', name).Properties.PolicyDocument;
    const insecure = { Bool: { 'aws:SecureTransport': 'false' } };
    expect(Statement).toContainEqual(
      expect.objectContaining({ Effect: 'Deny', Action: 'sqs:*', Principal: { AWS: '*' }, Condition: insecure }),
    );
  });

  test.each([
    ['worker', 'Hints'],
    ['deadLetters', 'DeadLetters'],
  ])('%s gets batches of %s, reports what failed, and ends before a message is seen again', (name, queue) => {
    expect(sourceOf(name)).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [queueNamed(queue).id, 'Arn'] },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    expect(sourceOf(name).BatchSize).toBeGreaterThan(1);
    // Over ten, Lambda would wait for a batch to fill.
    expect(sourceOf(name).BatchSize).toBeLessThanOrEqual(10);
    expect(functionOf(name).Timeout).toBeLessThanOrEqual(queueNamed(queue).Properties.VisibilityTimeout);
  });

  test.each(['worker', 'deadLetters'])('%s may send hints to the queue that leads to it, however often', (name) => {
    expect(functionOf(name as 'worker').RecursiveLoop).toBe('Allow');
  });

  test('the sweeper runs every minute and is not run again for a minute that is over', () => {
    const rule = ruleOf('sweeper');
    expect(rule.ScheduleExpression).toBe('rate(1 minute)');
    expect(rule.Targets).toMatchObject([{ RetryPolicy: { MaximumRetryAttempts: 0 } }]);
  });

  test('SPEC 12.1: the administration looks every five minutes whether a deployment has changed menus', () => {
    const rule = ruleOf('admin');
    expect(rule.ScheduleExpression).toBe('rate(5 minutes)');
    expect(rule.Targets).toMatchObject([
      { Input: JSON.stringify({ follow: 'deployment' }), RetryPolicy: { MaximumRetryAttempts: 0 } },
    ]);
    expect(stack.ofType('Events::Rule')).toHaveLength(2);
  });

  const ruleOf = (name: 'sweeper' | 'admin') => {
    const Arn = { 'Fn::GetAtt': [stack.of('Lambda::Function', name).id, 'Arn'] };
    const rules = stack.ofType('Events::Rule').map(({ Properties }) => Properties);
    return rules.find(({ Targets }) => JSON.stringify(Targets[0].Arn) === JSON.stringify(Arn));
  };
});

describe('the functions', () => {
  test('are those in functions/, and no other', () => {
    expect(stack.ofType('Lambda::Function')).toHaveLength(FUNCTIONS.length);
    const files = readdirSync('functions').map((file) => readFileSync(join('functions', file), 'utf8'));
    const handlers = files.filter((code) => /export (const|async function) handler/u.test(code));
    expect(handlers).toHaveLength(FUNCTIONS.length);
  });

  test.each(FUNCTIONS)('%s runs on Node 24 on arm64, logs JSON for a month, and has its own bundle', (name) => {
    expect(functionOf(name)).toMatchObject({
      ...{ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' },
      LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: stack.of('Logs::LogGroup', name).id } },
    });
    expect(stack.of('Logs::LogGroup', name).Properties.RetentionInDays).toBe(30);
    const folder = join(stack.outdir, `asset.${functionOf(name).Code.S3Key.replace('.zip', '')}`);
    expect(readFileSync(join(folder, 'index.mjs'), 'utf8')).toContain('conchCreateRequire');
    const keys = FUNCTIONS.map((one) => functionOf(one).Code.S3Key);
    expect(keys.filter((key) => key === functionOf(name).Code.S3Key)).toHaveLength(1);
  });

  const COMMON = ['CONCH_TABLE'];
  const ENVIRONMENT: Record<(typeof FUNCTIONS)[number], string[]> = {
    telegram: [...COMMON, 'CONCH_KMS_KEY_ID', 'CONCH_QUEUE_URL'],
    discord: [...COMMON, 'CONCH_KMS_KEY_ID', 'CONCH_QUEUE_URL'],
    slack: [...COMMON, 'CONCH_KMS_KEY_ID', 'CONCH_QUEUE_URL'],
    teams: [...COMMON, 'CONCH_KMS_KEY_ID', 'CONCH_QUEUE_URL'],
    text: [...COMMON, 'CONCH_KMS_KEY_ID', 'CONCH_QUEUE_URL'],
    worker: [...COMMON, 'CONCH_API_ROOTS', 'CONCH_KMS_KEY_ID', 'CONCH_QUEUE_URL'],
    admin: [...COMMON, 'CONCH_ADMIN_TOKEN_SHA256', 'CONCH_API_ROOTS', 'CONCH_KMS_KEY_ID', 'CONCH_WEBHOOK_URLS'],
    deadLetters: [...COMMON, 'CONCH_QUEUE_URL'],
    sweeper: [...COMMON, 'CONCH_QUEUE_URL'],
  };

  test.each(FUNCTIONS)('%s is told what it needs and nothing else', (name) => {
    expect(Object.keys(functionOf(name).Environment.Variables).sort()).toEqual(ENVIRONMENT[name].sort());
  });

  test('the administration knows each app’s own address, and the token’s hash', () => {
    const { CONCH_WEBHOOK_URLS: urls, CONCH_ADMIN_TOKEN_SHA256: hash } = functionOf('admin').Environment.Variables;
    const addressOf = (name: string) => ({ 'Fn::GetAtt': [stack.of('Lambda::Url', name).id, 'FunctionUrl'] });
    const [, parts] = urls['Fn::Join'];
    const named = APP_NAMES.flatMap((name, n) => [`${n === 0 ? '{' : '",'}"${name}":"`, addressOf(name)]);
    expect(parts).toEqual([...named, '"}']);
    expect(hash).toBe(HASH);
    for (const name of [...APP_NAMES, 'admin']) {
      expect(stack.template.Outputs[`${name}Url`]?.Value).toEqual(addressOf(name));
    }
  });

  test('the webhooks and the administration have an address, open to all since they look at signatures and tokens themselves, with a limit', () => {
    const urls = stack.ofType('Lambda::Url');
    expect(urls.map(({ Properties }) => Properties.AuthType)).toEqual([...APP_NAMES, 'admin'].map(() => 'NONE'));
    for (const name of [...APP_NAMES, 'admin']) {
      expect(functionOf(name).ReservedConcurrentExecutions, name).toBeGreaterThan(0);
    }
  });
});

describe('permissions', () => {
  const statementsOf = (name: string) => stack.of('IAM::Policy', name).Properties.PolicyDocument.Statement;
  const all = FUNCTIONS.flatMap((name) => statementsOf(name) as { Action: string | string[]; Resource: unknown }[]);

  test('no action and no resource is a pattern, and nothing reads the whole table', () => {
    const actions = all.flatMap(({ Action }) => Action);
    expect(actions.filter((action) => /\*|Scan|PartiQL/u.test(action))).toEqual([]);
    expect(all.map(({ Resource }) => JSON.stringify(Resource)).filter((resource) => resource.includes('*'))).toEqual(
      [],
    );
    expect(actions).toContain('dynamodb:PutItem');
  });

  test('no role has a policy of AWS, which would allow more', () => {
    for (const { Properties } of stack.ofType('IAM::Role')) expect(Properties.ManagedPolicyArns).toBeUndefined();
    expect(stack.ofType('IAM::Role')).toHaveLength(FUNCTIONS.length);
  });

  test('SPEC 14.2: secrets open only bound to tenant and owner, and for a webhook no provider’s key does', () => {
    for (const name of ['telegram', 'slack', 'text', 'worker', 'admin']) {
      const kms = statementsOf(name).find(({ Action }: { Action: unknown }) => JSON.stringify(Action).includes('kms:'));
      expect(kms.Condition, name).toMatchObject({
        'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['tenant', 'owner'] },
        Null: { 'kms:EncryptionContext:tenant': 'false', 'kms:EncryptionContext:owner': 'false' },
      });
      const isWebhook = ['telegram', 'slack', 'text'].includes(name);
      const forbidden = isWebhook ? { 'kms:EncryptionContext:owner': ['provider#*', 'tool-server#*'] } : undefined;
      expect(kms.Condition.StringNotLike, name).toEqual(forbidden);
    }
    expect(JSON.stringify([statementsOf('sweeper'), statementsOf('deadLetters')])).not.toContain('kms:');
  });

  test('only what keeps new secrets seals any: the administration, and who gets tokens of workspaces', () => {
    const seals = FUNCTIONS.filter((name) => JSON.stringify(statementsOf(name)).includes('"kms:Encrypt"'));
    expect(seals.sort()).toEqual(['admin', 'slack', 'worker']);
  });

  test('the sweeper writes its own cursor and nothing else', () => {
    const writing = statementsOf('sweeper').filter(({ Action }: { Action: unknown }) =>
      /dynamodb:(Update|Put|Delete|Batch)/u.test(JSON.stringify(Action)),
    );
    expect(writing).toHaveLength(1);
    expect(writing[0].Condition).toEqual({ 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['sweeper'] } });
  });
});

describe('what is watched', () => {
  test('dead letters, late hints, errors, throttles, logged errors, and work that the sweeper found', () => {
    const alarms = stack
      .ofType('CloudWatch::Alarm')
      .map(({ id, Properties }) => [id.replace(/Alarm.*/u, ''), Properties]);
    const thresholds = Object.fromEntries(alarms.map(([id, { Threshold }]) => [id, Threshold]));
    const none = { DeadLetters: 0, Errors: 0, Throttles: 0, LoggedErrors: 0, SweeperFound: 0 };
    expect(thresholds).toEqual({ ...none, OldestHint: 60 });
    for (const [id, { AlarmDescription, TreatMissingData }] of alarms) {
      expect(AlarmDescription, id).toMatch(/\w{3}/u);
      expect(TreatMissingData, id).toBe('notBreaching');
    }
  });

  test('the filters look for what the functions log', () => {
    const filters = stack.ofType('Logs::MetricFilter').map(({ Properties }) => Properties.FilterPattern);
    expect(filters.filter((pattern) => pattern === '{ $.level = "error" }')).toHaveLength(FUNCTIONS.length);
    expect(filters).toContain('{ $.what = "sweeper.found" }');
    expect(readFileSync('lib/conversations/sweep.ts', 'utf8')).toContain("'sweeper.found'");
    expect(readFileSync('functions/runtime.ts', 'utf8')).toContain("write('error'");
  });
});

describe('the rules of AWS Solutions', () => {
  test('are kept by all that is synthesised above; what breaks one is not synthesised', () => {
    const { app, remove } = temporaryApp();
    new Queue(app.node.findChild('Conch'), 'OpenQueue');
    expect(() => app.synth()).toThrow(/AwsSolutions-SQS4/u);
    remove();
  });
});
