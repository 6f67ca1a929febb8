import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ModelStandIn } from '../standins/model.ts';
import {
  ANA,
  BEN,
  buttonsOf,
  directChannel,
  GENERAL,
  type Message,
  type SlackPayloads,
  SlackStandIn,
  shownOf,
} from '../standins/slack.ts';
import { botOf } from '../standins/slackWorkspaces.ts';
import { Conch, until } from './conch.ts';

const conch = new Conch();
let slack: SlackStandIn;
let model: ModelStandIn;
let installUrl = '';
let channelId = '';
let claimCommand = '';

const CHANNEL = '/tenants/acme/channels/many';

beforeAll(async () => {
  [slack, model] = await Promise.all([SlackStandIn.start(), ModelStandIn.start(), conch.start()]);
  for (const [team, name] of [
    ['T0ONE0001', 'One & <Only>'],
    ['T0TWO0002', 'Two'],
    ['T0THREE03', 'Three'],
    ['E0ALL0004', 'All'],
  ] as const) {
    slack.workspaces.add(team, name);
  }
  for (const person of [ANA, BEN]) slack.addChannel(directChannel(person));
  await conch.admin('PUT', '/tenants/acme', {});
  await conch.admin('PUT', '/tenants/acme/providers/main', {
    ...{ engine: 'openai-compatible', baseURL: model.baseURL('openai-compatible'), apiKey: model.apiKey },
    models: [{ id: 'one', contextWindow: 100_000 }],
  });
  const connected = await conch.admin<Record<string, string>>('PUT', CHANNEL, fields());
  expect(connected).toMatchObject({ status: 201, body: { bot: {} } });
  ({ installUrl = '', id: channelId = '', claimCommand = '' } = connected.body);
  slack.webhook = installUrl.replace('/install', '');
  slack.workspaces.redirectUrls = [`${slack.webhook}/oauth`];
});

afterAll(async () => {
  await Promise.all([conch.close(), slack.close(), model.close()]);
});

beforeEach(() => model.reset());

const fields = (more = {}) => ({
  ...{ app: 'slack', signingSecret: slack.signingSecret, clientId: slack.workspaces.clientId, apiRoot: slack.root },
  ...{ clientSecret: slack.workspaces.clientSecret, access: 'list', ...more },
});

/** A person's browser: it opens the link and is led to Slack's page. */
async function begin(url = installUrl): Promise<{ cookie: string; page: string }> {
  const response = await fetch(url, { redirect: 'manual' });
  expect(response.status).toBe(302);
  const [cookie = '', ...rules] = (response.headers.get('set-cookie') ?? '').split('; ');
  expect(rules).toEqual(expect.arrayContaining(['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/']));
  return { cookie, page: response.headers.get('location') ?? '' };
}

async function back(url: string, cookie?: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { headers: cookie === undefined ? {} : { cookie } });
  return { status: response.status, text: await response.text() };
}

async function install(team: string): Promise<{ status: number; text: string }> {
  const { cookie, page } = await begin();
  return back(slack.workspaces.allow(page, team), cookie);
}

/** Deliveries from a workspace. */
const sources = new Map<string, SlackPayloads>();
const from = (team: string) => {
  const source = sources.get(team) ?? slack.payloads.of(team, botOf(team));
  sources.set(team, source);
  return source;
};
const say = async (team: string, text: string, user = ANA, payloads = from(team)) =>
  (await slack.deliver(payloads.direct(text, user))).status;
const seen = (team: string) => slack.messages.filter((one) => one.team === team).map(shownOf);
const installations = async () => (await conch.admin<{ workspace: string }[]>('GET', `${CHANNEL}/installations`)).body;
const settle = () => new Promise((resolve) => setTimeout(resolve, 500));

async function shows(team: string, text: string | RegExp): Promise<Message> {
  const matches = (shown: string) => (typeof text === 'string' ? shown === text : text.test(shown));
  const find = () => slack.messages.findLast((one) => one.team === team && matches(shownOf(one)));
  return until(find, `${text} in ${slack.messages.map((one) => `${one.team}: ${shownOf(one)}`).join(' | ')}`);
}

describe('connecting', () => {
  test('Slack is asked whether the secret is the app’s; nothing is stored if not, and nothing echoed', async () => {
    const wrong = await conch.admin<object>(
      'PUT',
      '/tenants/acme/channels/wrong',
      fields({ clientSecret: 'a'.repeat(32) }),
    );
    expect(wrong.body).toMatchObject({ errors: [{ field: 'clientSecret' }] });
    expect(JSON.stringify(wrong.body)).not.toContain('aaaa');
    const both = await conch.admin('PUT', '/tenants/acme/channels/wrong', fields({ botToken: 'xoxb-1111111111' }));
    expect(both).toMatchObject({ status: 422, body: { errors: [{ field: 'botToken' }] } });
    expect((await conch.admin('GET', '/tenants/acme/channels/wrong')).status).toBe(404);
  });

  test('the manifest allows the way back, all workspaces of an organisation, and tokens that end', async () => {
    expect((await conch.admin('GET', `${CHANNEL}/manifest`)).body).toMatchObject({
      oauth_config: { redirect_urls: [`${slack.webhook}/oauth`] },
      settings: { org_deploy_enabled: true, token_rotation_enabled: true },
    });
  });
});

describe('installing', () => {
  test('a page tells what came of it, with names escaped; then a message there is answered', async () => {
    const { status, text } = await install('T0ONE0001');
    expect(status).toBe(200);
    expect(text).toContain('Installed in One &amp; &lt;Only&gt;');
    expect(await installations()).toMatchObject([{ workspace: 'T0ONE0001', name: 'One & <Only>' }]);
    expect(await say('T0ONE0001', 'hello')).toBe(200);
    await shows('T0ONE0001', /has to claim it first/);
  });

  test('a state serves the browser that began it, for this channel, unchanged', async () => {
    const { cookie, page } = await begin();
    const url = slack.workspaces.allow(page, 'T0THREE03');
    const other = await begin();
    const changed = new URL(url);
    changed.searchParams.set(
      'state',
      changed.searchParams.get('state')?.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A')) ?? '',
    );
    const later = new URL(url);
    later.searchParams.set(
      'state',
      later.searchParams.get('state')?.replace(/^\d+/, (at) => String(Number(at) + 1)) ?? '',
    );
    for (const [at, as] of [
      [url, undefined],
      [url, other.cookie],
      [changed.href, cookie],
      [later.href, cookie],
      [url.replace(/state=[^&]*/, 'state='), cookie],
    ] as const) {
      expect((await back(at, as)).status).toBe(400);
    }
    expect(await installations()).toHaveLength(1);
    expect((await back(url, cookie)).status).toBe(200);
    expect((await back(url, cookie)).status).toBe(502);
    expect(await installations()).toHaveLength(2);
    await conch.admin('DELETE', `${CHANNEL}/installations/T0THREE03`);
    expect(await installations()).toHaveLength(1);
  });

  test('whoever declines hears that nothing was installed, and how to start again', async () => {
    const { cookie, page } = await begin();
    const state = new URL(page).searchParams.get('state');
    const declined = await back(`${slack.webhook}/oauth?error=access_denied&state=${state}`, cookie);
    expect(declined).toMatchObject({ status: 400, text: expect.stringContaining('Nothing was installed') });
    expect(declined.text).toContain(`href="${installUrl}"`);
  });

  test('there is nothing to install at a channel of one workspace, or at none', async () => {
    const single = { app: 'slack', signingSecret: slack.signingSecret, botToken: slack.botToken, apiRoot: slack.root };
    const { body } = await conch.admin<{ id: string }>('PUT', '/tenants/acme/channels/single', single);
    expect(body).not.toHaveProperty('installUrl');
    for (const id of [body.id, 'acme.nothing']) {
      for (const way of ['install', 'oauth?code=1&state=2']) {
        expect((await back(`${conch.url}/slack/${id}/${way}`)).status).toBe(404);
      }
    }
  });
});

describe('workspaces are apart', () => {
  test('SPEC 9.2, 9.3: the owner is one person in one workspace; who asks from another one is let in there', async () => {
    const code = claimCommand.replace('/conch ', '');
    await slack.deliver(slack.command(code, ANA, directChannel(ANA), from('T0ONE0001')));
    await until(async () => (await conch.admin<{ owner?: string }>('GET', CHANNEL)).body.owner, 'the owner');
    expect((await conch.admin('GET', CHANNEL)).body).toMatchObject({ owner: `T0ONE0001:${ANA}` });
    await install('T0TWO0002');
    // The same id is another person there.
    await say('T0TWO0002', 'let me in');
    await shows('T0TWO0002', /let you in/);
    const asked = await shows('T0ONE0001', /would like to/i);
    await slack.deliver(slack.press(asked, 'Let in', ANA));
    await shows('T0TWO0002', /has let you in/);
    expect(seen('T0ONE0001').join()).not.toContain('has let you in');
    expect(buttonsOf({ blocks: asked.blocks })).toEqual([]);
  });

  test('the same person, chat and time in two workspaces are two conversations, each answered in its own', async () => {
    const [one, two] = [from('T0ONE0001'), from('T0TWO0002')];
    const at = { ts: '1790000000.000777' };
    model.reply('First.');
    await slack.deliver(one.direct('My cat is Mitzi', ANA, at));
    await shows('T0ONE0001', 'First.');
    model.reply('Second.');
    await slack.deliver(two.direct('My dog is Rex', ANA, at));
    await shows('T0TWO0002', 'Second.');
    expect(JSON.stringify(model.last.body)).not.toContain('Mitzi');
    const { body: places } = await conch.admin<{ place: string }[]>('GET', '/tenants/acme/places');
    const named = places.map(({ place }) => place).filter((place) => place.includes(ANA));
    expect(new Set(named).size).toBe(named.length);
    expect(named.filter((place) => place.includes('T0ONE0001')).length).toBeGreaterThan(0);
  });

  test('in a channel: the mention of the bot there, threads, and an answer for one person alone', async () => {
    const two = from('T0TWO0002');
    slack.addChannel(GENERAL, [ANA, 'U0CONCHBT']);
    model.reply('It rains.');
    const [mention] = two.mention('weather?', ANA, GENERAL);
    await slack.deliver(mention);
    const answer = await shows('T0TWO0002', 'It rains.');
    expect(answer).toMatchObject({ channel: GENERAL, thread: (mention.event as { ts: string }).ts });
    await slack.deliver(slack.command('status', ANA, GENERAL, two));
    expect(await shows('T0TWO0002', /private chat/)).toMatchObject({ onlyFor: ANA, channel: GENERAL });
  });

  test('a workspace that is unknown is answered nothing, with no token', async () => {
    const calls = slack.calls.length;
    expect(await say('T0NOBODY9', 'hello')).toBe(200);
    await slack.deliver(slack.command('help', ANA, GENERAL, slack.payloads.of('T0NOBODY9')));
    await settle();
    expect(slack.calls.length).toBe(calls);
    expect(conch.output).toContain('webhook.not-installed');
  });
});

describe('removing and installing again', () => {
  const gone = (team: string, type = 'app_uninstalled', more = {}) => from(team).event({ type, ...more });

  test('after the app was removed there is silence; installed again, the conversation goes on', async () => {
    slack.workspaces.uninstall('T0TWO0002');
    await slack.deliver(gone('T0TWO0002', 'tokens_revoked', { tokens: { oauth: [], bot: [botOf('T0TWO0002')] } }));
    await slack.deliver(gone('T0TWO0002'));
    expect((await installations()).map(({ workspace }) => workspace)).toEqual(['T0ONE0001']);
    const calls = slack.calls.length;
    expect(await say('T0TWO0002', 'are you there?')).toBe(200);
    await settle();
    expect(slack.calls.length).toBe(calls);
    await install('T0TWO0002');
    model.reply('Rex.');
    await say('T0TWO0002', 'What is my dog called?');
    await shows('T0TWO0002', 'Rex.');
    expect(JSON.stringify(model.last.body)).toContain('My dog is Rex');
  });

  test('news of a removal that come behind a new installation remove nothing', async () => {
    await slack.deliver(gone('T0TWO0002'));
    expect(await installations()).toHaveLength(2);
    model.reply('Still here.');
    await say('T0TWO0002', 'And now?');
    await shows('T0TWO0002', 'Still here.');
  });

  test('an answer that is under way when the app is removed ends, and goes nowhere else', async () => {
    model.reply({ chunks: Array.from({ length: 20 }, (_, n) => `${n} `), delayMs: 100 });
    await say('T0TWO0002', 'Count');
    await until(() => seen('T0TWO0002').some((text) => text.startsWith('0 1')), 'the growing answer');
    slack.workspaces.uninstall('T0TWO0002');
    await slack.deliver(gone('T0TWO0002'));
    const { body: places } = await conch.admin<{ place: string }[]>('GET', '/tenants/acme/places');
    const place = places.find((one) => one.place.includes('T0TWO0002') && one.place.endsWith(ANA))?.place ?? '';
    await until(async () => {
      const events = await conch.admin<{ type: string }[]>(
        'GET',
        `/tenants/acme/places/${place}/events?after=0&limit=500`,
      );
      return events.body.at(-1)?.type === 'reply.delivered';
    }, 'the turn to end');
    expect(seen('T0ONE0001').join()).not.toContain('0 1');
  });
});

test('an organisation that installs the app for all is served in each of its workspaces, by one token', async () => {
  await install('E0ALL0004');
  const inside = slack.payloads.of('T0INSIDE5', botOf('E0ALL0004'));
  const authorizations = [{ enterprise_id: 'E0ALL0004', team_id: 'T0INSIDE5', is_enterprise_install: true }];
  await slack.deliver(inside.event(inside.message('hi', BEN, directChannel(BEN)), { authorizations }));
  await shows('E0ALL0004', /let you in/);
});

test('a token that ends soon is renewed before it is used', async () => {
  slack.workspaces.tokenLifeS = 3_600;
  await install('T0THREE03');
  const before = slack.workspaces.refreshes;
  await say('T0THREE03', 'hello', BEN);
  await shows('T0THREE03', /let you in/);
  expect(slack.workspaces.refreshes).toBeGreaterThan(before);
});

test('SPEC 14.2: no token or secret shows in the log, or in what the administration tells', async () => {
  const told = await Promise.all(
    ['/tenants/acme', '/tenants/acme/channels', `${CHANNEL}/installations`].map((path) => conch.admin('GET', path)),
  );
  const text = JSON.stringify(told) + conch.output;
  expect(slack.workspaces.given.length).toBeGreaterThan(5);
  for (const secret of [...slack.workspaces.given, slack.workspaces.clientSecret]) expect(text).not.toContain(secret);
});

test('another app’s client ID needs new installations; a deleted channel leaves none', async () => {
  expect((await installations()).length).toBeGreaterThan(1);
  Object.assign(slack.workspaces, { clientId: '333.444' });
  const changed = await conch.admin('PUT', CHANNEL, fields());
  expect(changed).toMatchObject({ status: 200, body: { id: channelId, owner: `T0ONE0001:${ANA}` } });
  expect(await installations()).toEqual([]);
  await install('T0ONE0001');
  expect(await installations()).toHaveLength(1);
  await conch.admin('DELETE', CHANNEL);
  expect((await conch.admin('GET', `${CHANNEL}/installations`)).status).toBe(404);
  const calls = slack.calls.length;
  await say('T0ONE0001', 'hello');
  await settle();
  expect(slack.calls.length).toBe(calls);
});
