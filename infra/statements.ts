import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Permissions } from './permissions.ts';
import type { Stores } from './stores.ts';

/** What an event source mapping needs of its function's role. */
const RECEIVE = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];

/** Permissions as statements of a policy: exact actions on exact resources. */
export function statementsOf({ table, indexes, queue, receives, key }: Permissions, stores: Stores): PolicyStatement[] {
  return [
    ...table.map(({ actions, partition }) =>
      allow('dynamodb', actions, stores.table.tableArn, partition === undefined ? {} : onlyPartition(partition)),
    ),
    ...(indexes ?? []).map((index) => allow('dynamodb', ['Query'], `${stores.table.tableArn}/index/${index}`)),
    ...(queue ? [allow('sqs', queue, stores.hints.queueArn)] : []),
    ...(receives ? [allow('sqs', RECEIVE, stores[receives].queueArn)] : []),
    ...(key ? [allow('kms', key.actions, stores.secretsKey.keyArn, bound(key.notOwner))] : []),
  ];
}

type Conditions = Record<string, Record<string, string | string[]>>;

function allow(service: string, actions: readonly string[], resource: string, conditions: Conditions = {}) {
  return new PolicyStatement({
    actions: actions.map((action) => `${service}:${action}`),
    resources: [resource],
    ...(Object.keys(conditions).length > 0 ? { conditions } : {}),
  });
}

const onlyPartition = (partition: string): Conditions => ({
  'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [partition] },
});

/** Only what is bound to a tenant and an owner, as `KmsSecretBox` binds it. */
function bound(notOwner: readonly string[] | undefined): Conditions {
  return {
    'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['tenant', 'owner'] },
    Null: { 'kms:EncryptionContext:tenant': 'false', 'kms:EncryptionContext:owner': 'false' },
    ...(notOwner === undefined ? {} : { StringNotLike: { 'kms:EncryptionContext:owner': [...notOwner] } }),
  };
}
