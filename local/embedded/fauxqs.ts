import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildApp } from 'fauxqs';
import { LOOPBACK } from './ports.ts';

type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;
type New<T> = new () => T;

interface Persistence {
  load(sqs: object, sns: object, s3: object): void;
  close(): void;
}

/** A module of fauxqs that its package does not export. */
async function part<T>(path: string): Promise<T> {
  const manifest = findPackageJSON('fauxqs', import.meta.url) ?? '';
  return (await import(pathToFileURL(join(dirname(manifest), 'dist', path)).href)) as T;
}

async function makeStores(): Promise<Stores> {
  const { SqsStore } = await part<{ SqsStore: New<Stores['sqsStore']> }>('sqs/sqsStore.js');
  const { SnsStore } = await part<{ SnsStore: New<Stores['snsStore']> }>('sns/snsStore.js');
  const { S3Store } = await part<{ S3Store: New<Stores['s3Store']> }>('s3/s3Store.js');
  return { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
}

/** The queues of `dataDir` in memory, and everything that changes from now on in `dataDir`. Loads before it connects. */
async function persist(stores: Stores, dataDir: string): Promise<Persistence> {
  const path = 'persistence.js';
  const { PersistenceManager } = await part<{ PersistenceManager: new (dir: string) => Persistence }>(path);
  const persistence = new PersistenceManager(dataDir);
  persistence.load(stores.sqsStore, stores.snsStore, stores.s3Store);
  Object.assign(stores.sqsStore, { persistence });
  for (const queue of stores.sqsStore.allQueues()) Object.assign(queue, { persistence });
  return persistence;
}

/**
 * What `startFauxqs` does, but on the loopback address only (its own address is 0.0.0.0): it asks nobody for a password,
 * and a queue that a stranger on the network could purge or fill is no queue.
 */
export async function startFauxqsOnLoopback(options: {
  port: number;
  dataDir: string;
}): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const stores = await makeStores();
  const persistence = await persist(stores, options.dataDir);
  const app = buildApp({ logger: false, stores });
  app.addHook('preClose', (done: () => void) => {
    persistence.close();
    done();
  });
  const endpoint = await app.listen({ port: options.port, host: LOOPBACK });
  return { endpoint, stop: async () => app.close() };
}
