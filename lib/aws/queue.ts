import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { DAY_MS } from '../domain/limits.ts';
import type { Hint, HintQueue } from '../ports/queue.ts';
import { call } from './calls.ts';
import type { AwsClient } from './clients.ts';
import type { Input } from './operations.ts';

/** The queue's shape, for the stack, the local run and the tests (DESIGN 3). */
export const QUEUE = {
  /** How long a received hint stays invisible, if nobody moves it. */
  visibilityTimeoutSeconds: 900,
  /** How often a hint is received before it goes to the dead-letter queue. */
  maxReceiveCount: 20,
  /** How long the dead-letter queue keeps a hint: as long as SQS can. */
  deadLetterRetentionSeconds: (14 * DAY_MS) / 1000,
} as const;

/** SQS's limits, in seconds. */
const MAX_DELAY_S = 900;
const MAX_VISIBILITY_S = 43_200;
const MIN_VISIBILITY_S = 1;

const hintSchema = z.object({
  tenant: z.string().check(z.minLength(1)),
  place: z.string().check(z.minLength(1)),
  wakeUp: z.optional(z.literal(true)),
});

/** The hint in a message's body; undefined if it is none. Fields from a newer version are dropped. */
export function parseHint(body: string | undefined): Hint | undefined {
  try {
    const { tenant, place, wakeUp } = hintSchema.parse(JSON.parse(body ?? ''));
    return wakeUp ? { tenant, place, wakeUp } : { tenant, place };
  } catch {
    return undefined;
  }
}

/** JSON in ASCII: some queues refuse characters above U+FFFF, and none takes every one of them. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** SQS takes 1 to 128 letters, digits and punctuation marks of ASCII as a group's id; any other tenant is hashed. */
function groupId(tenant: string): string {
  return /^[A-Za-z0-9_-]{1,128}$/.test(tenant) ? tenant : `sha256.${createHash('sha256').update(tenant).digest('hex')}`;
}

function seconds(ms: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.ceil(ms / 1000)));
}

/**
 * Hints on a standard SQS queue. The group of a message is its tenant: SQS then serves quiet tenants before one that
 * fills the queue (fair queues). Order and one turn at a time come from the log, not from here (DESIGN 3).
 */
export class SqsHintQueue implements HintQueue {
  readonly #client: AwsClient<'sqs'>;
  readonly #queueUrl: string;

  constructor(client: AwsClient<'sqs'>, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  async send(hint: Hint, delayMs = 0): Promise<void> {
    const input: Input<'sqs', 'SendMessage'> = {
      QueueUrl: this.#queueUrl,
      MessageBody: asciiJson(hint),
      MessageGroupId: groupId(hint.tenant),
      DelaySeconds: seconds(delayMs, 0, MAX_DELAY_S),
    };
    await call('sqs', this.#client.send('SendMessage', input));
  }

  /** At least a second: to make a hint visible at once, send a new one. */
  async hold(receipt: string, forMs: number): Promise<void> {
    const input: Input<'sqs', 'ChangeMessageVisibility'> = {
      QueueUrl: this.#queueUrl,
      ReceiptHandle: receipt,
      VisibilityTimeout: seconds(forMs, MIN_VISIBILITY_S, MAX_VISIBILITY_S),
    };
    await call('sqs', this.#client.send('ChangeMessageVisibility', input));
  }

  async done(receipt: string): Promise<void> {
    await call('sqs', this.#client.send('DeleteMessage', { QueueUrl: this.#queueUrl, ReceiptHandle: receipt }));
  }
}
