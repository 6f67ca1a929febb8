import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { parseHint } from '../lib/aws/queue.ts';
import { lookAgain } from '../lib/conversations/deadLetter.ts';
import { logger, runtime } from './runtime.ts';
import { readSettings } from './settings.ts';
import { createQueue, createStores } from './stores.ts';

const settings = readSettings(process.env);
const deps = { log: createStores(settings).log, queue: createQueue(settings), runtime, logger };

/** Hints that the queue gave up on: their places are looked at again. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
  for (const record of event.Records) {
    const hint = parseHint(record.body);
    try {
      if (hint) await lookAgain(deps, hint);
    } catch (error) {
      logger.error('dead-letter.failed', error);
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
}
