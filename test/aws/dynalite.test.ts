import { afterAll, beforeAll, describe } from 'vitest';
import { startDynalite } from '../../local/embedded/dynalite.ts';
import { createTableStores } from '../support/stores.ts';
import { tableContracts } from './tableSuites.ts';

describe('dynalite, for machines without dynoxide', () => {
  let dynalite: Awaited<ReturnType<typeof startDynalite>>;
  let stores: Awaited<ReturnType<typeof createTableStores>>;
  beforeAll(async () => {
    dynalite = await startDynalite({ port: 0 });
    stores = await createTableStores(dynalite.endpoint);
  });
  afterAll(async () => {
    stores.close();
    await dynalite.stop();
  });

  tableContracts(() => stores);
});
