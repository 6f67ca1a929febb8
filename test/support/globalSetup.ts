import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedDynamo } from '../../local/embedded/dynamodb.ts';
import { startEmbeddedSqs } from '../../local/embedded/sqs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamodbEndpoint: string;
    sqsEndpoint: string;
  }
}

/** One embedded DynamoDB and one embedded SQS for the whole run, with their data in a directory that goes away. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'conch-test-'));
  const sqs = await startEmbeddedSqs({ port: 0, dataDir: join(directory, 'sqs') });
  const dynamodb = await startEmbeddedDynamo({ port: 0, dataDir: join(directory, 'dynamodb') });
  project.provide('dynamodbEndpoint', dynamodb.endpoint);
  project.provide('sqsEndpoint', sqs.endpoint);
  return async () => {
    await Promise.all([dynamodb.stop(), sqs.stop()]);
    rmSync(directory, { recursive: true, force: true });
  };
}
