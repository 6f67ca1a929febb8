import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ConchError } from '../domain/errors.ts';
import type { Wire } from './operations.ts';
import { ServiceError } from './serviceError.ts';

/** An item as DynamoDB's own typed values; bytes are text in base64. */
export type Item = Record<string, Value>;
export type Value = Wire<AttributeValue>;

/** What a conditional write gave: the service's answer, or the item that stood in the way, where the store tells it. */
export type Conditional<T> = { ok: true; answer: T } | { ok: false; item: Item | undefined };

const CONFLICT = 'ConditionalCheckFailedException';

function wrapped(service: string, thrown: unknown): ConchError {
  if (thrown instanceof ConchError) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const retryable = !(error instanceof ServiceError) || error.retryable;
  const code = `${service}-${retryable ? 'unavailable' : 'failed'}`;
  return new ConchError(code, `${service} did not do what was asked: ${error.name}`, { retryable, cause: error });
}

/**
 * Waits for a service's answer.
 * @param service names it in the code: `dynamodb`, `sqs`, `kms`.
 * @throws {ConchError} `<service>-unavailable` (retryable: it may have happened or not) or `<service>-failed`, with the
 *   client's error as its cause.
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
    if (error instanceof ServiceError && error.name === CONFLICT) return { ok: false, item: error.Item };
    throw wrapped('dynamodb', error);
  }
}
