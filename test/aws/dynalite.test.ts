import { afterAll, beforeAll, describe } from 'vitest';
import { DynamoTextReplies } from '../../lib/aws/textReplies.ts';
import { startDynalite } from '../../local/embedded/dynalite.ts';
import { actionsContract } from '../contracts/actions.ts';
import { capacityContract, cursorContract, usageContract } from '../contracts/capacity.ts';
import { logContract } from '../contracts/log.ts';
import { tenantsContract } from '../contracts/tenants.ts';
import { textRepliesContract } from '../contracts/textReplies.ts';
import { createTableStores } from '../support/stores.ts';

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
