import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SQSBatchResponse } from 'aws-lambda';
import { inject } from 'vitest';
import { FUNCTIONS, type FunctionName } from '../../infra/bundling.ts';
import { WORKER_BATCH } from '../../infra/parameters.ts';
import { PERMISSIONS } from '../../infra/permissions.ts';
import { type QueueHandler, runEventSource } from '../../local/eventSource.ts';
import { serve } from '../../local/functionUrl.ts';
import { startKms } from '../support/kms.ts';
import { createStores } from '../support/stores.ts';
import { bundleAll } from './bundled.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { LambdaProcess } from './lambda.ts';

const KEY = 'arn:aws:kms:us-east-1:000000000000:key/secrets';
const ADMIN_TOKEN = 'admin-token-of-the-deployment';

/** The environment of a function, with what Lambda itself sets. */
function environment(gateway: Gateway, settings: Record<string, string>): Record<string, string> {
  return {
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    ...{ CONCH_DYNAMODB_ENDPOINT: gateway.endpoint, CONCH_SQS_ENDPOINT: gateway.endpoint },
    AWS_ENDPOINT_URL_KMS: gateway.endpoint,
    ...settings,
  };
}

/** The address of a function: HTTP requests become events as Lambda makes them, their bodies in base64. */
async function functionUrl(lambda: LambdaProcess) {
  const server = createServer((request, response) => {
    serve((event) => lambda.invoke(event), request, response).catch(() => response.writeHead(502).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop };
}

/**
 * All functions as they are deployed: their bundles, each in a process of its own with the environment that the stack
 * sets, behind a gateway that allows what its role allows. Queues are fed to them as event source mappings do.
 */
export async function deploy() {
  const [stores, kms] = await Promise.all([createStores(), startKms([KEY])]);
  const services = { dynamodb: inject('dynamodbEndpoint'), sqs: inject('sqsEndpoint'), kms: kms.endpoint };
  const bundles = bundleAll();
  const stops: (() => unknown)[] = [() => stores.close(), () => kms.stop(), () => bundles.remove()];
  const gateways = {} as Record<FunctionName, Gateway>;
  for (const name of FUNCTIONS) gateways[name] = await startGateway(PERMISSIONS[name], services);
  stops.push(() => FUNCTIONS.map((name) => gateways[name].stop()));

  const table = { CONCH_TABLE: stores.tableName };
  const queue = { CONCH_QUEUE_URL: stores.queueUrl };
  const secrets = { CONCH_KMS_KEY_ID: KEY };
  const start = async (name: FunctionName, settings: Record<string, string>) => {
    const lambda = await LambdaProcess.start(bundles.folder(name), environment(gateways[name], settings));
    stops.push(() => lambda.stop());
    return lambda;
  };
  const [telegram, discord, slack, teams, text, worker, deadLetters, sweeper] = await Promise.all([
    start('telegram', { ...table, ...queue, ...secrets }),
    start('discord', { ...table, ...queue, ...secrets }),
    start('slack', { ...table, ...queue, ...secrets }),
    start('teams', { ...table, ...queue, ...secrets }),
    start('text', { ...table, ...queue, ...secrets }),
    start('worker', { ...table, ...queue, ...secrets, CONCH_API_ROOTS: '*' }),
    start('deadLetters', { ...table, ...queue }),
    start('sweeper', { ...table, ...queue }),
  ]);
  const urls = {
    ...{ telegram: await functionUrl(telegram), discord: await functionUrl(discord) },
    ...{ slack: await functionUrl(slack), teams: await functionUrl(teams), text: await functionUrl(text) },
  };
  const addresses = Object.entries(urls).map(([name, { url }]) => [name, url]);
  const admin = await start('admin', {
    ...{ ...table, ...secrets, CONCH_API_ROOTS: '*' },
    CONCH_ADMIN_TOKEN_SHA256: createHash('sha256').update(ADMIN_TOKEN).digest('hex'),
    CONCH_WEBHOOK_URLS: JSON.stringify(Object.fromEntries(addresses)),
  });
  const adminUrl = await functionUrl(admin);
  stops.push(...Object.values(urls).map(({ stop }) => stop), adminUrl.stop);

  return {
    ...{ stores, gateways, urls, start, table, queue, secrets },
    functions: {
      ...{ telegram, discord, slack, teams, text, worker, deadLetters, sweeper, admin },
    } satisfies Record<FunctionName, LambdaProcess>,
    /** Feeds the queue of hints to the worker until the end. */
    feedWorker() {
      const handler: QueueHandler = (event, context) =>
        worker.invoke<SQSBatchResponse>(event, context.getRemainingTimeInMillis());
      const { ownSqs: sqs, queueUrl } = stores;
      const onError = (error: unknown) => console.error(error);
      const source = {
        sqs,
        queueUrl,
        handler,
        batchSize: WORKER_BATCH,
        maximumConcurrency: 2,
        timeoutMs: 900_000,
        onError,
      };
      stops.unshift(runEventSource(source));
    },
    /** One request to the administration. */
    async call<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
      const response = await fetch(`${adminUrl.url}v1${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: (text ? JSON.parse(text) : undefined) as T };
    },
    async stop() {
      for (const stop of stops) await stop();
    },
  };
}

export type Deployment = Awaited<ReturnType<typeof deploy>>;
