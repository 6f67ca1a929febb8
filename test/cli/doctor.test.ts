import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, createTestAdministration, type TestAdministration } from '../administration/setup.ts';
import { TelegramStandIn } from '../standins/telegram.ts';
import { conch, deadUrl, listen } from './support.ts';

let admin: TestAdministration;
let telegram: TelegramStandIn;
let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  admin = await createTestAdministration();
  server = await listen(admin.app);
});
afterAll(async () => {
  await server.close();
  admin.close();
});
beforeEach(async () => {
  telegram = await TelegramStandIn.start();
  await admin.call('DELETE', '/v1/tenants/acme');
  await admin.call('PUT', '/v1/tenants/acme');
  return () => telegram.close();
});

const doctor = (args: string[] = [], env: Record<string, string> = {}) =>
  conch(['doctor', '--tenant', 'acme', ...args], {
    env: { CONCH_URL: server.url, CONCH_ADMIN_TOKEN: ADMIN_TOKEN, ...env },
  });

describe('conch doctor', () => {
  test('where all is well: one line a check under what it is about, and exit code 0', async () => {
    const fields = { app: 'telegram', token: telegram.token, apiRoot: telegram.root, owner: '111' };
    await admin.call('PUT', '/v1/tenants/acme/channels/helper', fields);
    const { code, stdout } = await doctor();
    expect(code, stdout).toBe(0);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'Conch',
      `  ok       It answers at ${server.url}.`,
      '  ok       The admin token opens it.',
    ]);
    expect(stdout).toContain('\n\nchannel helper (telegram)\n  ok       Telegram knows the token');
    expect(stdout).toMatch(/\n\nAll is well\.\n$/);
    expect(stdout).not.toContain('PROBLEM');
  });

  test('what is wrong stands with what to do, and the exit code is 1', async () => {
    const fields = { app: 'telegram', token: telegram.token, apiRoot: telegram.root, owner: '111' };
    await admin.call('PUT', '/v1/tenants/acme/channels/helper', fields);
    telegram.webhook = undefined;
    const { code, stdout } = await doctor();
    expect(code).toBe(1);
    expect(stdout).toMatch(
      / {2}PROBLEM {2}Telegram delivers nothing: no webhook is set for this bot\.\n {11}→ .*npx conch put channel helper/,
    );
    expect(stdout).toMatch(/One thing is wrong\.\n$/);
    expect(stdout).not.toContain(telegram.token);
  });

  test('nobody answers there, or somebody else', async () => {
    const nobody = await doctor([], { CONCH_URL: await deadUrl() });
    expect(nobody.code).toBe(1);
    expect(nobody.stdout).toMatch(/PROBLEM {2}Nobody answers at .*\n.*→ Start it/);
    const other = await listen(new Hono().all('*', (c) => c.html('<p>hello</p>')));
    const wrong = await doctor(['--url', other.url], {});
    await other.close();
    expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('is not Conch’s administration') });
  });

  test('no token, a wrong one, a tenant that is not there', async () => {
    for (const [args, env, words] of [
      [[], { CONCH_ADMIN_TOKEN: '' }, 'There is no admin token here'],
      [[], { CONCH_ADMIN_TOKEN: 'another-token-of-many-characters' }, 'It does not take the admin token'],
      [['--tenant', 'nobody'], {}, 'There is no tenant “nobody”'],
    ] as const) {
      const { code, stdout } = await doctor([...args], env);
      expect(code).toBe(1);
      expect(stdout).toContain(words);
    }
  });

  test('--json gives the checks; a word too many is said', async () => {
    const { code, stdout } = await doctor(['--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual({ about: 'Conch', status: 'ok', what: 'The admin token opens it.' });
    expect(await doctor(['now'])).toMatchObject({ code: 2, stderr: expect.stringContaining('conch doctor') });
  });
});
