import { describe } from 'vitest';
import { actionsContract } from '../../contracts/actions.ts';
import { capacityContract, cursorContract, rateContract, usageContract } from '../../contracts/capacity.ts';
import { installationsContract } from '../../contracts/installations.ts';
import { logContract } from '../../contracts/log.ts';
import { queueContract } from '../../contracts/queue.ts';
import { tenantsContract } from '../../contracts/tenants.ts';
import { MemoryActions } from './actions.ts';
import { MemoryCapacity, MemoryCursor, MemoryUsage } from './capacity.ts';
import { MemoryInstallations } from './installations.ts';
import { MemoryLog } from './log.ts';
import { MemoryQueue } from './queue.ts';
import { MemoryTenants } from './tenants.ts';

const one = <T>(it: T) => {
  return () => it;
};

/** Looks every few milliseconds, as a long poll does. */
async function receiveFrom(queue: MemoryQueue, waitMs: number) {
  const end = Date.now() + waitMs;
  for (;;) {
    const received = queue.receive(2_000);
    if (received || Date.now() >= end) return received;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('the stores in memory do what the real ones do', () => {
  describe('the log', () => logContract(one(new MemoryLog())));
  describe('tenants', () => tenantsContract(one(new MemoryTenants())));
  describe('actions', () => actionsContract(one(new MemoryActions())));
  describe('installations', () => {
    const versions = new Map<string, number>();
    const version = async (tenant: string) => versions.get(tenant) ?? 0;
    const raise = async (tenant: string) => void versions.set(tenant, (await version(tenant)) + 1);
    installationsContract(one({ installations: new MemoryInstallations(raise), version }));
  });
  describe('capacity', () => capacityContract(one(new MemoryCapacity())));
  describe('usage', () => usageContract(one(new MemoryUsage())));
  describe('rates', () => rateContract(one(new MemoryUsage())));
  describe("the sweeper's cursor", () => cursorContract(one(new MemoryCursor())));
  describe('the queue', () =>
    queueContract(async () => {
      const queue = new MemoryQueue(Date.now);
      return {
        queue,
        receive: (waitMs) => receiveFrom(queue, waitMs),
        delete: async (receipt) => queue.delete(receipt),
      };
    }));
});
