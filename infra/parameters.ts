import { TURNS_AT_ONCE } from '../lib/domain/limits.ts';

/** What a person who deploys may set, by `-c name=value` or in `cdk.json`. */
export interface Parameters {
  /** SHA-256 of the administration's token, hex. */
  adminTokenSha256: string;
  /** Requests that one app's webhooks serve at once; undefined for what the account has left. 0 turns them off. */
  webhookConcurrency: number | undefined;
  /** Invocations of the worker at once, each with up to `WORKER_BATCH` turns. */
  workerConcurrency: number;
  /** Origins that a channel's `apiRoot` may have, separated by commas. */
  apiRoots: string | undefined;
  /** A topic of SNS that alarms are sent to. */
  alarmTopicArn: string | undefined;
}

/**
 * Hints in one invocation of the worker. A turn mostly waits for a provider (it used 2 to 3 % of a CPU where it was
 * measured), and an invocation costs as long as its longest turn: five together cost about half of what they cost one by
 * one. Ten would need nearly all of the CPU that goes with 512 MB, and be at stake together when a process dies.
 */
export const WORKER_BATCH = 5;

const WEBHOOK_CONCURRENCY = 50;
export const WORKER_CONCURRENCY = 100;
/** What an event source mapping allows. */
const MAX_WORKER_CONCURRENCY = 1_000;
/**
 * A tenant at its limit leaves at least half of the workers to others (DESIGN 3, Waits), also when each of its turns has a
 * worker of its own: hints that come one by one are no batch, and a worker takes the next one only when it is done.
 */
const MIN_WORKER_CONCURRENCY = 2 * TURNS_AT_ONCE;

/** No token has this hash. It stands in a template that is only looked at: `-c synthOnly=true`. */
const NO_TOKEN = '0'.repeat(64);

/** A parameter that is missing or wrong. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
}

/**
 * Reads the parameters.
 * @param given a value of CDK's context by its name.
 * @throws {ParameterError} saying what to give.
 */
export function readParameters(given: (name: string) => unknown): Parameters {
  return {
    adminTokenSha256: adminTokenSha256(given),
    webhookConcurrency: webhookConcurrency(given('webhookConcurrency')),
    workerConcurrency: workerConcurrency(given('workerConcurrency')),
    apiRoots: apiRoots(textOf(given('apiRoots'))),
    alarmTopicArn: alarmTopicArn(textOf(given('alarmTopicArn'))),
  };
}

const textOf = (value: unknown) => (value === undefined || value === '' ? undefined : String(value));

function adminTokenSha256(given: (name: string) => unknown): string {
  const hash = textOf(given('adminTokenSha256'));
  if (hash !== undefined && /^[0-9a-f]{64}$/u.test(hash)) return hash;
  if (hash === undefined && String(given('synthOnly')) === 'true') return NO_TOKEN;
  throw new ParameterError(
    [
      hash === undefined
        ? 'Give the SHA-256 of the admin token.'
        : 'adminTokenSha256 has to be a SHA-256: 64 characters of 0-9 and a-f.',
      'A new token and its hash:',
      '  TOKEN=$(openssl rand -hex 32); echo "$TOKEN"; printf %s "$TOKEN" | openssl dgst -sha256 -r | cut -c1-64',
      'Then: npm run deploy -- -c adminTokenSha256=HASH',
    ].join('\n'),
  );
}

function wholeNumber(name: string, value: string, min: number, max: number): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new ParameterError(`${name} has to be a whole number from ${min} to ${max}`);
}

function webhookConcurrency(value: unknown): number | undefined {
  const text = textOf(value);
  if (text === 'none') return undefined;
  return text === undefined ? WEBHOOK_CONCURRENCY : wholeNumber('webhookConcurrency', text, 0, 10_000);
}

function workerConcurrency(value: unknown): number {
  const text = textOf(value) ?? String(WORKER_CONCURRENCY);
  return wholeNumber('workerConcurrency', text, MIN_WORKER_CONCURRENCY, MAX_WORKER_CONCURRENCY);
}

function apiRoots(list: string | undefined): string | undefined {
  for (const entry of list?.split(',') ?? []) {
    const origin = URL.canParse(entry.trim()) ? new URL(entry.trim()) : undefined;
    if (origin?.protocol !== 'https:') throw new ParameterError('apiRoots has to be https addresses, between commas');
  }
  return list;
}

function alarmTopicArn(arn: string | undefined): string | undefined {
  if (arn === undefined || /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/u.test(arn)) return arn;
  throw new ParameterError('alarmTopicArn has to be the ARN of a topic of SNS');
}
