import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { APP_NAMES } from '../lib/ports/tenants.ts';
import { createAlarms } from './alarms.ts';
import { createFunction, type Deployed } from './functions.ts';
import { type Parameters, WORKER_BATCH } from './parameters.ts';
import { createStores, type Stores } from './stores.ts';

/** Requests of administrators at once: they are few. */
const ADMIN_CONCURRENCY = 5;
const DEAD_LETTER_BATCH = 10;
const MINUTE = Duration.minutes(1);

/** Conch on AWS (DESIGN 1): the table, the queues, the key, and the functions with what calls them. */
export class ConchStack extends Stack {
  constructor(scope: Construct, id: string, parameters: Parameters) {
    super(scope, id, { description: 'Conch: a backend for chat bots' });
    const stores = createStores(this);
    const queue = { CONCH_QUEUE_URL: stores.hints.queueUrl };
    const secrets = { CONCH_KMS_KEY_ID: stores.secretsKey.keyArn };
    const webhooks = this.#webhooks(stores, { ...queue, ...secrets }, parameters.webhookConcurrency);
    const functions = [
      ...webhooks.functions,
      this.#admin(stores, secrets, webhooks.urls, parameters),
      this.#worker(stores, { ...queue, ...secrets, ...apiRootsOf(parameters) }, parameters.workerConcurrency),
      this.#deadLetters(stores, queue),
      this.#sweeper(stores, queue),
    ];
    createAlarms(this, stores, functions, parameters.alarmTopicArn);
  }

  /** One function for each app, at an address of its own. They look at signatures themselves. */
  #webhooks(stores: Stores, environment: Record<string, string>, concurrency: number | undefined) {
    const urls: Record<string, string> = {};
    const functions = APP_NAMES.map((app) => {
      const resources = { memoryMb: 512, timeout: Duration.seconds(30), concurrency };
      const deployed = createFunction(this, stores, app, resources, environment);
      urls[app] = this.#address(deployed, `Where ${app} reaches its channels: <address>${app}/<channelId>`);
      return deployed;
    });
    return { urls, functions };
  }

  #admin(
    stores: Stores,
    secrets: Record<string, string>,
    urls: Record<string, string>,
    parameters: Parameters,
  ): Deployed {
    const { adminTokenSha256, webhookConcurrency } = parameters;
    const concurrency = webhookConcurrency === undefined ? undefined : ADMIN_CONCURRENCY;
    const resources = { memoryMb: 512, timeout: Duration.minutes(5), concurrency };
    const deployed = createFunction(this, stores, 'admin', resources, {
      ...secrets,
      CONCH_ADMIN_TOKEN_SHA256: adminTokenSha256,
      CONCH_WEBHOOK_URLS: this.toJsonString(urls),
      ...apiRootsOf(parameters),
    });
    this.#address(deployed, 'The administration: <address>v1/...');
    this.#followDeployments(deployed);
    return deployed;
  }

  /** It looks whether a deployment has changed menus, which costs one read while none has. */
  #followDeployments({ lambda }: Deployed): void {
    const event = RuleTargetInput.fromObject({ follow: 'deployment' });
    const target = new LambdaFunction(lambda, { event, retryAttempts: 0, maxEventAge: MINUTE });
    new Rule(this, 'EveryFiveMinutes', { schedule: Schedule.rate(Duration.minutes(5)), targets: [target] });
  }

  #address({ name, lambda }: Deployed, description: string): string {
    const { url } = lambda.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    new CfnOutput(this, `${name}Url`, { value: url, description });
    return url;
  }

  /** It hands its work on before the time limit, which is as long as a hint stays hidden. */
  #worker(stores: Stores, environment: Record<string, string>, maxConcurrency: number): Deployed {
    const resources = { memoryMb: 512, timeout: Duration.minutes(15) };
    const deployed = createFunction(this, stores, 'worker', resources, environment);
    feed(deployed, stores.hints, { batchSize: WORKER_BATCH, maxConcurrency });
    return deployed;
  }

  #deadLetters(stores: Stores, environment: Record<string, string>): Deployed {
    const deployed = createFunction(this, stores, 'deadLetters', { memoryMb: 256, timeout: MINUTE }, environment);
    feed(deployed, stores.deadLetters, { batchSize: DEAD_LETTER_BATCH, maxConcurrency: 2 });
    return deployed;
  }

  /** After an outage one sweep may take longer than the minute to the next; two at once only send a hint twice. */
  #sweeper(stores: Stores, environment: Record<string, string>): Deployed {
    const resources = { memoryMb: 256, timeout: Duration.minutes(5) };
    const deployed = createFunction(this, stores, 'sweeper', resources, environment);
    const target = new LambdaFunction(deployed.lambda, { retryAttempts: 0, maxEventAge: MINUTE });
    new Rule(this, 'EveryMinute', { schedule: Schedule.rate(MINUTE), targets: [target] });
    return deployed;
  }
}

/** Addresses that whoever deploys vouches for. */
function apiRootsOf({ apiRoots }: Parameters): Record<string, string> {
  return apiRoots === undefined ? {} : { CONCH_API_ROOTS: apiRoots };
}

/** Calls a function with what a queue holds. What its role may do is in `PERMISSIONS`. */
function feed({ lambda }: Deployed, queue: IQueue, size: { batchSize: number; maxConcurrency: number }): void {
  lambda.addEventSourceMapping('Source', { eventSourceArn: queue.queueArn, reportBatchItemFailures: true, ...size });
}
