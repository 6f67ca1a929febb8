import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { engineOpener } from '../../lib/providers/engines.ts';
import { createTestAdministration, fieldsOf, type TestAdministration } from './setup.ts';

let admin: TestAdministration;
beforeAll(async () => {
  admin = await createTestAdministration();
  await admin.call('PUT', '/v1/tenants/acme');
});
afterAll(() => admin.close());

const put = (name: string, body: unknown) => admin.call('PUT', `/v1/tenants/acme/providers/${name}`, body);
const settings = (body: unknown) => admin.call('PUT', '/v1/tenants/acme/settings', body);

describe('DESIGN 6: providers', () => {
  test('one is put, shown without its key, replaced and deleted', async () => {
    const body = {
      ...{ engine: 'anthropic', apiKey: ' sk-key-1 ', baseURL: 'https://proxy.example/v1' },
      models: [{ id: 'm-1', contextWindow: 9_000, maxOutputTokens: 500, tools: false }, { id: 'm-2' }],
    };
    const first = await put('claude', body);
    const { apiKey: _, ...open } = body;
    expect([first.status, first.body]).toEqual([
      201,
      { ...open, name: 'claude', default: true, settings: {}, secrets: ['apiKey'] },
    ]);
    expect((await admin.call('GET', '/v1/tenants/acme/providers/claude')).body).toEqual(first.body);
    const second = await put('claude', { engine: 'demo' });
    expect(second.status).toBe(200);
    const replaced = { name: 'claude', default: true, engine: 'demo', models: [], settings: {}, secrets: [] };
    expect((await admin.call('GET', '/v1/tenants/acme/providers')).body).toEqual([replaced]);
    expect((await admin.call('DELETE', '/v1/tenants/acme/providers/claude')).status).toBe(204);
    expect((await admin.call('DELETE', '/v1/tenants/acme/providers/claude')).status).toBe(404);
  });

  test('SPEC 14.2: the key is sealed for this tenant and this provider', async () => {
    await put('sealed', { engine: 'openai', apiKey: 'sk-key-2' });
    const record = (await admin.stores.tenants.load('acme'))?.providers.find(({ name }) => name === 'sealed');
    if (!record) throw new Error('It was not stored');
    const { open } = admin.stores.secrets;
    const sealed = record.secrets.apiKey ?? '';
    const bound = { tenant: 'acme', owner: 'provider#sealed' };
    expect(await open.call(admin.stores.secrets, sealed, bound)).toBe('sk-key-2');
    await expect(admin.stores.secrets.open(sealed, { ...bound, tenant: 'other' })).rejects.toThrow();
    await expect(engineOpener(admin.stores.secrets)('acme', record)).resolves.toBeDefined();
  });

  test.each<[string, object, string[]]>([
    ['no engine', {}, ['engine']],
    ['an unknown engine', { engine: 'gpt' }, ['engine']],
    ['no key for anthropic', { engine: 'anthropic', baseURL: 'https://a.example' }, ['apiKey']],
    ['no key for openai', { engine: 'openai' }, ['apiKey']],
    ['no key for google', { engine: 'google' }, ['apiKey']],
    ['no key for bedrock', { engine: 'bedrock', settings: { region: 'eu-west-1' } }, ['apiKey']],
    ['no address for a compatible server', { engine: 'openai-compatible', apiKey: 'k' }, ['baseURL']],
    ['an empty key', { engine: 'openai', apiKey: ' ' }, ['apiKey']],
    ['a key of a wrong type', { engine: 'openai', apiKey: 5 }, ['apiKey']],
    ['a key that no header can hold', { engine: 'openai', apiKey: 'sk-“curly”' }, ['apiKey']],
    ['a key that never ends', { engine: 'openai', apiKey: 'k'.repeat(4097) }, ['apiKey']],
    ['a wrong address', { engine: 'openai-compatible', baseURL: 'localhost:1234' }, ['baseURL']],
    ['an address with a password', { engine: 'openai-compatible', baseURL: 'http://a:b@c.example' }, ['baseURL']],
    ['an unknown field', { engine: 'demo', apikey: 'k' }, ['apikey']],
    ['an unknown setting', { engine: 'demo', settings: { region: 'eu-west-1' } }, ['settings.region']],
    [
      'a region that would lead elsewhere',
      { engine: 'bedrock', apiKey: 'k', settings: { region: 'x.evil.example/' } },
      ['settings.region'],
    ],
    ['a setting of a wrong type', { engine: 'bedrock', apiKey: 'k', settings: { region: 1 } }, ['settings.region']],
    ['models that are no list', { engine: 'demo', models: 'demo' }, ['models']],
    ['a model without an id', { engine: 'demo', models: [{ contextWindow: 5 }] }, ['models.0.id']],
    ['a model with an unknown field', { engine: 'demo', models: [{ id: 'a', window: 5 }] }, ['models.0.window']],
    [
      'a window that is no number',
      { engine: 'demo', models: [{ id: 'a', contextWindow: '5' }] },
      ['models.0.contextWindow'],
    ],
    ['a word for whether it uses tools', { engine: 'demo', models: [{ id: 'a', tools: 'no' }] }, ['models.0.tools']],
    ['a model twice', { engine: 'demo', models: [{ id: 'a' }, { id: 'a' }] }, ['models']],
  ])('%s is refused by name, and nothing is stored', async (_case, body, fields) => {
    const answer = await put('refused', body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
    expect((await admin.call('GET', '/v1/tenants/acme/providers/refused')).status).toBe(404);
  });

  test('case L 134: a pasted paragraph is refused and not repeated', async () => {
    const answer = await put('pasted', { engine: 'openai', apiKey: 'Your new key is\nsk-canary-99\nKeep it safe.' });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['apiKey']]);
    expect(answer.text).not.toContain('canary');
  });
});

describe('SPEC 14.4: who answers where nobody has picked a model', () => {
  const at = (path: string) => `/v1/tenants/defaults/${path}`;
  const add = (name: string, body: object = { engine: 'demo' }) => admin.call('PUT', at(`providers/${name}`), body);
  const shown = async () => {
    const { body } = await admin.call('GET', at('providers'));
    expect((await admin.call('GET', '/v1/tenants/defaults')).body.providers).toEqual(body);
    return body.map((one: { name: string; default: boolean }) => (one.default ? `${one.name}*` : one.name));
  };
  beforeEach(async () => {
    await admin.call('PUT', '/v1/tenants/defaults');
  });
  afterEach(() => admin.call('DELETE', '/v1/tenants/defaults'));

  test('the provider that was added first, whatever comes later and however it is put again', async () => {
    expect((await add('m')).body.default).toBe(true);
    expect((await add('a')).body.default).toBe(false);
    expect((await add('m', { engine: 'openai', apiKey: 'k' })).body).toMatchObject({ engine: 'openai', default: true });
    expect(await shown()).toEqual(['m*', 'a']);
    const health = (await admin.call('GET', at('health'))).body.checks[0];
    expect(health.what).toMatch(/^New chats are answered by m\//);
  });

  test('once it is removed, the next; added again it is the last', async () => {
    for (const name of ['m', 'z', 'a']) await add(name);
    await admin.call('DELETE', at('providers/m'));
    expect(await shown()).toEqual(['z*', 'a']);
    await add('m');
    expect(await shown()).toEqual(['z*', 'a', 'm']);
  });

  test('or the one of the tenant’s settings; none if that is gone', async () => {
    for (const name of ['m', 'a']) await add(name);
    await admin.call('PUT', at('settings'), { model: 'a' });
    expect(await shown()).toEqual(['m', 'a*']);
    await admin.call('DELETE', at('providers/a'));
    expect(await shown()).toEqual(['m']);
  });

  test('a model’s bare id in the settings stays with its provider, whoever else comes to have the model', async () => {
    const models = [{ id: 'a/b' }, { id: 'c' }];
    await add('m', { engine: 'demo', models });
    const put = await admin.call('PUT', at('settings'), { model: 'c', fallback: 'a/b' });
    expect(put.body).toEqual({ model: 'm/c', fallback: 'm/a/b' });
    await add('a', { engine: 'demo', models });
    expect(await shown()).toEqual(['m*', 'a']);
    await admin.call('PUT', at('settings'), { model: 'a' });
    expect((await admin.call('GET', at('settings'))).body).toEqual({ model: 'a' });
  });

  test('of providers from before this was noted, the first by name, also once it is put again', async () => {
    const old = { engine: 'demo' as const, models: [], settings: {}, secrets: {} };
    for (const name of ['m', 'k']) await admin.stores.tenants.putProvider('defaults', { name, ...old });
    await add('a');
    await add('k');
    expect(await shown()).toEqual(['k*', 'm', 'a']);
  });

  test('SPEC 14.4: it moves to no provider that code without times puts, or puts again, during a roll-out', async () => {
    const old = { engine: 'demo' as const, models: [], settings: {}, secrets: {} };
    const putByOld = (name: string) => admin.stores.tenants.putProvider('defaults', { name, ...old });
    await putByOld('y');
    await add('m');
    await putByOld('b');
    expect(await shown()).toEqual(['y*', 'm', 'b']);
    await add('c');
    await putByOld('a');
    expect(await shown()).toEqual(['y*', 'm', 'b', 'c', 'a']);
    for (const name of ['b', 'a']) await add(name);
    expect(await shown()).toEqual(['y*', 'm', 'b', 'c', 'a']);
    for (const name of ['c', 'm']) await putByOld(name);
    expect(await shown()).toEqual(['y*', 'm', 'b', 'c', 'a']);
  });
});

describe('DESIGN 6: settings', () => {
  test('are put as a whole, shown, and deleted', async () => {
    await put('own', {
      engine: 'openai-compatible',
      baseURL: 'http://localhost:1',
      models: [{ id: 'a/b' }, { id: 'd' }],
    });
    const all = {
      ...{ model: 'own/a/b', fallback: 'own/d', effort: 'high', fast: true, mode: 'plan', turnsAtOnce: 1000 },
      ...{ stepsPerTurn: 100, tokensPerTurn: 1, minutesPerTurn: 1440 },
    };
    expect((await settings(all)).body).toEqual(all);
    expect((await admin.call('GET', '/v1/tenants/acme/settings')).body).toEqual(all);
    await settings({ mode: 'ask' });
    expect((await admin.stores.tenants.load('acme'))?.settings).toEqual({ mode: 'ask' });
    expect((await admin.call('DELETE', '/v1/tenants/acme/settings')).status).toBe(204);
    expect((await admin.call('GET', '/v1/tenants/acme/settings')).body).toEqual({});
  });

  test.each<[string, object, string[]]>([
    ['a model of a provider that does not exist', { model: 'nobody/a' }, ['model']],
    ['a model that its provider does not list', { model: 'own/c' }, ['model']],
    ['a fallback that does not exist', { fallback: 'own/c' }, ['fallback']],
    ['a fallback that is the model itself', { model: 'own', fallback: 'own/a/b' }, ['fallback']],
    ['no step for an answer', { stepsPerTurn: 0 }, ['stepsPerTurn']],
    ['more steps than an answer can have', { stepsPerTurn: 101 }, ['stepsPerTurn']],
    ['no token for an answer', { tokensPerTurn: 0 }, ['tokensPerTurn']],
    ['more than a day for an answer', { minutesPerTurn: 1441 }, ['minutesPerTurn']],
    ['an empty model', { model: '' }, ['model']],
    ['an unknown effort', { effort: 'extreme' }, ['effort']],
    ['less than no turns at once', { turnsAtOnce: -1 }, ['turnsAtOnce']],
    ['more messages a minute than are counted', { messagesPerMinute: 61 }, ['messagesPerMinute']],
    ['half a token', { tokensPerDay: 0.5 }, ['tokensPerDay']],
    ['too many turns at once', { turnsAtOnce: 1001 }, ['turnsAtOnce']],
    ['half a turn', { turnsAtOnce: 1.5 }, ['turnsAtOnce']],
    ['null', { mode: null }, ['mode']],
    ['an unknown field', { goal: 'x' }, ['goal']],
  ])('%s is refused by name, and nothing changes', async (_case, body, fields) => {
    await settings({ effort: 'low' });
    const answer = await settings(body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
    expect((await admin.call('GET', '/v1/tenants/acme/settings')).body).toEqual({ effort: 'low' });
  });
});
