import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TelegramStandIn } from '../standins/telegram.ts';
import { Conch } from './conch.ts';

describe('bad requests get a clear answer', () => {
  const conch = new Conch();
  let telegram: TelegramStandIn;
  let path = '';

  beforeAll(async () => {
    [telegram] = await Promise.all([TelegramStandIn.start(), conch.start()]);
    await conch.admin('PUT', '/tenants/acme', {});
    const { body } = await conch.admin<{ webhookPath: string }>('PUT', '/tenants/acme/channels/bot', {
      ...{ app: 'telegram', token: telegram.token, apiRoot: telegram.root },
    });
    path = body.webhookPath;
  });
  afterAll(async () => {
    await Promise.all([conch.close(), telegram.close()]);
  });

  async function post(to: string, body: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${conch.url}${to}`, { method: 'POST', body, headers });
    return { status: response.status, body: (await response.json()) as { message: string } };
  }
  const signed = () => ({ 'X-Telegram-Bot-Api-Secret-Token': telegram.webhook?.secret_token ?? '' });

  test.each([
    ['no JSON', '{"update_id":', /JSON/iu],
    ['no UTF-8', '\u0000', /JSON/iu],
    ['no update', '[]', /./u],
    ['a message of the wrong shape', '{"update_id":1,"message":{"chat":"x"}}', /./u],
  ])('SPEC 2.3: %s is refused with 400 and the reason', async (_what, body, reason) => {
    const answer = await post(path, body, signed());
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(reason);
  });

  test('an unknown channel is 404, in any form', async () => {
    for (const id of ['acme.unknown', 'nobody.x', 'x', '.', '..%2f', 'acme.']) {
      expect((await post(`/telegram/${id}`, '{}', signed())).status).toBe(404);
    }
    expect((await post(path.replace('/telegram/', '/text/'), '{}')).status).toBe(404);
  });

  test('a path by an inherited name is the administration’s, like any other', async () => {
    const other = await fetch(`${conch.url}/elsewhere`);
    for (const name of ['constructor', '__proto__', 'toString']) {
      const { status, headers } = await fetch(`${conch.url}/${name}/x`);
      expect([status, headers.get('content-type')]).toEqual([other.status, other.headers.get('content-type')]);
    }
  });

  test('a body over 1 MB is 413, whether or not it names its length', async () => {
    expect((await post(path, 'x'.repeat(1_000_001), signed())).status).toBe(413);
  });

  test('a wrong secret is 401 before the body is looked at', async () => {
    expect((await post(path, 'no json', { 'X-Telegram-Bot-Api-Secret-Token': 'wrong' })).status).toBe(401);
    expect((await post(path, 'no json')).status).toBe(401);
  });

  test('the administration answers with problem details', async () => {
    const unknownField = await conch.admin<{ errors: { field: string }[] }>('PUT', '/tenants/acme/channels/x', {
      ...{ app: 'telegram', token: telegram.token, acess: 'anyone' },
    });
    expect(unknownField.status).toBe(422);
    expect(unknownField.body.errors.map(({ field }) => field)).toEqual(['acess']);
  });
});

describe('a broken configuration refuses to start, in one sentence', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conch-bad-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function start(env: Record<string, string>) {
    const options = { env: { ...process.env, PORT: '0', CONCH_DATA: join(folder, 'data'), ...env }, timeout: 20_000 };
    const { status, stderr } = spawnSync(process.execPath, ['local/start.ts'], { ...options, encoding: 'utf8' });
    return { status, stderr };
  }

  test.each([
    ['PORT has to be a number', { PORT: 'eighty' }],
    ['CONCH_ADMIN_TOKEN', { CONCH_ADMIN_TOKEN: 'short' }],
    ['CONCH_PUBLIC_URL', { CONCH_PUBLIC_URL: 'ftp://x' }],
  ])('%s', (name, env) => {
    const { status, stderr } = start(env);
    expect(status).toBe(1);
    expect(stderr).toContain(name);
    expect(stderr).not.toContain('    at ');
  });

  test('a port in use', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, () => resolve((taken.address() as { port: number }).port));
    });
    const { status, stderr } = start({ PORT: String(port) });
    taken.close();
    expect(status).toBe(1);
    expect(stderr).toMatch(/Port \d+ is in use/u);
  });

  test('a data folder that is a file, and credentials that are not what was written', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(start({ CONCH_DATA: file })).toMatchObject({ status: 1, stderr: expect.stringContaining(file) });
    const data = mkdtempSync(join(folder, 'broken-'));
    writeFileSync(join(data, 'local.json'), '{');
    chmodSync(join(data, 'local.json'), 0o600);
    expect(start({ CONCH_DATA: data })).toMatchObject({ status: 1, stderr: expect.stringContaining('local.json') });
  });
});
