import { afterAll, beforeAll, describe } from 'vitest';
import { DynamoTextReplies } from '../../lib/aws/textReplies.ts';
import { startDynalite } from '../../local/embedded/dynalite.ts';
import { textRepliesContract } from '../contracts/textReplies.ts';
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
  describe("the text app's replies", () =>
    textRepliesContract(() => {
      const now = { ms: 1_700_000_000_000 };
      return { replies: new DynamoTextReplies(stores.table, () => now.ms), now };
    }));
});
