import { afterEach, beforeEach, expect, test } from 'vitest';
import { slack } from '../../lib/channels/slack/index.ts';
import { Ingest } from '../../lib/conversations/ingest.ts';
import type { Channel } from '../../lib/ports/chatApp.ts';
import { modelFacts, resolveModel } from '../../lib/providers/models.ts';
import { at, encode, signed } from '../channels/slack/channel.ts';
import { ANA, BOT, GENERAL, SlackStandIn } from '../standins/slack.ts';
import { MemoryActions } from '../support/memory/actions.ts';
import { MemoryUsage } from '../support/memory/capacity.ts';
import { MemoryLog } from '../support/memory/log.ts';
import { MemoryQueue } from '../support/memory/queue.ts';
import { MemoryTenants } from '../support/memory/tenants.ts';

let standIn: SlackStandIn;
let channel: Channel;
let tenants: MemoryTenants;
let log: MemoryLog;
beforeEach(async () => {
  standIn = await SlackStandIn.start();
  standIn.addChannel(GENERAL, [BOT, ANA]);
  channel = at(standIn);
  [tenants, log] = [new MemoryTenants(), new MemoryLog()];
  const { id, name, app } = channel;
  await tenants.putChannel('t1', { id, name, app, access: 'anyone', settings: {}, secrets: {} });
});
afterEach(() => standIn.close());

/** A process of its own over the same stores. */
function process(): (payload: Record<string, unknown>) => Promise<number> {
  let ids = 0;
  const ingest = new Ingest({
    ...{ log, tenants, actions: new MemoryActions(), usage: new MemoryUsage(), queue: new MemoryQueue(Date.now) },
    directory: { get: (tenant) => tenants.load(tenant), fresh: (tenant) => tenants.load(tenant) },
    ...{ apps: {}, openChannel: async () => channel, resolveModel, listModels: modelFacts },
    runtime: { now: Date.now, newId: () => `${Math.random()}-${ids++}`, random: () => 0, sleep: async () => {} },
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  });
  return async (payload) => {
    const request = signed(encode(payload), { seconds: Math.floor(Date.now() / 1000) });
    return (await ingest.handle(slack, channel.id, request)).status;
  };
}

test('SPEC 2.3, case 89: a command that comes as a mention and as a message, to two processes, is answered once', async () => {
  const [one, other] = [process(), process()];
  const [mention, message] = standIn.payloads.mention('/help', ANA, GENERAL);
  expect(await Promise.all([one(mention), other(message)])).toEqual([200, 200]);
  expect(await other(message)).toBe(200);
  expect(standIn.visible(GENERAL, ANA)).toHaveLength(1);
});

test('DESIGN 3a: the delivery that ran a command, come again to another process, is answered again from its event', async () => {
  const [mention] = standIn.payloads.mention('/help', ANA, GENERAL);
  standIn.fail({ kind: 'error', error: 'ratelimited', status: 429, retryAfterS: 60 });
  await expect(process()(mention)).rejects.toThrow();
  expect(standIn.visible(GENERAL, ANA)).toEqual([]);
  expect(await process()(mention)).toBe(200);
  expect(standIn.visible(GENERAL, ANA)).toHaveLength(1);
});
