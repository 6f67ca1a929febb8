import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type AwsClient, awsClient } from '../../lib/aws/clients.ts';
import { KeyFileSecretBox } from '../../lib/aws/keyFileSecrets.ts';
import { DynamoLog } from '../../lib/aws/log.ts';
import { createTable, type Table } from '../../lib/aws/table.ts';
import { DynamoTenants } from '../../lib/aws/tenants.ts';
import type { PlaceRef } from '../../lib/domain/place.ts';
import { providerOwner } from '../../lib/ports/secrets.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import type { FromServices, Services } from './services.ts';

const TENANT = 'bench';
export const CHANNEL_ID = `${TENANT}.q3Zk1vXc9YbTnW0sLr8uHw`;
export const WEBHOOK_SECRET = 'conch_Bench-secret_0123456789abcdefghijklmnopqrstuvwxyz0123456789'.slice(0, 64);
const BOT = { id: '999', username: 'acme_bot', name: 'Conch' };

/** The services keep their data in memory where there is such a folder: the disk of a busy machine is nobody's figure. */
const MEMORY = '/dev/shm';

/** The place of a private chat. */
export function placeOfChat(chat: number): PlaceRef {
  return { tenant: TENANT, place: `${CHANNEL_ID.slice(TENANT.length + 1)}~${chat}` };
}

/** Everything that measurements run against: services in another process, a table with one tenant, clients of our own. */
export class World {
  readonly services: Services;
  readonly table: Table;
  readonly log: DynamoLog;
  readonly sqs: AwsClient<'sqs'>;
  /** The SDK's clients, to look from outside. */
  readonly sdk: { dynamodb: DynamoDBClient; sqs: SQSClient };
  readonly #child: ChildProcess;
  readonly #dataDir: string;
  readonly #asked: ((at: bigint) => void)[] = [];

  private constructor(child: ChildProcess, dataDir: string, services: Services) {
    this.services = services;
    this.#child = child;
    this.#dataDir = dataDir;
    const { dynamodbEndpoint, sqsEndpoint } = services;
    this.table = { client: awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: dynamodbEndpoint }), name: 'conch' };
    this.log = new DynamoLog(this.table);
    this.sqs = awsClient('sqs', { ...EMBEDDED_AWS, endpoint: sqsEndpoint, requestTimeoutMs: 30_000 });
    this.sdk = {
      dynamodb: new DynamoDBClient({ ...EMBEDDED_AWS, endpoint: dynamodbEndpoint }),
      sqs: new SQSClient({ ...EMBEDDED_AWS, endpoint: sqsEndpoint }),
    };
    child.on('message', (message: FromServices) => {
      if (message.kind === 'asked') this.#asked.shift()?.(BigInt(message.at));
    });
  }

  static async start(): Promise<World> {
    const dataDir = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'conch-bench-'));
    const child = fork(join(import.meta.dirname, 'services.ts'), [dataDir], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const services = await new Promise<Services>((resolve, reject) => {
      child.once('message', (message: FromServices) => message.kind === 'ready' && resolve(message.services));
      child.once('exit', (code) => reject(new Error(`The services ended with ${code}`)));
    });
    const world = new World(child, dataDir, services);
    await createTable(world.table);
    await world.#setUp(join(dataDir, 'secrets.key'));
    return world;
  }

  /** When the model's stand-in gets its next request, on the machine's monotonic clock, ns. */
  nextAsked(): Promise<bigint> {
    return new Promise((resolve) => this.#asked.push(resolve));
  }

  /** Forgets hints that nobody took. */
  async purge(): Promise<void> {
    const { queueUrl, floorQueueUrl } = this.services;
    for (const QueueUrl of [queueUrl, floorQueueUrl]) await this.sdk.sqs.send(new PurgeQueueCommand({ QueueUrl }));
  }

  async close(): Promise<void> {
    this.table.client.destroy();
    this.sqs.destroy();
    this.sdk.dynamodb.destroy();
    this.sdk.sqs.destroy();
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await ended;
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  /** One tenant with a Telegram channel that anyone may use, and a provider; then the environment of the functions. */
  async #setUp(keyFile: string): Promise<void> {
    const { telegram, model } = this.services;
    const box = KeyFileSecretBox.open(keyFile);
    const tenants = new DynamoTenants(this.table);
    const seal = (plain: string, owner: string) => box.seal(plain, { tenant: TENANT, owner });
    await tenants.putSettings(TENANT, { model: 'main/one' });
    await tenants.putProvider(TENANT, {
      ...{ name: 'main', engine: 'openai-compatible', baseURL: model.baseURL, settings: {} },
      models: [{ id: 'one', contextWindow: 100_000 }],
      secrets: { apiKey: await seal(model.apiKey, providerOwner('main')) },
    });
    await tenants.putChannel(TENANT, {
      ...{ id: CHANNEL_ID, name: 'bot', app: 'telegram', access: 'anyone', settings: {}, bot: BOT },
      apiRoot: telegram.root,
      secrets: {
        token: await seal(telegram.token, CHANNEL_ID),
        webhookSecret: await seal(WEBHOOK_SECRET, CHANNEL_ID),
      },
    });
    this.#setEnvironment(keyFile);
  }

  #setEnvironment(keyFile: string): void {
    const { region, credentials } = EMBEDDED_AWS;
    const { dynamodbEndpoint, sqsEndpoint, queueUrl } = this.services;
    Object.assign(process.env, {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      CONCH_TABLE: this.table.name,
      CONCH_QUEUE_URL: queueUrl,
      CONCH_DYNAMODB_ENDPOINT: dynamodbEndpoint,
      CONCH_SQS_ENDPOINT: sqsEndpoint,
      CONCH_KEY_FILE: keyFile,
    });
  }
}
