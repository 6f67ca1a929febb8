import { beforeEach, expect, test } from 'vitest';
import { runtime } from '../../../functions/runtime.ts';
import { webhookFunction } from '../../../functions/webhook.ts';
import { discord } from '../../../lib/channels/discord/index.ts';
import type { WebhookDeps } from '../../../lib/conversations/deps.ts';
import type { StoredEvent } from '../../../lib/ports/log.ts';
import { modelFacts, resolveModel } from '../../../lib/providers/models.ts';
import { TenantDirectory } from '../../../lib/tenants/directory.ts';
import { autocomplete, command, somebody } from '../../standins/discord.ts';
import { ask } from '../../support/functionUrl.ts';
import { MemoryActions } from '../../support/memory/actions.ts';
import { MemoryUsage } from '../../support/memory/capacity.ts';
import { MemoryLog } from '../../support/memory/log.ts';
import { MemoryQueue } from '../../support/memory/queue.ts';
import { MemoryTenants } from '../../support/memory/tenants.ts';
import { channel, signed } from './channel.ts';

const LATE_MS = 4_000;
const slow = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LATE_MS));
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

const { tenant: _tenant, ...stored } = channel;

let deps: WebhookDeps;
let log: MemoryLog;
beforeEach(async () => {
  const tenants = new MemoryTenants();
  await tenants.putSettings('t1', {});
  await tenants.putChannel('t1', { ...stored, access: 'anyone', secrets: {} });
  log = new MemoryLog();
  deps = {
    ...{ log, tenants, queue: new MemoryQueue(Date.now), actions: new MemoryActions(), usage: new MemoryUsage() },
    ...{ directory: new TenantDirectory(tenants), apps: { discord }, runtime, logger: quiet },
    ...{ openChannel: async () => channel, resolveModel, listModels: modelFacts },
  };
});

async function answerTo(interaction: Record<string, unknown>, isSigned = true) {
  const body = new TextEncoder().encode(JSON.stringify(interaction));
  const { headers } = signed(isSigned ? body : new Uint8Array());
  const request = { method: 'POST', body, headers };
  const before = Date.now();
  const response = await ask(webhookFunction(deps, discord), `/discord/${channel.id}`, request);
  const text = await response.text();
  return { status: response.status, ms: Date.now() - before, body: text ? JSON.parse(text) : undefined };
}

const ana = somebody();
const place = { channel: '300000000000000001' };
const NOT_SURE = { type: 4, data: { flags: 64, content: expect.stringMatching(/^Not sure I got this/) } };

test('DESIGN 3a: an append that is not known at 2.5 s: the person hears so, before Discord gives up', async () => {
  log.append = async (): Promise<never> => {
    await slow();
    throw new Error('The store does not answer');
  };
  const { status, ms, body } = await answerTo(command('ask', ana, place, 'why?'));
  expect([status, ms > 2_400, ms < 3_000]).toEqual([200, true, true]);
  expect(body).toMatchObject(NOT_SURE);
});

test('DESIGN 3a: an append that failed is said at once', async () => {
  log.newest = async (): Promise<StoredEvent> => {
    throw new Error('The store is down');
  };
  const { status, ms, body } = await answerTo(command('status', ana, place));
  expect([status, ms < 2_000]).toEqual([200, true]);
  expect(body).toMatchObject(NOT_SURE);
});

test('DESIGN 3, Outbox: a message that is in the log is deferred, whatever the queue does', async () => {
  deps.queue.send = async (): Promise<never> => {
    throw new Error('The queue is down');
  };
  expect(await answerTo(command('ask', ana, place, 'why?'))).toMatchObject({ status: 200, body: { type: 5 } });
  const [{ place: name } = { place: '' }] = await Array.fromAsync(log.places('t1'));
  expect((await log.newest({ tenant: 't1', place: name }))?.data).toMatchObject({ to: { deferred: true } });
});

test('a request that is not known to be Discord’s gets no answer that passes for one, whatever fails', async () => {
  deps.directory.get = async (): Promise<never> => {
    throw new Error('The store is down');
  };
  expect((await answerTo(command('status', ana, place), false)).status).toBe(503);
  expect((await answerTo(command('status', ana, place))).status).toBe(503);
});

test('a stranger hears each time that they are not let in, as one event (SPEC 9.3, 12.2)', async () => {
  await deps.tenants.putChannel('t1', { ...stored, access: 'owner', secrets: {} });
  const first = await answerTo(command('ask', ana, place, 'why?'));
  expect(first.body).toMatchObject({ type: 4, data: { flags: 68, content: expect.stringMatching(/not set up yet/) } });
  const second = await answerTo(command('ask', ana, place, 'why?'));
  expect(second.body).toEqual(first.body);
  const [{ place: name } = { place: '' }] = await Array.fromAsync(log.places('t1'));
  expect((await log.newest({ tenant: 't1', place: name }))?.seq).toBe(1);
});

test('SPEC 4.9: nothing is suggested for a command that the person may not run', async () => {
  const typed = autocomplete('help', ana, place, 'go');
  expect((await answerTo(typed)).body).toEqual({ type: 8, data: { choices: [{ name: 'goal', value: 'goal' }] } });
  await deps.tenants.putChannel('t1', { ...stored, access: 'owner', secrets: {} });
  expect((await answerTo(autocomplete('help', ana, place, 'go'))).body).toEqual({ type: 8, data: { choices: [] } });
  expect((await answerTo(autocomplete('nothing', ana, place, ''))).body).toEqual({ type: 8, data: { choices: [] } });
});

test('a command that is delivered twice is answered twice, the same (SPEC 2.3)', async () => {
  const once = command('goal', ana, place, 'Speak of whales');
  const first = await answerTo(once);
  const second = await answerTo(once);
  expect(second.body).toMatchObject({ type: 4, data: { content: first.body.data.content } });
  const [{ place: name } = { place: '' }] = await Array.fromAsync(log.places('t1'));
  expect((await log.newest({ tenant: 't1', place: name }))?.seq).toBe(1);
});

test('what is told to nobody is answered without a body, and with a type', async () => {
  const event = { version: 1, application_id: channel.settings.applicationId, type: 0 };
  const body = new TextEncoder().encode(JSON.stringify(event));
  const request = { method: 'POST', body, headers: signed(body).headers };
  const response = await ask(webhookFunction(deps, discord), `/discord/${channel.id}`, request);
  expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([
    ...[204, '', 'application/json'],
  ]);
});

test('SPEC 14.2: the log holds a reply token where something may be said later, and sealed', async () => {
  const eventOf = async (text: string) => {
    await answerTo(command('goal', ana, place, text));
    const [{ place: name } = { place: '' }] = await Array.fromAsync(log.places('t1'));
    return log.newest({ tenant: 't1', place: name });
  };
  const set = await eventOf('Speak of whales');
  expect(set).toMatchObject({ type: 'goal', data: { to: { token: expect.any(String) } } });
  expect(JSON.stringify(set)).not.toMatch(/token-\d/);
  const shown = await eventOf('');
  expect(shown?.type).toBe('command.ran');
  expect(JSON.stringify(shown)).not.toContain('token');
});

/** A command of which options hold options, so many levels of them. */
function nested(levels: number): string {
  const open = '{"name":"a","type":1,"options":['.repeat(levels);
  const data = `{"name":"help","type":1,"options":[${open}${']}'.repeat(levels)}]}`;
  return JSON.stringify({ ...command('help', ana, place), data: 0 }).replace('"data":0', `"data":${data}`);
}

test.each([
  [3, 200],
  [4, 400],
  [14_000, 400],
])('DESIGN 6: options of %i levels are answered with %i, however deep a body is', async (levels, status) => {
  const body = new TextEncoder().encode(nested(levels));
  const answer = await ask(webhookFunction(deps, discord), `/discord/${channel.id}`, {
    ...{ method: 'POST', headers: signed(body).headers, body },
  });
  expect(answer.status).toBe(status);
  expect(discord.apology?.(body) === undefined).toBe(status === 400);
});

test.each([
  ['<@ID> will it rain?', 'will it rain?'],
  ['<@!ID>, will it rain?', 'will it rain?'],
  ['<@ID>', '<@ID>'],
  ['is <@ID> there?', 'is <@ID> there?'],
])('SPEC 3.2, case A 8: a mention of us in front of what is asked is dropped: %s', async (asked, read) => {
  const id = channel.settings.applicationId ?? '';
  await answerTo(command('ask', ana, place, asked.replace('ID', id)));
  const [{ place: name } = { place: '' }] = await Array.fromAsync(log.places('t1'));
  const newest = await log.newest({ tenant: 't1', place: name });
  expect(newest?.data).toMatchObject({ content: { text: read.replace('ID', id) } });
});
