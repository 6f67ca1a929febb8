import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BOT_SCOPES } from '../../lib/channels/slack/manifest.ts';
import type { Finding } from '../../lib/ports/health.ts';
import { APPLICATION, DiscordStandIn } from '../standins/discord.ts';
import { startMcp, textTool } from '../standins/mcp.ts';
import { SlackStandIn } from '../standins/slack.ts';
import { TelegramStandIn } from '../standins/telegram.ts';
import { createTestAdministration, PUBLIC_URL, type TestAdministration } from './setup.ts';

let admin: TestAdministration;
let telegram: TelegramStandIn;
let slack: SlackStandIn;
let models: Server;
let webhookUrl: (app: string, id: string) => string | undefined;
const provider = { status: 200, keys: [] as (string | undefined)[] };
let count = 0;
let tenant = '';

beforeAll(async () => {
  admin = await createTestAdministration({ webhookUrl: (app, id) => webhookUrl(app, id) });
  models = createServer((request, response) => {
    provider.keys.push(request.headers.authorization);
    response.writeHead(provider.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: [{ id: 'one' }, { id: 'two-2026' }] }));
  });
  await new Promise<void>((resolve) => models.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  admin.close();
  models.close();
});
beforeEach(async () => {
  [telegram, slack] = await Promise.all([TelegramStandIn.start(), SlackStandIn.start()]);
  webhookUrl = (app, id) => `${PUBLIC_URL}/${app}/${id}`;
  provider.status = 200;
  tenant = `health${++count}`;
  await admin.call('PUT', `/v1/tenants/${tenant}`);
  return async () => {
    await Promise.all([telegram.close(), slack.close()]);
  };
});

type Check = Finding & { about: string };

async function health(): Promise<Check[]> {
  const { status, body } = await admin.call('GET', `/v1/tenants/${tenant}/health`);
  expect(status).toBe(200);
  for (const { what, todo, status: kind } of body.checks as Check[]) {
    expect(what).toMatch(/[.!]$/);
    if (kind === 'problem') expect(todo).toMatch(/\w/);
  }
  return body.checks;
}

const put = async (path: string, body: object) => {
  const answer = await admin.call('PUT', `/v1/tenants/${tenant}/${path}`, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
const problems = async () => (await health()).filter(({ status }) => status === 'problem').map(({ what }) => what);
const bot = (more = {}) => ({ app: 'telegram', token: telegram.token, apiRoot: telegram.root, ...more });
const address = () => `http://127.0.0.1:${(models.address() as AddressInfo).port}`;

describe('a tenant (SPEC 14.1)', () => {
  test('one that does not exist is said so; one with nothing is told what to begin with', async () => {
    expect((await admin.call('GET', '/v1/tenants/nobody/health')).status).toBe(404);
    const checks = await health();
    expect(checks.map(({ status }) => status)).toEqual(['ok', 'note', 'note']);
    expect(JSON.stringify(checks)).toMatch(/conch put provider .*conch put channel/);
  });

  test('a limit that is reached today is told', async () => {
    await put('settings', { turnsPerDay: 1 });
    await admin.stores.usage.add(tenant, new Date(admin.clock.ms).toISOString().slice(0, 10), { turns: 1 });
    const checks = await health();
    expect(checks.map(({ what }) => what).join()).toContain('turnsPerDay 1');
    expect(JSON.stringify(checks)).toContain('tomorrow');
  });

  test('the use of today is that of today, and not of the newest day that something was used', async () => {
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const today = async () => (await admin.call('GET', `/v1/tenants/${tenant}/health`)).body.today;
    await admin.stores.usage.add(tenant, day(admin.clock.ms - 86_400_000), { turns: 3, inputTokens: 40 });
    expect(await today()).toEqual({ turns: 0, inputTokens: 0, outputTokens: 0 });
    await admin.stores.usage.add(tenant, day(admin.clock.ms), { turns: 1 });
    expect(await today()).toMatchObject({ turns: 1, inputTokens: 0, outputTokens: 0 });
  });

  test.each([{ turnsPerDay: 0 }, { turnsAtOnce: 0 }])('SPEC 9.4: a limit of 0 never opens: %j', async (settings) => {
    await put('settings', settings);
    const told = (await health()).find(({ what }) => what.includes(' is 0'));
    expect(told?.what).toBe(`No message is taken: ${Object.keys(settings)} is 0.`);
    expect(told?.todo).toBe('It stays so; “npx conch put settings” changes the limit.');
  });
});

describe('a provider', () => {
  const main = (more = {}) => ({ engine: 'openai-compatible', baseURL: address(), apiKey: 'key-canary-1', ...more });

  test('takes its key, or not; the key is never told', async () => {
    await put('providers/main', main({ models: [{ id: 'one' }] }));
    expect(await problems()).toEqual([]);
    expect(provider.keys.at(-1)).toBe('Bearer key-canary-1');
    provider.status = 401;
    const checks = await health();
    expect(checks.find(({ about }) => about.startsWith('provider main'))).toMatchObject({
      status: 'problem',
      what: 'The provider refuses this key.',
      todo: expect.stringContaining('conch put provider main'),
    });
    expect(JSON.stringify(checks)).not.toContain('canary');
  });

  test.each([
    [402, 'problem', /credit/],
    [429, 'note', /no more requests/],
    [404, 'note', /cannot be checked/],
    [500, 'note', /overloaded|fails/],
  ] as const)('that answers %s', async (status, kind, words) => {
    await put('providers/main', main());
    provider.status = status;
    const check = (await health()).find(({ about }) => about.startsWith('provider main'));
    expect(check).toMatchObject({ status: kind, what: expect.stringMatching(words) });
  });

  test('nobody answers at its address; the model that is chosen is not there', async () => {
    await put('providers/main', main({ baseURL: 'http://127.0.0.1:65530' }));
    expect((await problems()).join()).toContain('Nobody answers at its address');
    await put('providers/main', main());
    await put('settings', { model: 'main/three' });
    expect((await problems()).join()).toContain('does not know the model “three”');
    await put('settings', { model: 'main/two' });
    expect(await problems()).toEqual([]);
  });
});

describe('a Telegram bot', () => {
  test('that works has no problem: token, webhook, menu, owner', async () => {
    await put('channels/main', bot({ owner: '111' }));
    const checks = (await health()).filter(({ about }) => about === 'channel main (telegram)');
    expect(checks.map(({ status }) => status)).toEqual(checks.map(() => 'ok'));
    expect(checks.length).toBeGreaterThanOrEqual(5);
  });

  test.each([
    ['no webhook', () => Object.assign(telegram, { webhook: undefined }), /delivers nothing/],
    [
      'another address',
      () => Object.assign(telegram, { webhook: { url: 'https://other.example/secret-path' } }),
      /delivers to other\.example/,
    ],
    [
      'failed deliveries',
      () => {
        const last = {
          last_error_date: Math.floor(admin.clock.ms / 1000) - 120,
          last_error_message: 'Wrong response: 502',
        };
        telegram.webhookInfo = { ...last, pending_update_count: 40 };
      },
      /2 min ago: Wrong response: 502/,
    ],
    [
      'a revoked token',
      () => telegram.fail({ kind: 'refuse', code: 401, description: 'Unauthorized' }, { times: 9 }),
      /does not know this token/,
    ],
  ])('%s', async (_case, mistake, words) => {
    await put('channels/main', bot({ owner: '111' }));
    mistake();
    const found = await problems();
    expect(found).toEqual([expect.stringMatching(words)]);
    expect(found.join()).not.toContain('secret-path');
  });

  test('a failure of long ago, and a public address that is http or none', async () => {
    await put('channels/main', bot({ owner: '111' }));
    telegram.webhookInfo = { last_error_date: Math.floor(admin.clock.ms / 1000) - 7_200, last_error_message: 'x' };
    expect(await problems()).toEqual([]);
    webhookUrl = () => undefined;
    expect(await problems()).toEqual(['Conch has no address that Telegram could call.']);
    webhookUrl = (app, id) => `http://localhost:8787/${app}/${id}`;
    expect((await problems())[0]).toContain('calls https only');
  });

  test('SPEC 9.2: nobody owns it: the code is open, then over', async () => {
    await put('channels/main', bot());
    const about = async () => (await health()).filter(({ what }) => /belongs to/.test(what));
    expect(await about()).toMatchObject([{ status: 'note', todo: expect.stringContaining('/start') }]);
    admin.clock.ms += 25 * 3_600_000;
    expect(await about()).toMatchObject([{ status: 'problem' }]);
  });

  test('SPEC 12.1: a menu that is not the one of today, and a command that has no room there', async () => {
    await put('channels/main', bot({ owner: '111' }));
    await admin.stores.tenants.putCommand(tenant, {
      ...{ name: 'translate', description: 'Translates', enabled: true, who: 'people', template: 'x' },
    });
    expect(await problems()).toEqual(['Its command menu is not the one of today.']);
    await put('commands/translate', { meta: { description: 'Translates' }, template: 'x' });
    expect(await problems()).toEqual([]);
  });
});

test('a Discord application: its token, its endpoint, its commands', async () => {
  const discord = await DiscordStandIn.start();
  try {
    const record = { applicationId: APPLICATION, publicKey: discord.signer.publicKey };
    const id = `${tenant}.discordbot`;
    const botToken = await admin.stores.secrets.seal(discord.botToken, { tenant, owner: id });
    await admin.stores.tenants.putChannel(tenant, {
      ...{ id, name: 'bot', app: 'discord', access: 'anyone', owner: '1', settings: record, secrets: { botToken } },
      apiRoot: discord.root,
    });
    expect(await problems()).toEqual([
      'Discord sends commands nowhere.',
      'Discord shows no commands of the application.',
      'Its command menu is not the one of today.',
    ]);
    discord.webhook = `${PUBLIC_URL}/discord/${id}`;
    discord.commands = [{ name: 'ask' }];
    expect(await problems()).toEqual(['Its command menu is not the one of today.']);
    discord.webhook = 'https://other.example/x';
    expect((await problems())[0]).toContain('other.example');
  } finally {
    await discord.close();
  }
});

describe('a Slack app', () => {
  const app = (more = {}) => ({ app: 'slack', signingSecret: slack.signingSecret, apiRoot: slack.root, ...more });

  test('of one workspace: its token and its rights', async () => {
    await put('channels/bot', app({ botToken: slack.botToken, owner: 'U012AB3CD' }));
    expect(await problems()).toEqual([]);
    slack.scopes = BOT_SCOPES;
    expect(await problems()).toEqual([]);
    slack.scopes = BOT_SCOPES.filter((scope) => !scope.startsWith('files:'));
    expect(await problems()).toEqual(['The app lacks rights: files:read, files:write.']);
    slack.uninstall();
    expect((await problems())[0]).toContain('does not know this token');
  });

  test('of many: the app’s secret, and each workspace', async () => {
    const { clientId, clientSecret } = slack.workspaces;
    const { id } = await put('channels/bot', app({ clientId, clientSecret, owner: 'T01:U012AB3CD' }));
    expect((await health()).map(({ what }) => what)).toContain('It is installed in no workspace.');
    slack.workspaces.add('T01', 'One');
    const scope = { tenant, channelId: id };
    const owner = `${id}#T01`;
    const page = `${slack.origin}/oauth/v2/authorize?client_id=${clientId}&scope=chat:write&redirect_uri=https://x.example`;
    const code = new URL(slack.workspaces.allow(page, 'T01')).searchParams.get('code');
    const { access_token: token } = slack.workspaces.access({
      ...{ client_id: clientId, client_secret: clientSecret, code, redirect_uri: 'https://x.example' },
    });
    const botToken = await admin.stores.secrets.seal(String(token), { tenant, owner });
    const record = { workspace: 'T01', name: 'One', bot: {}, secrets: { botToken }, mark: 'm', installedAt: 1 };
    await admin.stores.installations.put(scope, record);
    expect((await health()).map(({ what }) => what)).toContain('It is installed in One.');
    slack.workspaces.uninstall('T01');
    expect(await problems()).toEqual(['The app was removed from One.']);
    await admin.stores.installations.put(scope, { ...record, refused: 'Slack renews its token no more.' });
    expect(await problems()).toEqual(['Workspace One: Slack renews its token no more.']);
    slack.workspaces.add('T02', 'Two');
    Object.assign(slack.workspaces, { clientSecret: 'another0secret0000000000' });
    expect((await problems()).join()).toContain('This is not the client secret');
  });
});

test('the text app: whether somebody listens where replies go', async () => {
  const text = { app: 'text', secret: 'a-secret-of-enough-characters', owner: 'ana' };
  await put('channels/one', text);
  await put('channels/two', { ...text, callbackUrl: address() });
  expect(await problems()).toEqual([]);
  await put('channels/two', { ...text, callbackUrl: 'http://127.0.0.1:65530/replies' });
  expect(await problems()).toEqual([expect.stringContaining('Nobody answers at 127.0.0.1:65530')]);
});

test('SPEC 14.2: what health tells holds no secret', async () => {
  await put('channels/main', bot());
  await put('channels/bot', {
    app: 'slack',
    signingSecret: slack.signingSecret,
    botToken: slack.botToken,
    apiRoot: slack.root,
  });
  const told = JSON.stringify([await health(), admin.logged]);
  for (const secret of [telegram.token, slack.botToken, slack.signingSecret]) expect(told).not.toContain(secret);
});

test('SPEC 14.1: of a tool server, how it went when it was last asked, and how to ask it again', async () => {
  const mcp = await startMcp({ tools: [textTool('list')] });
  await put('tool-servers/tracker', { url: mcp.url });
  const ofServer = async () => (await health()).filter(({ about }) => about === 'tool server tracker');
  expect(await ofServer()).toMatchObject([{ status: 'ok', what: 'It answered. It has 1 tool and 0 prompts.' }]);
  await put('tool-servers/tracker', { url: mcp.url, only: ['list', 'lost'] });
  expect(await problems()).toEqual(['It does not have these tools: lost.']);
  mcp.stop();
  await admin.call('POST', `/v1/tenants/${tenant}/tool-servers/tracker/refresh`);
  const todo = expect.stringContaining(`npx conch refresh tool-server tracker --tenant ${tenant}`);
  expect(await ofServer()).toMatchObject([
    { status: 'problem', what: 'When it was last asked: It cannot be reached.', todo },
  ]);
  await admin.stores.tenants.putToolServer(tenant, {
    ...{ name: 'tracker', url: 'https://moved.example/mcp', headers: {}, prompts: [], revision: 'r' },
  });
  expect(await ofServer()).toMatchObject([{ status: 'note', what: 'It was not asked yet what it offers.', todo }]);
});
