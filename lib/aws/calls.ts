import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ConchError } from '../domain/errors.ts';

/** An item as DynamoDB's own typed values. */
export type Item = Record<string, AttributeValue>;

/** What a conditional write gave: the service's answer, or the item that stood in the way, where the store tells it. */
export type Conditional<T> = { ok: true; answer: T } | { ok: false; item: Item | undefined };

interface SdkError extends Error {
  $fault?: 'client' | 'server';
  $retryable?: object;
  $metadata?: { httpStatusCode?: number };
  Item?: Item;
}

const CONFLICT = 'ConditionalCheckFailedException';
const MOMENTARY = /Throttl|ThroughputExceeded|TooManyRequests|LimitExceeded|SlowDown|Timeout/;

/** A fault of the service, of the network or of a full table may pass; a request that is wrong stays wrong. */
function mayPass(error: SdkError): boolean {
  const answered = error.$metadata?.httpStatusCode !== undefined;
  return !answered || error.$fault === 'server' || error.$retryable !== undefined || MOMENTARY.test(error.name);
}

function wrapped(service: string, thrown: unknown): ConchError {
  if (thrown instanceof ConchError) return thrown;
  const error: SdkError = thrown instanceof Error ? thrown : new Error(String(thrown));
  const retryable = mayPass(error);
  const code = `${service}-${retryable ? 'unavailable' : 'failed'}`;
  return new ConchError(code, `${service} did not do what was asked: ${error.name}`, { retryable, cause: error });
}

/**
 * Waits for a service's answer.
 * @param service names it in the code: `dynamodb`, `sqs`, `kms`.
 * @throws {ConchError} `<service>-unavailable` (retryable: it may have happened or not) or `<service>-failed`, with the
 *   SDK's error as its cause.
 */
export async function call<T>(service: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw wrapped(service, error);
  }
}

/** Waits for a conditional write to DynamoDB. @throws {ConchError} as `call`, but not for a condition that failed. */
export async function conditional<T>(answer: Promise<T>): Promise<Conditional<T>> {
  try {
    return { ok: true, answer: await answer };
  } catch (error) {
    if (error instanceof Error && error.name === CONFLICT) return { ok: false, item: (error as SdkError).Item };
    throw wrapped('dynamodb', error);
  }
}
