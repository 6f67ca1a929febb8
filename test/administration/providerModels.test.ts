import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type WebAnswer, webServer } from '../standins/web.ts';
import { createTestAdministration, fieldsOf, type TestAdministration } from './setup.ts';

const KEY = 'canary-key-31';
let admin: TestAdministration;
let answer: WebAnswer;
let provider: Awaited<ReturnType<typeof webServer>>;
let refused: string | undefined;
beforeAll(async () => {
  admin = await createTestAdministration({ outwardFault: () => refused });
  await admin.call('PUT', '/v1/tenants/acme');
  provider = await webServer(() => answer);
});
afterEach(() => {
  provider.requests.length = 0;
  refused = undefined;
});
afterAll(async () => {
  await admin.close();
  await provider.close();
});

const path = '/v1/tenants/acme/providers';
const models = (name: string) => admin.call('GET', `${path}/${name}/models`);
const put = (name: string, rest: object = {}, query = '') =>
  admin.call('PUT', `${path}/${name}${query}`, { engine: 'openai', apiKey: KEY, baseURL: provider.url, ...rest });
const LIST: WebAnswer = { body: { data: [{ id: 'm-1' }, { id: 'm-2' }] } };

/** Failures, the status that they become, and the field that is named. */
const FAILURES: [string, WebAnswer, number, string[], RegExp][] = [
  ['a key that is refused', { status: 401, body: { error: { message: `wrong: ${KEY}` } } }, 422, ['apiKey'], /refuses/],
  ['no credit', { status: 402, body: {} }, 422, ['apiKey'], /no credit/],
  ['too many requests', { status: 429, body: {} }, 503, [], /no more requests/],
  ['a provider that is down', { status: 500, body: '' }, 503, [], /fails at the moment/],
  ['an address of something else', { status: 404, body: '<html>' }, 422, ['baseURL'], /lists no models/],
];

describe('SPEC 14.1: what a provider lists', () => {
  test('is asked for with the provider’s own key', async () => {
    await put('own');
    expect(provider.requests).toEqual([]);
    answer = LIST;
    expect((await models('own')).body).toEqual([{ id: 'm-1' }, { id: 'm-2' }]);
    expect(provider.requests).toMatchObject([{ headers: { authorization: `Bearer ${KEY}` } }]);
  });

  test.each(FAILURES)('%s is told in words', async (_case, given, status, fields, words) => {
    await put('own');
    answer = given;
    const told = await models('own');
    expect([told.status, fieldsOf(told)]).toEqual([status, fields]);
    expect(told.body.detail).toMatch(words);
    expect(told.text + JSON.stringify(admin.logged)).not.toContain(KEY);
    // A warning: it is the tenant's affair, and no error of this deployment.
    const said = { fault: expect.any(String), reason: expect.any(String), engine: 'openai' };
    expect(admin.logged.at(-1)).toEqual(['administration.provider.refused', said]);
  });

  test('a provider that is not there, or whose engine has no list, is not found', async () => {
    expect((await models('nobody')).status).toBe(404);
    await admin.call('PUT', `${path}/demo`, { engine: 'demo' });
    expect((await models('demo')).body).toMatchObject({ status: 404, detail: expect.stringContaining('“demo”') });
  });

  test('an address that Conch may not call any more is not called', async () => {
    await put('own');
    refused = 'Not allowed here.';
    expect(fieldsOf(await models('own'))).toEqual(['baseURL']);
    expect(provider.requests).toEqual([]);
  });
});

describe('SPEC 14.1: a key is checked when that is asked for', () => {
  test('a right one is stored', async () => {
    answer = LIST;
    expect((await put('checked', {}, '?check=true')).status).toBe(201);
    expect(provider.requests).toHaveLength(1);
    await put('checked', {}, '?check=false');
    expect(provider.requests).toHaveLength(1);
  });

  test.each(FAILURES)('%s is told in words, and nothing is stored', async (_case, given, status, fields, words) => {
    answer = given;
    const told = await put('unchecked', {}, '?check=true');
    expect([told.status, fieldsOf(told)]).toEqual([status, fields]);
    expect(told.body.detail).toMatch(words);
    expect((await admin.call('GET', `${path}/unchecked`)).status).toBe(404);
  });

  test('nobody at the provider’s own address is a wrong address; elsewhere it may pass', async () => {
    const told = await put('unchecked', { baseURL: 'http://127.0.0.1:1' }, '?check=true');
    expect([told.status, fieldsOf(told)]).toEqual([422, ['baseURL']]);
  });

  test('an engine without a way to check says so; the demo has no key', async () => {
    const bedrock = { engine: 'bedrock', apiKey: KEY };
    expect(fieldsOf(await admin.call('PUT', `${path}/b?check=true`, bedrock))).toEqual(['check']);
    expect((await admin.call('PUT', `${path}/d?check=true`, { engine: 'demo' })).status).toBe(201);
    expect(fieldsOf(await put('own', {}, '?check=yes'))).toEqual(['check']);
  });
});
