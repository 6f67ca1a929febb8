import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimHash } from '../../lib/conversations/access.ts';
import type { ChannelRecord } from '../../lib/ports/tenants.ts';
import { TelegramStandIn, tooMany } from '../standins/telegram.ts';
import { createTestAdministration, fieldsOf, PUBLIC_URL, type TestAdministration } from './setup.ts';

const SECRET = 'a-secret-of-enough-characters';
const DAY_MS = 24 * 60 * 60 * 1000;

let admin: TestAdministration;
let telegram: TelegramStandIn;
let count = 0;
/** A fresh tenant for each test. */
let tenant: string;

beforeAll(async () => {
  admin = await createTestAdministration({ apiRootAllowed: (url) => url.hostname !== 'forbidden.example' });
  telegram = await TelegramStandIn.start();
});
afterAll(async () => {
  admin.close();
  await telegram.close();
});
beforeEach(async () => {
  tenant = `t${++count}`;
  await admin.call('PUT', `/v1/tenants/${tenant}`);
});

const put = (name: string, body: unknown) => admin.call('PUT', `/v1/tenants/${tenant}/channels/${name}`, body);
const teams = (fields: object = {}) => {
  const id = '11111111-2222-4333-8444-555555555555';
  return { app: 'teams', appId: id, appTenantId: id, appPassword: 'made~up~secret', ...fields };
};
const bot = (fields: object = {}) => ({ app: 'telegram', token: telegram.token, apiRoot: telegram.root, ...fields });
const text = (fields: object = {}) => ({ app: 'text', secret: SECRET, ...fields });

async function stored(name: string): Promise<ChannelRecord | undefined> {
  return (await admin.stores.tenants.load(tenant))?.channels.find((channel) => channel.name === name);
}

async function secretsOf(name: string): Promise<Record<string, string>> {
  const channel = await stored(name);
  const opened: Record<string, string> = {};
  for (const [field, sealed] of Object.entries(channel?.secrets ?? {})) {
    opened[field] = await admin.stores.secrets.open(sealed, { tenant, owner: channel?.id ?? '' });
  }
  return opened;
}

async function claim(name: string, code: string, person: string) {
  return admin.stores.tenants.claim(tenant, name, { codeHash: claimHash(code), person, now: admin.clock.ms });
}

describe('SPEC 14.1: a Telegram channel is connected', () => {
  test('the webhook and the menus are registered, and the bot is told', async () => {
    const { status, body } = await put('main', bot({ access: 'anyone' }));
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(new RegExp(`^${tenant}\\.[A-Za-z0-9]{22}$`)),
      name: 'main',
      app: 'telegram',
      access: 'anyone',
      webhookPath: `/telegram/${body.id}`,
      webhookUrl: `${PUBLIC_URL}/telegram/${body.id}`,
      registered: true,
      bot: { id: '999', username: 'acme_bot', name: 'Conch' },
      claimCode: expect.stringMatching(/^[A-Za-z0-9]{22}$/),
      claimCommand: `/start ${body.claimCode}`,
      claimExpiresAt: admin.clock.ms + DAY_MS,
      claimLink: `https://t.me/acme_bot?start=${body.claimCode}`,
    });
    const { webhookSecret } = await secretsOf('main');
    expect(telegram.webhook).toMatchObject({ url: `${PUBLIC_URL}/telegram/${body.id}`, secret_token: webhookSecret });
    expect(webhookSecret?.length).toBeGreaterThanOrEqual(32);
    expect(telegram.menus.get('all_private_chats')).toContainEqual(expect.objectContaining({ command: 'new' }));
    expect(telegram.menus.get('all_group_chats')?.length).toBeGreaterThan(0);
  });

  test('put again, its id and the secrets that Conch made stay, the rest is replaced', async () => {
    const first = await put('main', bot({ access: 'anyone' }));
    const before = await secretsOf('main');
    const second = await put('main', bot());
    expect([second.status, second.body.id]).toEqual([200, first.body.id]);
    expect(await secretsOf('main')).toEqual(before);
    expect((await stored('main'))?.access).toBe('owner');
  });

  test('a token that Telegram does not know is refused, and nothing is left behind', async () => {
    const { status, body } = await put('main', bot({ token: `1:${'x'.repeat(35)}` }));
    expect([status, body.errors[0].field]).toEqual([422, 'token']);
    expect(await stored('main')).toBeUndefined();
  });

  test('a wrong token leaves a channel that works as it was', async () => {
    await put('main', bot());
    const before = await stored('main');
    expect((await put('main', bot({ token: `1:${'x'.repeat(35)}` }))).status).toBe(422);
    expect(await stored('main')).toEqual(before);
  });

  test.each(['setWebhook', 'setMyCommands'])(
    'if %s fails it says so, and putting it again mends it',
    async (method) => {
      telegram.fail(tooMany(3), { method });
      const failed = await put('main', bot());
      expect([failed.status, failed.body.title]).toEqual([502, 'The chat app could not be set up']);
      expect(failed.body.detail).toContain('put it again');
      const id = (await stored('main'))?.id;
      const again = await put('main', bot());
      expect([again.status, again.body.id]).toEqual([200, id]);
      expect(telegram.webhook?.url).toBe(`${PUBLIC_URL}/telegram/${id}`);
    },
  );

  test('an API that cannot be reached is named by its field', async () => {
    const { status, body } = await put('main', bot({ apiRoot: 'http://127.0.0.1:1' }));
    expect([status, body.title, body.errors[0].field]).toEqual([422, 'Some fields are not right', 'apiRoot']);
  });

  test('an app that cannot be asked now says nothing of a field, and nothing is stored', async () => {
    telegram.fail(tooMany(3), { method: 'getMe' });
    const { status, body } = await put('main', bot());
    expect([status, body.title, body.errors]).toEqual([503, 'The chat app could not be asked', undefined]);
    expect(body.detail).toBe('Telegram asks to wait. Try again in a minute. Nothing was changed.');
    expect(await stored('main')).toBeUndefined();
  });

  test('without a public address nothing is registered, and it says so', async () => {
    const { webhookUrl } = admin.deps;
    admin.deps.webhookUrl = () => undefined;
    const calls = telegram.callsOf('setWebhook').length;
    expect((await put('main', bot())).body.registered).toBe(false);
    expect(telegram.callsOf('setWebhook')).toHaveLength(calls);
    admin.deps.webhookUrl = webhookUrl;
  });
});

describe('DESIGN 6: a channel’s fields', () => {
  test.each<[string, object, string[]]>([
    ['no app', { secret: SECRET }, ['app']],
    ['an unknown app', { app: 'icq', secret: SECRET }, ['app']],
    ['an app by an inherited name', { app: 'constructor' }, ['app']],
    ['an app of a wrong type', { app: 7 }, ['app']],
    ['no secret', { app: 'text' }, ['secret']],
    ['a short secret', { app: 'text', secret: 'short' }, ['secret']],
    ['a secret of a wrong type', { app: 'text', secret: 1234567890123456 }, ['secret']],
    ['unknown access', text({ access: 'all' }), ['access']],
    ['access of a wrong type', text({ access: true }), ['access']],
    ['an unknown field', text({ calbackUrl: 'https://a.example' }), ['calbackUrl']],
    ['another app’s field', text({ token: '1:a' }), ['token']],
    ['a wrong address', text({ callbackUrl: 'ftp://a.example' }), ['callbackUrl']],
    ['apiRoot that is no address', text({ apiRoot: 'a.example' }), ['apiRoot']],
    ['apiRoot of another scheme', text({ apiRoot: 'file:///etc/passwd' }), ['apiRoot']],
    ['apiRoot with a password', text({ apiRoot: 'https://a:b@c.example' }), ['apiRoot']],
    ['apiRoot that the policy refuses', text({ apiRoot: 'https://forbidden.example' }), ['apiRoot']],
    ['reclaim of a wrong type', text({ reclaim: 'yes' }), ['reclaim']],
    ...['openIdMetadataUrl', 'loginRoot'].map((field): [string, object, string[]] => [
      `${field} that the policy refuses`,
      teams({ [field]: 'https://forbidden.example' }),
      [field],
    ]),
    ['several at once', text({ apiRoot: 'x', owner: 'x'.repeat(201), plan: 1 }), ['plan', 'apiRoot', 'owner']],
  ])('%s is refused by name, and nothing is stored', async (_case, body, fields) => {
    const answer = await put('main', body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
    expect(await stored('main')).toBeUndefined();
  });

  test('case L 134: a pasted message of BotFather is refused and not repeated', async () => {
    const pasted = `Done! Use this token to access the HTTP API:\n${telegram.token}`;
    const answer = await put('main', bot({ token: pasted }));
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['token']]);
    expect(answer.text).not.toContain(telegram.token);
  });

  test.each([
    ['1087968824', 'case B 31'],
    ['777000', 'case B 31'],
    ['136817688', 'case B 31'],
    ['user:123', 'case B 43'],
    ['@ben', 'case B 43'],
    ['ben', 'case B 43'],
    ['-1001234', 'case B 43'],
    ['', 'an empty one'],
  ])('%s is no owner and no person of a Telegram channel (%s)', async (person) => {
    const answer = await put('main', bot({ owner: person }));
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['owner']]);
    await put('main', bot());
    if (person === '') return;
    const path = `/v1/tenants/${tenant}/channels/main/people/${encodeURIComponent(person)}`;
    for (const method of ['PUT', 'GET', 'DELETE']) {
      expect(fieldsOf(await admin.call(method, path))).toEqual(['person']);
    }
    expect((await admin.call('GET', `/v1/tenants/${tenant}/channels/main/people`)).body).toEqual([]);
  });

  test('another app under the same name is a conflict, until the channel is deleted', async () => {
    await put('main', text());
    const { status, body } = await put('main', bot());
    expect([status, body.title]).toEqual([409, 'Something else is there already']);
    expect((await stored('main'))?.app).toBe('text');
    expect((await admin.call('DELETE', `/v1/tenants/${tenant}/channels/main`)).status).toBe(204);
    expect((await put('main', bot())).status).toBe(201);
  });

  test('a channel that is deleted, or whose tenant is, has no webhook at the app any more', async () => {
    await put('main', bot());
    expect(telegram.webhook?.url).toContain(`/telegram/${tenant}.`);
    await admin.call('DELETE', `/v1/tenants/${tenant}/channels/main`);
    expect(telegram.webhook).toBeUndefined();
    await put('main', bot());
    await admin.call('DELETE', `/v1/tenants/${tenant}`);
    expect(telegram.webhook).toBeUndefined();
  });

  test('SPEC 14.1: the webhook of a bot that was connected anew elsewhere stays', async () => {
    await put('main', bot());
    await put('second', bot());
    await admin.call('DELETE', `/v1/tenants/${tenant}/channels/main`);
    expect(telegram.webhook?.url).toContain((await stored('second'))?.id);
    await admin.call('DELETE', `/v1/tenants/${tenant}/channels/second`);
    expect(telegram.webhook).toBeUndefined();
  });

  test('a channel is deleted whatever the app answers', async () => {
    await put('main', bot());
    telegram.fail(tooMany(3), { method: 'deleteWebhook' });
    expect((await admin.call('DELETE', `/v1/tenants/${tenant}/channels/main`)).status).toBe(204);
    expect(await stored('main')).toBeUndefined();
  });

  test('a channel of a tenant that does not exist is not stored', async () => {
    const answer = await admin.call('PUT', '/v1/tenants/nobody/channels/main', text());
    expect(answer.status).toBe(404);
    expect(await admin.stores.tenants.load('nobody')).toBeUndefined();
  });

  test('what is shown has the names of the secrets only', async () => {
    const { id } = (await put('main', text({ callbackUrl: 'https://a.example/x', access: 'list', owner: 'ana' }))).body;
    const view = {
      ...{ id, name: 'main', app: 'text', access: 'list', webhookPath: `/text/${id}`, bot: {}, owner: 'ana' },
      ...{ settings: { callbackUrl: 'https://a.example/x' }, secrets: ['secret'] },
    };
    expect((await admin.call('GET', `/v1/tenants/${tenant}/channels/main`)).body).toEqual(view);
    expect((await admin.call('GET', `/v1/tenants/${tenant}/channels`)).body).toEqual([view]);
  });
});

describe('SPEC 9.2: claims', () => {
  test('the code makes one person the owner, for a day; the store has its hash only', async () => {
    const { claimCode } = (await put('main', text())).body;
    const channel = await stored('main');
    expect(channel?.claim).toEqual({ codeHash: claimHash(claimCode), expiresAt: admin.clock.ms + DAY_MS });
    expect(await claim('main', claimCode, 'ana')).toBe('claimed');
    expect(await claim('main', claimCode, 'ben')).toBe('used');
  });

  test('a fresh code comes with each PUT as long as there is no owner, and ends the one before', async () => {
    const first = (await put('main', text())).body.claimCode;
    const second = (await put('main', text())).body.claimCode;
    expect(second).not.toBe(first);
    expect(await claim('main', first, 'ana')).toBe('wrong');
    expect(await claim('main', second, 'ana')).toBe('claimed');
  });

  test('with an owner there is no code, and the owner stays', async () => {
    const { claimCode } = (await put('main', text())).body;
    await claim('main', claimCode, 'ana');
    const again = (await put('main', text())).body;
    expect([again.owner, again.claimCode, again.claimLink]).toEqual(['ana', undefined, undefined]);
    expect(await claim('main', claimCode, 'ana')).toBe('claimed');
  });

  test('SPEC 9.3: where the owner claimed it stays with them, and goes when another one is named', async () => {
    const { claimCode } = (await put('main', text())).body;
    const chat = { chat: 'den' };
    const now = admin.clock.ms;
    const attempt = { codeHash: claimHash(claimCode), person: 'ana', now, chat };
    expect(await admin.stores.tenants.claim(tenant, 'main', attempt)).toBe('claimed');
    await put('main', text({ access: 'list' }));
    expect((await stored('main'))?.ownerChat).toEqual(chat);
    await put('main', text({ owner: 'ben' }));
    expect((await stored('main'))?.ownerChat).toBeUndefined();
  });

  test('reclaim makes a code all the same; whoever uses it takes over', async () => {
    await put('main', text({ owner: 'ana' }));
    const { claimCode, owner } = (await put('main', text({ reclaim: true }))).body;
    expect(owner).toBe('ana');
    expect((await stored('main'))?.owner).toBe('ana');
    expect(await claim('main', claimCode, 'ben')).toBe('claimed');
    expect((await stored('main'))?.owner).toBe('ben');
  });

  test('an owner who is named ends an open code', async () => {
    const { claimCode } = (await put('main', text())).body;
    expect((await put('main', text({ owner: 'ana' }))).body).toMatchObject({ owner: 'ana' });
    expect(await claim('main', claimCode, 'ben')).toBe('wrong');
  });

  test('a claim while the app is asked about the credentials is not lost', async () => {
    const { claimCode } = (await put('main', text())).body;
    const { apps } = admin.deps;
    const identify = async () => {
      await claim('main', claimCode, 'ana');
      return { ok: true as const, bot: {} };
    };
    admin.deps.apps = { ...apps, ...(apps.text ? { text: { ...apps.text, identify } } : {}) };
    const again = (await put('main', text())).body;
    admin.deps.apps = apps;
    expect([again.owner, again.claimCode]).toEqual(['ana', undefined]);
    expect((await stored('main'))?.owner).toBe('ana');
  });
});

describe('SPEC 9.3: people', () => {
  const people = (rest = '') => `/v1/tenants/${tenant}/channels/main/people${rest}`;

  test('one is let in, shown, put out and let in again', async () => {
    await put('main', text({ access: 'list' }));
    expect((await admin.call('GET', people('/b%2F1'))).status).toBe(404);
    const first = await admin.call('PUT', people('/b%2F1'), { name: 'Ben' });
    expect([first.status, first.body]).toEqual([201, { id: 'b/1', name: 'Ben', status: 'let-in' }]);
    expect((await admin.call('GET', people())).body).toEqual([first.body]);
    expect((await admin.call('DELETE', people('/b%2F1'))).status).toBe(204);
    expect((await admin.call('GET', people('/b%2F1'))).body).toEqual({ ...first.body, status: 'put-out' });
    const again = await admin.call('PUT', people('/b%2F1'));
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  test('one who was never there can be put out of a channel for anyone', async () => {
    await put('main', text({ access: 'anyone' }));
    await admin.call('DELETE', people('/mallory'));
    expect((await admin.call('GET', people())).body).toEqual([{ id: 'mallory', status: 'put-out' }]);
  });

  test('unknown fields and a channel that is not there are refused', async () => {
    await put('main', text());
    expect(fieldsOf(await admin.call('PUT', people('/ben'), { role: 'owner' }))).toEqual(['role']);
    expect((await admin.call('PUT', `/v1/tenants/${tenant}/channels/none/people/ben`)).status).toBe(404);
  });
});
