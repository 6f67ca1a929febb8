import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { parseHint } from '../lib/aws/queue.ts';
import { chatApps } from '../lib/channels/index.ts';
import { promptsFor, skillsFor } from '../lib/commands/catalog.ts';
import { Worker } from '../lib/conversations/worker.ts';
import { engineOpener } from '../lib/providers/engines.ts';
import { modelFacts, resolveModel } from '../lib/providers/models.ts';
import { outwardGuard } from '../lib/tenants/apiRoots.ts';
import { channelOpener } from '../lib/tenants/channels.ts';
import { toolOpener } from '../lib/tools/index.ts';
import { logger, runtime } from './runtime.ts';
import { createSecrets } from './secrets.ts';
import { readSettings } from './settings.ts';
import { createQueue, createStores } from './stores.ts';
import { workspacesOf } from './workspaces.ts';

const settings = readSettings(process.env);
const stores = createStores(settings);
const secrets = await createSecrets(settings);
const worker = new Worker({
  ...{
    ...stores,
    queue: createQueue(settings),
    apps: chatApps(stores.textReplies),
    resolveModel,
    listModels: modelFacts,
    runtime,
    logger,
  },
  ...{ openChannel: channelOpener(secrets), openEngine: engineOpener(secrets) },
  workspaces: workspacesOf(stores, secrets),
  openTools: toolOpener({
    ...{ secrets, guard: outwardGuard(settings.CONCH_API_ROOTS), tenants: stores.tenants, runtime, logger },
    ...{ skillsOf: skillsFor, promptsOf: promptsFor },
  }),
});

/** Looks at the places that the hints of a batch name, all at once; a hint whose look failed comes again. */
export async function handler(
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<SQSBatchResponse> {
  const deadline = runtime.now() + context.getRemainingTimeInMillis();
  const shared = event.Records.length > 1;
  const failed = await Promise.all(event.Records.map((record) => look(record, { deadline, shared })));
  return { batchItemFailures: failed.flatMap((id) => (id === undefined ? [] : [{ itemIdentifier: id }])) };
}

/** @returns the record's id if it has to come again. */
async function look(record: SQSRecord, run: { deadline: number; shared: boolean }): Promise<string | undefined> {
  const hint = parseHint(record.body);
  if (!hint) {
    logger.warn('worker.malformed-hint');
    return undefined;
  }
  try {
    await worker.look({ hint, receipt: record.receiptHandle, ...run });
    return undefined;
  } catch (error) {
    logger.error('worker.failed', error);
    return record.messageId;
  }
}
