import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { startEmbeddedDynamo } from '../../local/embedded/dynamodb.ts';
import { startEmbeddedSqs } from '../../local/embedded/sqs.ts';
import { ModelStandIn } from '../standins/model.ts';
import { person, privateChat, TelegramStandIn } from '../standins/telegram.ts';

/** Where the services of a measurement are. */
export interface Services {
  dynamodbEndpoint: string;
  sqsEndpoint: string;
  queueUrl: string;
  /** A queue for the floors, so that nobody takes another's messages. */
  floorQueueUrl: string;
  telegram: { root: string; token: string };
  model: { baseURL: string; apiKey: string };
}

/** What this process tells the one that measures. `at` is the monotonic clock of the machine, in nanoseconds. */
export type FromServices = { kind: 'ready'; services: Services } | { kind: 'asked'; at: string };

/** The private chats that the Bot API's stand-in knows: `FIRST_CHAT` and the next ones. */
export const FIRST_CHAT = 10_000;
const CHATS = 20_000;

/** The embedded services and the stand-ins, in a process of their own: their work is not on the clock of what is measured. */
async function serve(dataDir: string): Promise<void> {
  const sqs = await startEmbeddedSqs({ port: 0, dataDir: join(dataDir, 'sqs') });
  const dynamodb = await startEmbeddedDynamo({ port: 0, dataDir: join(dataDir, 'dynamodb') });
  const [telegram, model] = await Promise.all([TelegramStandIn.start(), ModelStandIn.start()]);
  for (let chat = FIRST_CHAT; chat < FIRST_CHAT + CHATS; chat++) telegram.addChat(privateChat(person(chat)));
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    if (request.url?.endsWith('/chat/completions')) tell({ kind: 'asked', at: String(process.hrtime.bigint()) });
  });
  process.on('disconnect', async () => {
    await Promise.all([sqs.stop(), dynamodb.stop()]);
    process.exit(0);
  });
  tell({
    kind: 'ready',
    services: {
      ...{ dynamodbEndpoint: dynamodb.endpoint, sqsEndpoint: sqs.endpoint },
      ...{ queueUrl: sqs.queueUrl, floorQueueUrl: sqs.deadLetterUrl },
      telegram: { root: telegram.root, token: telegram.token },
      model: { baseURL: model.baseURL('openai-compatible'), apiKey: model.apiKey },
    },
  });
}

function tell(message: FromServices): void {
  process.send?.(message);
}

const [, , dataDir] = process.argv;
if (process.send && dataDir) await serve(dataDir);
