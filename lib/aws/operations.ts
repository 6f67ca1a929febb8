import type * as DynamoDB from '@aws-sdk/client-dynamodb';
import type * as Kms from '@aws-sdk/client-kms';
import type * as Sqs from '@aws-sdk/client-sqs';

/** The SDK's type of a value, as the value stands in JSON: bytes are text in base64, times are seconds. */
export type Wire<T> = T extends Uint8Array
  ? string
  : T extends Date
    ? number
    : T extends object
      ? { [K in keyof T]: Wire<T[K]> }
      : T;

interface Operation<Input, Output> {
  input: Wire<Input>;
  output: Wire<Omit<Output, '$metadata'>>;
}

/** What is asked of each service. An operation that is not here has no type yet; that is all it lacks. */
interface Operations {
  dynamodb: {
    BatchGetItem: Operation<DynamoDB.BatchGetItemCommandInput, DynamoDB.BatchGetItemCommandOutput>;
    BatchWriteItem: Operation<DynamoDB.BatchWriteItemCommandInput, DynamoDB.BatchWriteItemCommandOutput>;
    CreateTable: Operation<DynamoDB.CreateTableCommandInput, DynamoDB.CreateTableCommandOutput>;
    DeleteItem: Operation<DynamoDB.DeleteItemCommandInput, DynamoDB.DeleteItemCommandOutput>;
    DescribeTable: Operation<DynamoDB.DescribeTableCommandInput, DynamoDB.DescribeTableCommandOutput>;
    GetItem: Operation<DynamoDB.GetItemCommandInput, DynamoDB.GetItemCommandOutput>;
    PutItem: Operation<DynamoDB.PutItemCommandInput, DynamoDB.PutItemCommandOutput>;
    Query: Operation<DynamoDB.QueryCommandInput, DynamoDB.QueryCommandOutput>;
    UpdateItem: Operation<DynamoDB.UpdateItemCommandInput, DynamoDB.UpdateItemCommandOutput>;
  };
  sqs: {
    ChangeMessageVisibility: Operation<
      Sqs.ChangeMessageVisibilityCommandInput,
      Sqs.ChangeMessageVisibilityCommandOutput
    >;
    CreateQueue: Operation<Sqs.CreateQueueCommandInput, Sqs.CreateQueueCommandOutput>;
    DeleteMessage: Operation<Sqs.DeleteMessageCommandInput, Sqs.DeleteMessageCommandOutput>;
    DeleteMessageBatch: Operation<Sqs.DeleteMessageBatchCommandInput, Sqs.DeleteMessageBatchCommandOutput>;
    GetQueueAttributes: Operation<Sqs.GetQueueAttributesCommandInput, Sqs.GetQueueAttributesCommandOutput>;
    ReceiveMessage: Operation<Sqs.ReceiveMessageCommandInput, Sqs.ReceiveMessageCommandOutput>;
    SendMessage: Operation<Sqs.SendMessageCommandInput, Sqs.SendMessageCommandOutput>;
    SetQueueAttributes: Operation<Sqs.SetQueueAttributesCommandInput, Sqs.SetQueueAttributesCommandOutput>;
  };
  kms: {
    Decrypt: Operation<Kms.DecryptCommandInput, Kms.DecryptCommandOutput>;
    Encrypt: Operation<Kms.EncryptCommandInput, Kms.EncryptCommandOutput>;
  };
}

export type Service = keyof Operations;
export type OperationName<S extends Service> = keyof Operations[S] & string;
export type Input<S extends Service, O extends OperationName<S>> = Operations[S][O] extends { input: infer I }
  ? I
  : never;
export type Output<S extends Service, O extends OperationName<S>> = Operations[S][O] extends { output: infer A }
  ? A
  : never;

/** How each service speaks its JSON protocol. */
export const PROTOCOLS: Readonly<Record<Service, { target: string; contentType: string }>> = {
  dynamodb: { target: 'DynamoDB_20120810', contentType: 'application/x-amz-json-1.0' },
  sqs: { target: 'AmazonSQS', contentType: 'application/x-amz-json-1.0' },
  kms: { target: 'TrentService', contentType: 'application/x-amz-json-1.1' },
};
