import { QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FUNCTIONS } from '../../infra/bundling.ts';
import { PERMISSIONS } from '../../infra/permissions.ts';
import { signatureHeaders } from '../../lib/channels/text/verify.ts';
import type { EngineName } from '../../lib/ports/tenants.ts';
import { until } from '../e2e/conch.ts';
import { APPLICATION, command, DiscordStandIn, press, shownText, somebody } from '../standins/discord.ts';
import { startMcp, textTool } from '../standins/mcp.ts';
import { ModelStandIn } from '../standins/model.ts';
import { ANA, directChannel, SlackStandIn, shownOf } from '../standins/slack.ts';
import { botOf } from '../standins/slackWorkspaces.ts';
import { TeamsStandIn } from '../standins/teams.ts';
import { group, person, TelegramStandIn, Updates } from '../standins/telegram.ts';
import { type Deployment, deploy } from './deployment.ts';

/** Two bytes, three, four and a joined one: what a body read in another way than as its bytes would break. */
const NON_ASCII = 'Grüße aus Łódź, привет, 你好 🐚👩‍🚀';
const SECRET = 'a-secret-of-the-text-app-0123456789';

let conch: Deployment;
let telegram: TelegramStandIn;
let model: ModelStandIn;
/** Makes whoever sends it with `/start` the owner of Telegram's channel. */
let claimCode: string;
const updates = new Updates();

beforeAll(async () => {
  [conch, telegram, model] = await Promise.all([deploy(), TelegramStandIn.start(), ModelStandIn.start()]);
  conch.feedWorker();
  await conch.call('PUT', '/tenants/acme', {});
  await provider('acme', 'openai-compatible');
  const connected = await connectTelegram();
  expect(connected).toMatchObject({ status: 201, body: { registered: true } });
  claimCode = connected.body.claimCode;
});

afterAll(async () => {
  await Promise.all([conch?.stop(), telegram?.close(), model?.close()]);
});

const connectTelegram = () =>
  conch.call<{ claimCode: string }>('PUT', '/tenants/acme/channels/bot', {
    ...{ app: 'telegram', token: telegram.token, apiRoot: telegram.root, access: 'anyone' },
  });

async function provider(tenant: string, engine: EngineName) {
  const fields =
    engine === 'demo'
      ? {}
      : { apiKey: model.apiKey, baseURL: model.baseURL(engine), models: [{ id: 'one', contextWindow: 100_000 }] };
  const put = await conch.call('PUT', `/tenants/${tenant}/providers/main`, { engine, ...fields });
  expect(put).toMatchObject({ status: 201 });
}

interface Connected {
  webhookPath: string;
  claimCode: string;
}

/** A channel of the text app in a tenant of its own, and how to talk there. */
async function textChannel(tenant: string, engine: EngineName) {
  await conch.call('PUT', `/tenants/${tenant}`, {});
  await provider(tenant, engine);
  const { body } = await conch.call<Connected>('PUT', `/tenants/${tenant}/channels/main`, {
    ...{ app: 'text', secret: SECRET, access: 'anyone' },
  });
  const address = `${conch.urls.text.url.replace(/\/$/u, '')}${body.webhookPath}`;
  return {
    claimCode: body.claimCode,
    async say(text: string): Promise<void> {
      const message = JSON.stringify({ id: crypto.randomUUID(), chat: 'c', person: 'ana', text });
      const headers = signatureHeaders(SECRET, message, Date.now());
      expect((await fetch(address, { method: 'POST', body: message, headers })).status).toBe(200);
    },
    async replies(): Promise<string[]> {
      const headers = signatureHeaders(SECRET, '', Date.now());
      const response = await fetch(`${address}/replies?chat=c&after=0`, { headers });
      expect(response.status).toBe(200);
      return ((await response.json()) as { text: string }[]).map(({ text }) => text);
    },
  };
}

describe('the bundles, each with its environment and its role’s permissions', () => {
  test('L 140: a body in base64 with non-ASCII text is verified as it came, read and answered (Telegram)', async () => {
    const ana = person(7_001, 'Ana');
    model.reply(NON_ASCII);
    expect(await telegram.deliver(updates.privateMessage(NON_ASCII, ana))).toBe(200);
    await until(() => telegram.visible(ana.id).includes(NON_ASCII), 'the reply');
    expect(JSON.stringify(model.last.body)).toContain(NON_ASCII);
  });

  test('L 140: the same for the text app, whose signature is over the bytes', async () => {
    const chat = await textChannel('texts', 'demo');
    await chat.say(NON_ASCII);
    await until(async () => (await chat.replies()).some((text) => text.includes(NON_ASCII)), 'the reply');
  });

  test('commands, a claim and a press are answered by the webhook itself (Telegram)', async () => {
    const ben = person(7_002, 'Ben');
    const say = (text: string) => telegram.deliver(updates.privateMessage(text, ben));
    await say('/goal Łódź');
    await say(`/start ${claimCode}`);
    model.reply('Hello, Ben.');
    await say('Hello');
    await until(() => telegram.visible(ben.id).includes('Hello, Ben.'), 'the reply');
    await say('/clear');
    const [goal, claimed, , cleared] = telegram.messages(ben.id);
    expect([goal?.text, claimed?.text].join()).toMatch(/Goal set.*yours now/su);
    if (!cleared) throw new Error('There is no answer to /clear');
    const press = updates.press(cleared.buttons[0]?.[0]?.data ?? '', ben, telegram.asSent(cleared));
    expect(await telegram.deliver(press)).toBe(200);
    expect(telegram.visible(ben.id).join()).toMatch(/Undone/u);
  });

  test('commands, a claim and a choice are answered by the webhook itself (text)', async () => {
    const chat = await textChannel('commands', 'demo');
    for (const text of [`/start ${chat.claimCode}`, 'Hello']) await chat.say(text);
    await until(async () => (await chat.replies()).length === 2, 'the reply');
    for (const text of ['/clear', '1']) await chat.say(text);
    expect((await chat.replies()).join()).toMatch(/yours now.*Cleared.*Undone/su);
  });

  test('commands, a claim, a message and a press are answered in the HTTP answer, signed with Ed25519 (Discord)', async () => {
    const discord = await DiscordStandIn.start();
    const ana = somebody('ana');
    const direct = { channel: discord.direct(ana.id) };
    const say = (name: string, text?: string) => discord.deliver(command(name, ana, direct, text));
    try {
      const { body, status } = await conch.call<Connected>('PUT', '/tenants/acme/channels/discord', {
        ...{ app: 'discord', applicationId: APPLICATION, publicKey: discord.signer.publicKey },
        ...{ botToken: discord.botToken, apiRoot: discord.root, access: 'anyone' },
      });
      expect(status).toBe(201);
      expect((await discord.deliver(command('status', ana, direct), { signed: false })).status).toBe(401);
      await say('goal', NON_ASCII);
      await say('start', body.claimCode);
      model.reply(NON_ASCII);
      expect(await say('ask', NON_ASCII)).toMatchObject({ status: 200, body: { type: 5 } });
      await until(() => discord.shown(direct.channel).includes(NON_ASCII), 'the reply');
      await say('clear');
      const cleared = discord.messages.at(-1);
      if (!cleared) throw new Error('There is no answer to /clear');
      await discord.deliver(press(cleared.buttons[0]?.[0]?.value ?? '', ana, direct, discord.asSent(cleared)));
      expect(discord.messages.map(({ content }) => shownText(content)).join()).toMatch(/Goal set.*yours now.*Undone/su);
    } finally {
      await discord.close();
    }
  });

  test('commands, a claim, a message and a press are answered by calls (Slack)', async () => {
    const slack = await SlackStandIn.start();
    const direct = directChannel(ANA);
    slack.addChannel(direct);
    const run = (text: string) => slack.deliver(slack.command(text, ANA, direct));
    try {
      const { body } = await conch.call<Connected>('PUT', '/tenants/acme/channels/slack', {
        ...{ app: 'slack', signingSecret: slack.signingSecret, botToken: slack.botToken },
        ...{ apiRoot: slack.root, access: 'anyone' },
      });
      slack.webhook = `${conch.urls.slack.url.replace(/\/$/u, '')}${body.webhookPath}`;
      expect((await slack.deliver(slack.payloads.direct('hi', ANA), { secret: 'wrong' })).status).toBe(401);
      await run(`goal ${NON_ASCII}`);
      await run(`start ${body.claimCode}`);
      model.reply(NON_ASCII);
      expect(await slack.deliver(slack.payloads.direct(NON_ASCII, ANA))).toEqual({ status: 200, body: '' });
      await until(() => slack.visible(direct).includes(NON_ASCII), 'the reply');
      await run('clear');
      const cleared = slack.messages.at(-1);
      if (!cleared) throw new Error('There is no answer to /clear');
      await slack.deliver(slack.press(cleared, 'Undo', ANA));
      expect(slack.messages.map(shownOf).join()).toMatch(/Goal set.*yours now.*Undone/su);
    } finally {
      await slack.close();
    }
  });

  test('an app is installed in a workspace, and whoever needs its token there renews it (Slack)', async () => {
    const slack = await SlackStandIn.start();
    const [team, direct] = ['T0ONE0001', directChannel(ANA)];
    slack.addChannel(direct);
    slack.workspaces.add(team, 'One');
    // Shorter than what is left of a token when it is renewed.
    slack.workspaces.tokenLifeS = 3_600;
    try {
      const { clientId, clientSecret } = slack.workspaces;
      const { body } = await conch.call<Connected & { installUrl: string }>('PUT', '/tenants/acme/channels/many', {
        ...{ app: 'slack', signingSecret: slack.signingSecret, clientId, clientSecret },
        ...{ apiRoot: slack.root, access: 'anyone' },
      });
      slack.webhook = body.installUrl.replace('/install', '');
      const begun = await fetch(body.installUrl, { redirect: 'manual' });
      const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split('; ');
      // The function takes its address from the request, which a Function URL gets by https.
      const back = new URL(slack.workspaces.allow(begun.headers.get('location') ?? '', team));
      const here = new URL(`${back.pathname}${back.search}`, conch.urls.slack.url);
      expect((await fetch(here, { headers: { cookie } })).status).toBe(200);
      model.reply(NON_ASCII);
      const payloads = slack.payloads.of(team, botOf(team));
      expect((await slack.deliver(payloads.direct(NON_ASCII, ANA))).status).toBe(200);
      await until(() => slack.messages.some((one) => one.team === team && shownOf(one) === NON_ASCII), 'the reply');
      expect(slack.workspaces.refreshes).toBeGreaterThan(1);
    } finally {
      await slack.close();
    }
  });

  test('tokens are checked against fetched keys; a claim, a message and a press are answered (Teams)', async () => {
    const teams = await TeamsStandIn.start();
    const [ana, chat] = ['29:1ana', '29:1ana'.replace('29:', 'a:')];
    const say = (text: string) => teams.deliver(teams.payloads.direct(text, ana));
    try {
      const { body } = await conch.call<Connected>('PUT', '/tenants/acme/channels/teams', {
        ...{ app: 'teams', ...teams.fields, access: 'anyone' },
      });
      teams.webhook = `${conch.urls.teams.url.replace(/\/$/u, '')}${body.webhookPath}`;
      expect((await teams.deliver(teams.payloads.direct('hi', ana), { unendorsed: true })).status).toBe(401);
      await say(`/start ${body.claimCode}`);
      model.reply(NON_ASCII);
      expect(await say(NON_ASCII)).toEqual({ status: 200, body: '' });
      await until(() => teams.visible(chat).includes(NON_ASCII), 'the reply');
      await say('/clear');
      const cleared = teams.messages.at(-1);
      if (!cleared) throw new Error('There is no answer to /clear');
      expect((await teams.press(cleared, 'Undo', ana)).words).toMatch(/^Undone/u);
      expect(teams.visible(chat).join()).toMatch(/yours now.*Undone/su);
    } finally {
      await teams.close();
    }
  });

  test('SPEC 7.4: in a group the worker looks up who asks (Telegram)', async () => {
    const chat = group(-1_007);
    model.reply('Over here.');
    await telegram.deliver(updates.groupMessage('@acme_bot where?', person(7_007, 'Finn'), chat));
    await until(() => telegram.visible(chat.id).includes('Over here.'), 'the reply');
  });

  test('DESIGN 3, Hints: a second hint during a turn is sent again, for when the turn’s lease is over', async () => {
    const eva = person(7_006, 'Eva');
    model.reply({ chunks: ['One', ', two', ', three.'], delayMs: 500 });
    await telegram.deliver(updates.privateMessage('Count', eva));
    await until(() => model.requests.some(({ body }) => JSON.stringify(body).includes('Count')), 'the request');
    await conch.stores.queue.send({ tenant: 'acme', place: await placeOfChat(eva.id) });
    await until(async () => (await delayedHints()) === 1, 'the delayed hint');
    await until(() => telegram.visible(eva.id).includes('One, two, three.'), 'the reply');
  });

  test('a body that is not signed is refused', async () => {
    expect(await telegram.deliver(updates.privateMessage('hi', person(7_003)), { secret: 'wrong' })).toBe(401);
  });

  test.each(['anthropic', 'openai', 'google', 'bedrock'] as const)('the worker loads the engine %s', async (engine) => {
    const chat = await textChannel(`with-${engine}`, engine);
    model.reply(`From ${engine}.`);
    await chat.say('Who is there?');
    await until(async () => (await chat.replies()).includes(`From ${engine}.`), `an answer of ${engine}`);
    expect(model.last.protocol).toBe(engine);
  });

  test('DESIGN 3, Outbox: work that no hint was sent for is found by the sweeper, and then answered', async () => {
    const cid = person(7_004, 'Cid');
    conch.gateways.telegram.sqsDown = true;
    expect(await telegram.deliver(updates.privateMessage('Lost?', cid))).toBe(200);
    conch.gateways.telegram.sqsDown = false;
    expect(await conch.functions.sweeper.invoke({})).toEqual({ found: 0 });
    await makeOwedOlder();
    model.reply('Found.');
    expect(await conch.functions.sweeper.invoke({})).toEqual({ found: 1 });
    await until(() => telegram.visible(cid.id).includes('Found.'), 'the reply');
  });

  test('DESIGN 3, Waits: a dead letter of a place that owes something becomes a delayed hint', async () => {
    const dan = person(7_005, 'Dan');
    conch.gateways.telegram.sqsDown = true;
    await telegram.deliver(updates.privateMessage('Given up?', dan));
    conch.gateways.telegram.sqsDown = false;
    const before = await delayedHints();
    const record = { messageId: 'one', body: JSON.stringify({ tenant: 'acme', place: await placeOfChat(dan.id) }) };
    const broken = { messageId: 'two', body: 'no hint' };
    const answer = await conch.functions.deadLetters.invoke({ Records: [record, broken] });
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(await delayedHints()).toBe(before + 1);
  });

  test('SPEC 12.1: called by its schedule, the administration looks at menus once for a deployment', async () => {
    const first = await conch.functions.admin.invoke<{ tenants: number }>({ follow: 'deployment' });
    expect(first.tenants).toBeGreaterThan(0);
    expect(await conch.functions.admin.invoke({ follow: 'deployment' })).toEqual({ tenants: 0 });
  });

  test('the administration lets people in, connects a channel again, and erases a tenant with all that it has', async () => {
    expect(await conch.call('PUT', '/tenants/texts/channels/main/people/ben', {})).toMatchObject({ status: 201 });
    expect(await connectTelegram()).toMatchObject({ status: 200, body: { registered: true } });
    expect(await conch.call('DELETE', '/tenants/texts')).toMatchObject({ status: 204 });
    expect(await conch.call('GET', '/tenants/texts')).toMatchObject({ status: 404 });
  });

  test('a tool server is asked by the administration, and again by a turn, with headers that only they can open', async () => {
    const mcp = await startMcp({ tools: [textTool('find')], wanted: { authorization: 'Bearer of-the-desk' } });
    const chat = await textChannel('desk', 'demo');
    const put = await conch.call('PUT', '/tenants/desk/tool-servers/tracker', {
      ...{ url: mcp.url, headers: { Authorization: 'Bearer of-the-desk' } },
    });
    expect(put).toMatchObject({ status: 201, body: { tools: [{ name: 'find' }] } });
    const { tenants } = conch.stores;
    const catalog = await tenants.toolCatalog('desk', 'tracker');
    if (!catalog) throw new Error('There is no catalog');
    await tenants.putToolCatalog('desk', 'tracker', { ...catalog, askedAt: 0 });
    mcp.tools.push(textTool('close'));
    const isAsked = async () => (await tenants.toolCatalog('desk', 'tracker'))?.tools.length === 2;
    // A turn that ends soon does not wait for it; the next one asks again.
    for (let turns = 1; turns <= 5 && !(await isAsked()); turns++) {
      await chat.say('Hello');
      await until(async () => (await chat.replies()).length === turns, 'the reply');
    }
    expect(await isAsked()).toBe(true);
    expect(mcp.faults).toEqual([]);
    mcp.stop();
  });

  test('no function needed more than its role allows, and each needed the table', () => {
    for (const name of FUNCTIONS) {
      expect(conch.gateways[name].refused, name).toEqual([]);
      expect(conch.functions[name].log, name).not.toContain('AccessDenied');
      expect([...conch.gateways[name].used].join(), name).toContain('dynamodb:');
    }
  });

  test.each(FUNCTIONS)('%s may do nothing that it never does', (name) => {
    const { table, queue = [], key } = PERMISSIONS[name];
    const allowed = [
      ...table.flatMap(({ actions }) => actions.map((action) => `dynamodb:${action}`)),
      ...queue.map((action) => `sqs:${action}`),
      ...(key?.actions ?? []).map((action) => `kms:${action}`),
    ];
    expect(allowed.filter((action) => !conch.gateways[name].used.has(action))).toEqual([]);
  });
});

/** Makes what is owed look two minutes older, as if the time had passed. */
async function makeOwedOlder(): Promise<void> {
  const { client, tableName: TableName } = conch.stores;
  for (let shard = 0; shard < 16; shard++) {
    const ExpressionAttributeValues = { ':shard': { N: String(shard) } };
    const KeyConditionExpression = 'owedShard = :shard';
    const query = { TableName, IndexName: 'owed', KeyConditionExpression, ExpressionAttributeValues };
    for (const { pk, sk, owedAt } of (await client.send(new QueryCommand(query))).Items ?? []) {
      const older = { ':at': { N: String(Number(owedAt?.N) - 120_000) } };
      const Key = { ...(pk && { pk }), ...(sk && { sk }) };
      const UpdateExpression = 'SET owedAt = :at';
      await client.send(new UpdateItemCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues: older }));
    }
  }
}

/** The place of a private chat of Telegram, as the administration lists it. */
async function placeOfChat(chat: number): Promise<string> {
  const { body } = await conch.call('GET', '/tenants/acme/places');
  const place = JSON.stringify(body).match(new RegExp(`[^"]*${chat}[^"]*`, 'u'))?.[0];
  if (place === undefined) throw new Error(`No place of ${chat}`);
  return place;
}

async function delayedHints(): Promise<number> {
  const name = 'ApproximateNumberOfMessagesDelayed';
  const command = new GetQueueAttributesCommand({ QueueUrl: conch.stores.queueUrl, AttributeNames: [name] });
  return Number((await conch.stores.sqs.send(command)).Attributes?.[name]);
}

describe('what is missing is named', () => {
  const without = async (name: (typeof FUNCTIONS)[number], settings: Record<string, string>) => {
    const started = conch.start(name, settings);
    return started.then(() => 'started', String);
  };

  test('without the table’s name no function starts', async () => {
    for (const name of FUNCTIONS) expect(await without(name, {}), name).toMatch(/SettingsError: .*CONCH_TABLE/u);
  });

  test('without the queue no webhook starts, without the token’s hash no administration', async () => {
    const { table, secrets } = conch;
    expect(await without('telegram', { ...table, ...secrets })).toMatch(/SettingsError: .*CONCH_QUEUE_URL/u);
    expect(await without('admin', { ...table, ...secrets })).toMatch(/SettingsError: .*CONCH_ADMIN_TOKEN_SHA256/u);
    expect(await without('worker', { ...table, ...conch.queue })).toMatch(/SettingsError: .*CONCH_KMS_KEY_ID/u);
  });

  test.each(['nonsense', '[]', '{"telegram":"ftp://x"}'])(
    'webhooks’ addresses of %s are refused by name',
    async (urls) => {
      const settings = { ...conch.table, ...conch.secrets, CONCH_ADMIN_TOKEN_SHA256: '0'.repeat(64) };
      const started = await without('admin', { ...settings, CONCH_WEBHOOK_URLS: urls });
      expect(started).toMatch(/SettingsError: .*CONCH_WEBHOOK_URLS/u);
    },
  );

  test('without the table itself a webhook asks for another delivery, and its log names what is not there', async () => {
    const settings = { ...conch.queue, ...conch.secrets, CONCH_TABLE: 'no-such-table' };
    const lambda = await conch.start('telegram', settings);
    const event = {
      ...{ version: '2.0', rawPath: '/telegram/acme.x', rawQueryString: '', headers: {}, body: '' },
      ...{ isBase64Encoded: false, requestContext: { http: { method: 'POST', path: '/telegram/acme.x' } } },
    };
    expect(await lambda.invoke(event)).toMatchObject({ statusCode: 503 });
    expect(lambda.log).toContain('ResourceNotFoundException');
  });
});
