import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { teams } from '../../../lib/channels/teams/index.ts';
import { answersTenant } from '../../../lib/channels/teams/settings.ts';
import type { Channel, Menu } from '../../../lib/ports/chatApp.ts';
import { APP_ID, BOT, TENANT, TeamsStandIn } from '../../standins/teams.ts';
import { at, channel as connected, NOW } from './channel.ts';

let standIn: TeamsStandIn;
let channel: Channel;
beforeEach(async () => {
  standIn = await TeamsStandIn.start();
  channel = at(standIn);
});
afterEach(() => standIn.close());

describe('the fields of a channel', () => {
  const PASSWORD = 'aB1~secret~of~forty~characters~or~so.-_x';
  const body = { appId: APP_ID, appPassword: PASSWORD, appTenantId: TENANT };

  test('are taken, in lower case and without white space around them', () => {
    const messy = { appId: ` ${APP_ID.toUpperCase()}\n`, appPassword: `${PASSWORD} `, appTenantId: TENANT };
    const settings = { appId: APP_ID, appTenantId: TENANT };
    expect(teams.fields.parse(messy)).toEqual({ ok: true, secrets: { appPassword: PASSWORD }, settings });
  });

  test.each([
    ['no app id', { ...body, appId: '' }, 'appId', /It is needed: the Microsoft App ID/],
    ['a name in its place', { ...body, appId: 'conch' }, 'appId', /no such id/],
    ['no secret', { ...body, appPassword: undefined }, 'appPassword', /It is needed/],
    ['the secret’s id', { ...body, appPassword: TENANT }, 'appPassword', /the Secret ID/],
    ['a secret with a line in it', { ...body, appPassword: `${PASSWORD}\n${PASSWORD}` }, 'appPassword', /no client/],
    ['no organisation', { ...body, appTenantId: 'acme.onmicrosoft.com' }, 'appTenantId', /no such id/],
    ['an organisation by its name', { ...body, allowedTenants: 'acme.com' }, 'allowedTenants', /ids of organisations/],
  ])('refused and not echoed (case 134): %s', (_case, fields, field, reason) => {
    const result = teams.fields.parse(fields);
    expect(result).toMatchObject({ ok: false, field, reason: expect.stringMatching(reason) });
    expect(JSON.stringify(result)).not.toContain('secret~of');
  });

  test('a person is known by Teams’ own id', () => {
    expect(teams.fields.personFault?.('29:1abc-DEF_0')).toBeUndefined();
    for (const id of ['ana@acme.com', '66666666-7777-4888-8999-000000000000', '']) {
      expect(teams.fields.personFault?.(id)).toMatch(/begins with 29:/);
    }
  });

  test.each<[string, string | undefined, boolean[]]>([
    ['its own organisation', undefined, [true, false]],
    [
      'others that it is told',
      'cccccccc-bbbb-4ccc-8ddd-eeeeeeeeeeee, BBBBBBBB-bbbb-4ccc-8ddd-eeeeeeeeeeee',
      [true, true],
    ],
    ['everybody', '*', [true, true]],
  ])('people are answered of %s', (_case, allowedTenants, expected) => {
    const parsed = teams.fields.parse({ ...body, allowedTenants });
    const settings = parsed.ok ? parsed.settings : {};
    const ids = [TENANT.toUpperCase(), 'bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee'];
    expect(ids.map((id) => answersTenant(settings, id))).toEqual(expected);
  });
});

describe('connecting', () => {
  test('asks for a token, and names the bot', async () => {
    expect(await teams.identify(channel)).toEqual({ ok: true, bot: { id: BOT } });
    await teams.identify(channel);
    expect(standIn.callsOf('login')).toHaveLength(2);
  });

  const changed = (settings: Record<string, string>, appPassword = channel.secrets.appPassword ?? '') => ({
    ...{ ...channel, settings: { ...channel.settings, ...settings }, secrets: { appPassword } },
  });

  test('what Microsoft does not know is a fault of its field', async () => {
    expect(await teams.identify(changed({}, 'not~the~secret'))).toMatchObject({
      ...{ ok: false, field: 'appPassword', reason: /does not know this secret/ },
    });
    const other = 'bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee';
    expect(await teams.identify(changed({ appTenantId: other }))).toMatchObject({ field: 'appTenantId' });
    expect(await teams.identify(changed({ appId: other }))).toMatchObject({ field: 'appId' });
  });

  test('when the login cannot be reached it says so', async () => {
    standIn.fail({ kind: 'error', status: 503 }, { kind: 'login' });
    expect(await teams.identify(channel)).toMatchObject({ ok: false, field: 'loginRoot', reason: /status 503/ });
    const away = changed({ loginRoot: 'http://127.0.0.1:65530' });
    expect(await teams.identify(away)).toMatchObject({ ok: false, field: 'loginRoot', reason: /ECONNREFUSED/ });
  });
});

describe('the app package (SPEC 12.2)', () => {
  const command = (name: string, description = 'Does it.') => ({ name, description });
  const menu: Menu = {
    private: [command('new', 'A\nnew one'), ...Array.from({ length: 12 }, (_, n) => command(`c${n}`, 'x'.repeat(300)))],
    group: [command('stop'), command('a-name-that-is-longer-than-a-title-may-be')],
  };
  const made = (more: object = {}) => teams.manifest?.({ name: 'helper', channel: connected, menu, now: NOW, ...more });

  test('is made once the bot is known', () => {
    expect(made({ channel: undefined })).toBeUndefined();
    const webhookUrl = 'https://conch.example/teams/t1.abc';
    expect(made({ webhookUrl })).toMatchObject({
      ...{ id: APP_ID, manifestVersion: '1.19', name: { short: 'helper' } },
      developer: { websiteUrl: 'https://conch.example' },
      bots: [{ botId: APP_ID, scopes: ['personal', 'team', 'groupChat'] }],
    });
  });

  test('lists ten commands, written as people type them, within Teams’ limits', () => {
    interface Listed {
      commandLists: { scopes: string[]; commands: { title: string; description: string }[] }[];
    }
    const [bot] = (made()?.bots ?? []) as Listed[];
    const [alone, withOthers] = bot?.commandLists ?? [];
    expect(alone?.commands).toHaveLength(10);
    expect(alone?.commands[0]).toEqual({ title: '/new', description: 'A new one' });
    expect(Math.max(...(alone?.commands ?? []).map(({ description }) => description.length))).toBe(128);
    expect(withOthers).toMatchObject({ scopes: ['team', 'groupChat'], commands: [{ title: '/stop' }] });
  });

  test('is newer than each made before', () => {
    const numbers = (now: number) => String(made({ now })?.version).split('.').map(Number);
    expect(numbers(NOW)).toHaveLength(3);
    for (const later of [1_000, 86_400_000, 40 * 86_400_000]) {
      const [before, after] = [numbers(NOW), numbers(NOW + later)];
      const at = before.findIndex((part, n) => part !== after[n]);
      expect(after[at]).toBeGreaterThan(before[at] ?? 0);
    }
  });

  test('a long name is cut, and without a public address there still is one that is well formed', () => {
    const name = 'a-name-of-more-than-thirty-characters-in-all';
    expect(made({ name, webhookUrl: 'http://localhost:8787/teams/t1.abc' })).toMatchObject({
      name: { short: expect.stringMatching(/^.{30}$/u) },
      developer: { privacyUrl: 'https://conch.invalid' },
    });
  });
});
