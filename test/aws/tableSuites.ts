import { describe } from 'vitest';
import { actionsContract } from '../contracts/actions.ts';
import { capacityContract, cursorContract, rateContract, usageContract } from '../contracts/capacity.ts';
import { installationsContract } from '../contracts/installations.ts';
import { logContract } from '../contracts/log.ts';
import { tenantsContract } from '../contracts/tenants.ts';
import type { createTableStores } from '../support/stores.ts';

/** The suites of what lies in the table. @param stores gives what lies in one that no other test uses. */
export function tableContracts(stores: () => Awaited<ReturnType<typeof createTableStores>>): void {
  describe('the log', () => logContract(() => stores().log));
  describe('tenants', () => tenantsContract(() => stores().tenants));
  describe('actions', () => actionsContract(() => stores().actions));
  describe('installations', () =>
    installationsContract(() => {
      const { installations, tenants } = stores();
      return { installations, version: (tenant) => tenants.version(tenant) };
    }));
  describe('capacity', () => capacityContract(() => stores().capacity));
  describe('usage', () => usageContract(() => stores().usage));
  describe('rates', () => rateContract(() => stores().usage));
  describe("the sweeper's cursor", () => cursorContract(() => stores().cursor));
}
