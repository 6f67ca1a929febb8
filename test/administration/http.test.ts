import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAdministration } from '../../lib/administration/index.ts';
import { ROUTES } from '../../lib/administration/routes.ts';
import { ConchError } from '../../lib/domain/errors.ts';
import { ADMIN_TOKEN, createTestAdministration, type TestAdministration } from './setup.ts';

let admin: TestAdministration;
beforeAll(async () => {
  admin = await createTestAdministration();
  await admin.call('PUT', '/v1/tenants/acme');
});
afterAll(() => admin.close());

const PATHS = Object.keys(ROUTES).map((path) =>
  path.replace(':tenant', 'acme').replace(':name', 'main').replace(':person', '5').replace(':place', 'a~b'),
);

describe('DESIGN 6: the admin token', () => {
  const wrong = {
    none: undefined,
    empty: 'Bearer ',
    wrong: 'Bearer another-token',
    longer: `Bearer ${ADMIN_TOKEN}x`,
    'the hash itself': '',
    'another scheme': `Basic ${ADMIN_TOKEN}`,
  };

  test.each(Object.keys(wrong) as (keyof typeof wrong)[])(
    '%s: every address answers 401 and does nothing',
    async (name) => {
      const authorization = name === 'the hash itself' ? `Bearer ${admin.deps.adminTokenHash}` : wrong[name];
      for (const path of [...PATHS, '/v1/nothing']) {
        const answer = await admin.raw(
          'DELETE',
          path,
          authorization === undefined ? {} : { headers: { authorization } },
        );
        expect([path, answer.status]).toEqual([path, 401]);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
      expect((await admin.call('GET', '/v1/tenants/acme')).status).toBe(200);
    },
  );

  test('without a good hash there is no administration', () => {
    expect(() => createAdministration({ ...admin.deps, adminTokenHash: '' })).toThrow(/hash/);
  });

  test('the scheme may be written in any case', async () => {
    const answer = await admin.raw('GET', '/v1/tenants', { headers: { authorization: `bearer ${ADMIN_TOKEN}` } });
    expect(answer.status).toBe(200);
  });

  test('/healthz needs none', async () => {
    expect((await admin.raw('GET', '/healthz')).body).toEqual({ ok: true });
  });
});

describe('DESIGN 6: errors are RFC 9457 problem details', () => {
  test.each([
    ['an unknown address', 'GET', '/v1/nothing', undefined, 404],
    ['an unknown address outside', 'GET', '/nothing', undefined, 404],
    ['an unknown tenant', 'GET', '/v1/tenants/nobody', undefined, 404],
    ['an unknown tenant’s channels', 'GET', '/v1/tenants/nobody/channels', undefined, 404],
    ['an unknown channel', 'GET', '/v1/tenants/acme/channels/none', undefined, 404],
    ['an unknown provider', 'DELETE', '/v1/tenants/acme/providers/none', undefined, 404],
    ['an unknown place', 'DELETE', '/v1/tenants/acme/places/a~b', undefined, 404],
    ['a method that is not there', 'POST', '/v1/tenants/acme', undefined, 405],
    ['malformed JSON', 'PUT', '/v1/tenants/acme/settings', '{"effort": "low', 400],
    [
      'a body that is not UTF-8',
      'PUT',
      '/v1/tenants/acme',
      new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      400,
    ],
    ['a body that is a list', 'PUT', '/v1/tenants/acme/settings', '[]', 422],
    ['a body that is null', 'PUT', '/v1/tenants/acme', 'null', 422],
    ['a field that is not known', 'PUT', '/v1/tenants/acme', '{"plan": "gold"}', 422],
    ['a name with a capital', 'PUT', '/v1/tenants/Acme', undefined, 422],
    ['a name that begins with a dash', 'PUT', '/v1/tenants/-acme', undefined, 422],
    ['a name of 40 characters', 'PUT', `/v1/tenants/${'a'.repeat(40)}`, undefined, 422],
    ['a name with a dot', 'PUT', '/v1/tenants/acme.b', undefined, 422],
    ['a channel’s name of 33 characters', 'PUT', `/v1/tenants/acme/channels/${'a'.repeat(33)}`, '{}', 422],
    ['a body over 1 MB', 'PUT', '/v1/tenants/acme', `{"a": "${'x'.repeat(1024 * 1024)}"}`, 413],
    ['a number that is none', 'GET', '/v1/tenants/acme/usage?days=many', undefined, 422],
    ['a number out of range', 'GET', '/v1/tenants/acme/places/a~b/events?limit=1001', undefined, 422],
  ])('%s', async (_case, method, path, body, status) => {
    const answer = await admin.call(method, path, body);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ status, type: expect.stringMatching(/^urn:/), title: expect.any(String) });
    expect(answer.status).toBe(status);
    expect(answer.body.detail.length).toBeGreaterThan(5);
  });

  test('a wrong method says which would be right', async () => {
    expect((await admin.call('POST', '/v1/tenants/acme')).headers.get('allow')).toBe('GET, PUT, DELETE');
  });

  test('unknown and wrong fields are named, all at once', async () => {
    const answer = await admin.call('PUT', '/v1/tenants/acme/settings', { efort: 'low', fast: 'yes', mode: 'wild' });
    expect(answer.body.errors).toEqual([
      { field: 'fast', reason: 'It has to be of type boolean.' },
      { field: 'mode', reason: 'It has to be one of: plan, ask, edit, auto, trust.' },
      { field: 'efort', reason: 'There is no such field.' },
    ]);
  });

  test('a body of exactly 1 MB is read', async () => {
    const body = `{"${'x'.repeat(1024 * 1024 - 7)}":1}`.padEnd(1024 * 1024);
    expect((await admin.call('PUT', '/v1/tenants/acme', body)).status).toBe(422);
  });

  test('the name of a field that may be a secret is not repeated', async () => {
    const answer = await admin.call('PUT', '/v1/tenants/acme', { '123:ABC secret pasted as a name': 1 });
    expect(answer.text).not.toContain('secret pasted');
  });
});

describe('SPEC 13.5: a failure says nothing of the inside', () => {
  test.each([
    ['one that may pass', new ConchError('dynamodb-unavailable', 'inner words', { retryable: true }), 503],
    ['one that may not', new Error('inner words'), 500],
  ])('%s', async (_case, error, status) => {
    const tenants = Object.create(admin.stores.tenants, { load: { value: () => Promise.reject(error) } });
    const app = createAdministration({ ...admin.deps, tenants });
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const response = await app.request('/v1/tenants/acme', { headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.text()).not.toMatch(/inner words|\.ts:|stack/);
    expect(admin.logged.at(-1)).toEqual(['administration.failed', error]);
  });
});
