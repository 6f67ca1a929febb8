import { request } from 'node:http';
import type { LambdaFunctionURLEvent as Event } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { webhookFunction } from '../../functions/webhook.ts';
import { slack } from '../../lib/channels/slack/index.ts';
import type { Channel, ChatApp } from '../../lib/ports/chatApp.ts';
import { modelFacts, resolveModel } from '../../lib/providers/models.ts';
import { at, encode, signed } from '../channels/slack/channel.ts';
import { ANA, BOT, GENERAL, SlackStandIn } from '../standins/slack.ts';
import { ask, listenTo } from '../support/functionUrl.ts';
import { MemoryActions } from '../support/memory/actions.ts';
import { MemoryUsage } from '../support/memory/capacity.ts';
import { MemoryLog } from '../support/memory/log.ts';
import { MemoryQueue } from '../support/memory/queue.ts';
import { MemoryTenants } from '../support/memory/tenants.ts';

const WAIT_MS = 100;

let standIn: SlackStandIn;
let channel: Channel;
let log: MemoryLog;
let tenants: MemoryTenants;
beforeEach(async () => {
  standIn = await SlackStandIn.start();
  standIn.addChannel(GENERAL, [BOT, ANA]);
  channel = at(standIn);
  [log, tenants] = [new MemoryLog(), new MemoryTenants()];
  const { id, name, app } = channel;
  await tenants.putChannel('t1', { id, name, app, access: 'anyone', settings: {}, secrets: {} });
});
afterEach(() => standIn.close());

/** A webhook of Slack that waits for a tenth of a second only. */
function webhook(app: ChatApp = { ...slack, limits: { ...slack.limits, answerWithinMs: WAIT_MS } }) {
  const now = Date.now;
  let ids = 0;
  const deps = {
    ...{ log, tenants, actions: new MemoryActions(), usage: new MemoryUsage(), queue: new MemoryQueue(now) },
    directory: { get: (tenant: string) => tenants.load(tenant), fresh: (tenant: string) => tenants.load(tenant) },
    ...{ apps: {}, openChannel: async () => channel, resolveModel, listModels: modelFacts },
    runtime: { now, newId: () => `id-${ids++}`, random: () => 0, sleep: async () => {} },
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  };
  return webhookFunction(deps, app);
}

async function answerOf(path: string, request: RequestInit, app?: ChatApp) {
  const response = await ask(webhook(app), path, request);
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text) };
}

function post(payload: Record<string, unknown>, secret?: string, app?: ChatApp) {
  const seconds = Math.floor(Date.now() / 1000);
  const { headers, body } = signed(encode(payload), { seconds, ...(secret === undefined ? {} : { secret }) });
  return answerOf(`/slack/${channel.id}`, { method: 'POST', headers, body: new Uint8Array(body) }, app);
}

/** From now on nothing comes back from the log. */
function hangLog(): void {
  log.newest = () => new Promise(() => {});
}

test('DESIGN 3: what is not known to be in the log in time is to be delivered again', async () => {
  hangLog();
  expect(await post(standIn.payloads.direct('hi'))).toMatchObject({ status: 503 });
});

test('SPEC 13.5: a command, which is not delivered again, is answered with words for the person', async () => {
  hangLog();
  const answer = await post(standIn.command('clear', ANA, GENERAL));
  expect(answer).toEqual({
    status: 200,
    body: { response_type: 'ephemeral', text: expect.stringContaining('Not sure') },
  });
});

test('who is not known to be the app gets no words of ours', async () => {
  expect((await post(standIn.command('clear', ANA, GENERAL), 'wrong')).status).toBe(401);
});

test('once it is in the log the answer is in time, and the reply comes behind it', async () => {
  standIn.fail({ kind: 'hang', effect: true });
  expect(await post(standIn.command('help', ANA, GENERAL))).toEqual({ status: 200, body: '' });
  await expect.poll(() => standIn.visible(GENERAL, ANA)).toHaveLength(1);
});

test('SPEC 14.2: an app that takes no reply for now raises no alarm of the operator’s', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  standIn.fail({ kind: 'error', error: 'ratelimited', status: 429, retryAfterS: 30 }, { times: 5 });
  expect(await post(standIn.command('help', ANA, GENERAL))).toMatchObject({ status: 200 });
  await expect.poll(() => written.mock.calls.join()).toContain('webhook.reply-refused');
  expect(written.mock.calls.join()).not.toContain('"level":"error"');
  written.mockRestore();
});

test.each([
  ['GET', `/slack/c1`],
  ['POST', '/slack'],
  ['POST', '/slack/'],
  ['POST', '/slack/c1/'],
  ['POST', '/telegram/c1'],
  ['POST', '/'],
])('DESIGN 6: there is nothing at %s %s', async (method, path) => {
  const message = 'There is nothing here; webhooks are POST /slack/<channelId>.';
  expect(await answerOf(path, { method })).toEqual({ status: 404, body: { message } });
});

test('DESIGN 6: a channel that there is not', async () => {
  channel = { ...channel, id: 'other' };
  expect(await post(standIn.payloads.direct('hi'))).toMatchObject({ status: 404 });
});

test('a body over 1 MB is refused before anybody looks at it', async () => {
  const request = { method: 'POST', body: 'x'.repeat(1_000_001) };
  expect(await answerOf(`/slack/${channel.id}`, request)).toMatchObject({ status: 413 });
});

test('a body that Lambda gives as text is read as one in base64 is', async () => {
  const { headers, body } = signed(encode(standIn.payloads.direct('grüße')), {
    seconds: Math.floor(Date.now() / 1000),
  });
  const http = { method: 'POST', path: '', protocol: 'HTTP/1.1', sourceIp: '', userAgent: '' };
  const event = { rawPath: `/slack/${channel.id}`, headers, requestContext: { http } } as unknown as Event;
  const text = new TextDecoder().decode(body);
  expect(await webhook()({ ...event, body: text, isBase64Encoded: false })).toMatchObject({ statusCode: 200 });
});

const HTTP = { http: { method: 'POST' } };
test.each<[string, unknown, number]>([
  ['nothing', undefined, 400],
  ['null', null, 400],
  ['an event of another service', { Records: [] }, 400],
  ['no path', { requestContext: HTTP, headers: {}, body: '' }, 400],
  ['no context', { rawPath: '/slack/c1', headers: {}, body: '' }, 400],
  ['an empty context', { rawPath: '/slack/c1', requestContext: {}, headers: {} }, 400],
  ['no headers', { rawPath: '/slack/none', requestContext: HTTP, body: '{}' }, 404],
  ['a body of null', { rawPath: '/slack/none', requestContext: HTTP, headers: null, body: null }, 404],
  ['a body that is no text', { rawPath: '/slack/none', requestContext: HTTP, headers: {}, body: 7 }, 404],
])('DESIGN 6: a function that is invoked with %s answers plainly', async (_what, event, statusCode) => {
  expect(await webhook()(event as Event)).toMatchObject({ statusCode });
});

test('DESIGN 6: an apology that cannot be made is none', async () => {
  hangLog();
  const app: ChatApp = {
    ...{ ...slack, limits: { ...slack.limits, answerWithinMs: WAIT_MS } },
    apology: () => {
      throw new RangeError('Maximum call stack size exceeded');
    },
  };
  expect(await post(standIn.payloads.direct('hi'), undefined, app)).toMatchObject({ status: 503 });
});

test.each(['//', '///x', '//[', '//x:99999/', '/%', '//@'])(
  'a path that is no address of ours is nothing here: %s',
  async (path) => {
    const { url, close } = await listenTo(webhook());
    const answered = Promise.withResolvers<number | undefined>();
    const target = { host: '127.0.0.1', port: new URL(url).port, path };
    request(target, (response) => answered.resolve(response.resume().statusCode))
      .on('error', answered.reject)
      .end();
    expect(await answered.promise).toBe(404);
    await close();
  },
);
