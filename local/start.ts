import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { HttpFunction } from '../functions/functionUrl.ts';
import { awsClient } from '../lib/aws/clients.ts';
import { KeyFileSecretBox } from '../lib/aws/keyFileSecrets.ts';
import { QUEUE } from '../lib/aws/queue.ts';
import { createTable } from '../lib/aws/table.ts';
import { DynamoTenants } from '../lib/aws/tenants.ts';
import { ConchError } from '../lib/domain/errors.ts';
import { APP_NAMES, type AppName } from '../lib/ports/tenants.ts';
import { startEmbeddedDynamo } from './embedded/dynamodb.ts';
import { EMBEDDED_AWS } from './embedded/ports.ts';
import { startEmbeddedSqs } from './embedded/sqs.ts';
import { runEventSource } from './eventSource.ts';
import { prepareLocalTenant } from './firstStart.ts';
import { serve } from './functionUrl.ts';
import { type LocalSettings, readCredentials, readLocalSettings, writeCredentials } from './settings.ts';

const TABLE_NAME = 'conch';
/** Turns at once on this machine, in single hints. */
const WORKERS = 16;
/** Faster than the minute on AWS: a person who restarts their machine does not want to wait. */
const SWEEP_EVERY_MS = 10_000;
/** A long poll takes longer than other requests. */
const LONG_POLL_TIMEOUT_MS = 30_000;

interface Services {
  dynamodbEndpoint: string;
  sqsEndpoint: string;
  queueUrl: string;
  deadLetterUrl: string;
  stop(): Promise<void>;
}

/** The embedded DynamoDB and SQS, with the table and the queues. */
async function startServices({ dataDir, dynamodbEndpoint }: LocalSettings): Promise<Services> {
  const sqs = await startEmbeddedSqs({ port: 0, dataDir: join(dataDir, 'sqs') });
  const dynamo = dynamodbEndpoint
    ? { endpoint: dynamodbEndpoint, stop: async () => undefined }
    : await startEmbeddedDynamo({ port: 0, dataDir: join(dataDir, 'dynamodb') });
  const client = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: dynamo.endpoint });
  await createTable({ client, name: TABLE_NAME });
  client.destroy();
  return {
    ...{ dynamodbEndpoint: dynamo.endpoint, sqsEndpoint: sqs.endpoint },
    ...{ queueUrl: sqs.queueUrl, deadLetterUrl: sqs.deadLetterUrl },
    async stop() {
      await Promise.all([sqs.stop(), dynamo.stop()]);
    },
  };
}

/** The environment that the functions are built in: the same variables that the stack sets. */
function setEnvironment(services: Services, settings: LocalSettings, adminToken: string, url: string): void {
  const { region, credentials } = EMBEDDED_AWS;
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    CONCH_TABLE: TABLE_NAME,
    CONCH_QUEUE_URL: services.queueUrl,
    CONCH_DYNAMODB_ENDPOINT: services.dynamodbEndpoint,
    CONCH_SQS_ENDPOINT: services.sqsEndpoint,
    CONCH_KEY_FILE: keyFile(settings),
    CONCH_ADMIN_TOKEN_SHA256: createHash('sha256').update(adminToken).digest('hex'),
    CONCH_PUBLIC_URL: settings.publicUrl ?? url,
    CONCH_API_ROOTS: '*',
  });
}

function keyFile({ dataDir }: LocalSettings): string {
  return join(dataDir, 'keys', 'secrets.key');
}

/** The functions, as Lambda would run them; imported once their environment is set. */
async function loadFunctions() {
  const [apps, admin, worker, deadLetters, sweeper, runtime] = await Promise.all([
    Promise.all(APP_NAMES.map(loadApp)),
    import('../functions/admin.ts'),
    import('../functions/worker.ts'),
    import('../functions/deadLetters.ts'),
    import('../functions/sweeper.ts'),
    import('../functions/runtime.ts'),
  ]);
  return {
    byPath: Object.fromEntries(apps) as Record<string, HttpFunction>,
    admin: admin.handler,
    worker: worker.handler,
    deadLetters: deadLetters.handler,
    sweeper: sweeper.handler,
    endSoon: runtime.endSoon,
  };
}

/** An app's function, by the first part of its webhooks' path. */
async function loadApp(app: AppName): Promise<[AppName, HttpFunction]> {
  const { handler }: { handler: HttpFunction } = await import(`../functions/${app}.ts`);
  return [app, handler];
}

type Functions = Awaited<ReturnType<typeof loadFunctions>>;

/** Requests before `answerWith` are asked to come again. */
function answerNotReady(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, { 'Retry-After': '1' });
  response.end('{"message":"Conch is starting."}');
}

function answerWith(server: Server, functions: Functions): void {
  server.off('request', answerNotReady);
  server.on('request', (request, response) => {
    const first = (request.url ?? '/').split(/[/?]/u)[1] ?? '';
    const handler = (Object.hasOwn(functions.byPath, first) && functions.byPath[first]) || functions.admin;
    serve(handler, request, response).catch((error: unknown) => {
      report('A request failed', error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
}

function feed(services: Services, functions: Functions): () => Promise<void> {
  const options = { ...EMBEDDED_AWS, endpoint: services.sqsEndpoint, requestTimeoutMs: LONG_POLL_TIMEOUT_MS };
  const sqs = awsClient('sqs', options);
  const onError = (error: unknown) => report('The queue did not answer', error);
  const timeoutMs = QUEUE.visibilityTimeoutSeconds * 1000;
  const common = { sqs, batchSize: 1, timeoutMs, onError };
  const { queueUrl, deadLetterUrl } = services;
  const stops = [
    runEventSource({ ...common, queueUrl, handler: functions.worker, maximumConcurrency: WORKERS }),
    runEventSource({ ...common, queueUrl: deadLetterUrl, handler: functions.deadLetters, maximumConcurrency: 1 }),
  ];
  const sweep = setInterval(() => {
    functions.sweeper().catch((error: unknown) => report('The sweeper failed', error));
  }, SWEEP_EVERY_MS);
  return async () => {
    clearInterval(sweep);
    await Promise.all(stops.map((stop) => stop()));
    sqs.destroy();
  };
}

function report(what: string, error: unknown): void {
  console.error(`${what}: ${error instanceof Error ? error.message : 'for an unknown reason'}`);
}

/** Takes the port before anything else, so that a second start on it says so and touches nothing. */
async function listen(port: number): Promise<Server> {
  const server = createServer(answerNotReady);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EADDRINUSE' ? 'is in use; set PORT to another one' : `cannot be used (${error.code})`;
    throw new ConchError('port', `Port ${port} ${reason}`, { cause: error });
  });
  return server;
}

async function start(): Promise<void> {
  const settings = readLocalSettings(process.env);
  const server = await listen(settings.port);
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const services = await startServices(settings);
  const path = join(settings.dataDir, 'local.json');
  const known = readCredentials(path);
  const adminToken = settings.adminToken ?? known?.adminToken ?? randomBytes(32).toString('base64url');
  const client = awsClient('dynamodb', { ...EMBEDDED_AWS, endpoint: services.dynamodbEndpoint });
  const tenants = new DynamoTenants({ client, name: TABLE_NAME });
  const chat = await prepareLocalTenant(tenants, KeyFileSecretBox.open(keyFile(settings)), known?.chat);
  client.destroy();
  writeCredentials(path, { url, adminToken, chat });
  setEnvironment(services, settings, adminToken, url);
  const functions = await loadFunctions();
  answerWith(server, functions);
  const stopFeeding = feed(services, functions);
  if (!known && !settings.adminToken) console.log(`admin token ${adminToken}`);
  console.log(`conch ready ${url}`);
  functions.admin({ follow: 'deployment' }).catch((error: unknown) => report('Menus were not published', error));
  endOnSignal(server, stopFeeding, functions.endSoon, services);
}

/** How long a turn may go on to its end by itself, and how long handing it over may take. */
const FINISH_MS = 3_000;
const HAND_OVER_MS = 3_000;

/**
 * Ctrl-C, or an end asked for: no more hints are taken, turns that run get a few seconds, and what is left of them is
 * handed over, so that the next start goes on within seconds. Nothing has to be finished: the log goes on in any case.
 */
function endOnSignal(server: Server, stopFeeding: () => Promise<void>, endSoon: () => void, services: Services): void {
  let ending = false;
  const end = async () => {
    if (ending) process.exit(1);
    ending = true;
    server.close();
    server.closeAllConnections();
    const handOver = setTimeout(endSoon, FINISH_MS);
    await Promise.race([stopFeeding(), new Promise((resolve) => setTimeout(resolve, FINISH_MS + HAND_OVER_MS))]);
    clearTimeout(handOver);
    await services.stop();
    process.exit(0);
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

try {
  await start();
} catch (error) {
  console.error(error instanceof ConchError ? error.message : error);
  process.exit(1);
}
