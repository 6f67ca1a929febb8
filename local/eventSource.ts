import { randomUUID } from 'node:crypto';
import type { Message as SdkMessage } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { AwsClient } from '../lib/aws/clients.ts';
import type { Input, Wire } from '../lib/aws/operations.ts';

type Message = Wire<SdkMessage>;

export type QueueHandler = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<SQSBatchResponse>;

/** How an event source mapping is set up. */
export interface EventSource {
  sqs: AwsClient<'sqs'>;
  queueUrl: string;
  handler: QueueHandler;
  /** Messages in one call of the function, at most 10. */
  batchSize: number;
  /** Calls of the function at once. */
  maximumConcurrency: number;
  /** The function's time limit. */
  timeoutMs: number;
  onError: (error: unknown) => void;
}

const LONG_POLL_S = 10;
const PAUSE_AFTER_ERROR_MS = 1_000;

/**
 * Feeds a queue to a function as Lambda's event source mapping does: batches, a call for each, then the messages that
 * were not reported as failed are deleted; the others come again when their visibility ends.
 * @returns a function that ends it and waits for the calls under way.
 */
export function runEventSource(source: EventSource): () => Promise<void> {
  const stopping = new AbortController();
  const pollers = Array.from({ length: source.maximumConcurrency }, () => poll(source, stopping.signal));
  return async () => {
    stopping.abort();
    await Promise.all(pollers);
  };
}

async function poll(source: EventSource, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const messages = await receive(source, signal);
      if (messages.length > 0) await invoke(source, messages);
    } catch (error) {
      if (signal.aborted) return;
      source.onError(error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_ERROR_MS));
    }
  }
}

async function receive({ sqs, queueUrl, batchSize }: EventSource, abortSignal: AbortSignal): Promise<Message[]> {
  const input: Input<'sqs', 'ReceiveMessage'> = {
    QueueUrl: queueUrl,
    MaxNumberOfMessages: batchSize,
    WaitTimeSeconds: LONG_POLL_S,
    MessageSystemAttributeNames: ['All'],
  };
  return (await sqs.send('ReceiveMessage', input, { abortSignal })).Messages ?? [];
}

async function invoke(source: EventSource, messages: readonly Message[]): Promise<void> {
  const until = Date.now() + source.timeoutMs;
  const event = { Records: messages.map(recordOf) };
  const response = await source.handler(event, { getRemainingTimeInMillis: () => until - Date.now() });
  const failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const done = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  if (done.length === 0) return;
  const Entries = done.map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle }));
  await source.sqs.send('DeleteMessageBatch', { QueueUrl: source.queueUrl, Entries });
}

function recordOf(message: Message): SQSEvent['Records'][number] {
  return {
    messageId: message.MessageId ?? randomUUID(),
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: (message.Attributes ?? {}) as unknown as SQSEvent['Records'][number]['attributes'],
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:local:000000000000:conch',
    awsRegion: 'local',
  };
}
