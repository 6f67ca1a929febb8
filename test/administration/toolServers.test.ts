import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { outwardGuard } from '../../lib/tenants/apiRoots.ts';
import { type RunningMcp, startMcp, textTool } from '../standins/mcp.ts';
import { createTestAdministration, fieldsOf, type TestAdministration } from './setup.ts';

let [admin, mcp]: [TestAdministration, RunningMcp] = [] as never;
beforeAll(async () => {
  admin = await createTestAdministration();
});
afterAll(() => admin.close());
beforeEach(async () => {
  mcp = await startMcp({ tools: [textTool('list', undefined, { annotations: { readOnlyHint: true } })] });
  await admin.call('DELETE', '/v1/tenants/acme');
  await admin.call('PUT', '/v1/tenants/acme');
});
afterEach(() => mcp.stop());

const path = (name: string) => `/v1/tenants/acme/tool-servers/${name}`;
const put = (name: string, body: unknown) => admin.call('PUT', path(name), body);
const CANARY = 'canary-of-a-header-4711';

describe('SPEC 14.1: tool servers', () => {
  test('one is put and asked what it offers, shown without its headers, asked again, and deleted', async () => {
    mcp.wanted = { authorization: `Bearer ${CANARY}` };
    mcp.prompts = [{ definition: { name: 'triage', description: 'Sorts', arguments: [{ name: 'what' }] } }];
    const headers = { Authorization: `Bearer ${CANARY}` };
    const first = await put('tracker', { url: mcp.url, headers, only: ['list'] });
    const shown = {
      ...{ name: 'tracker', url: mcp.url, headers: ['Authorization'], only: ['list'], leftOut: [] },
      tools: [{ name: 'list', description: 'Does list', readOnly: true }],
      prompts: [{ name: 'triage', description: 'Sorts', arguments: [{ name: 'what' }] }],
      ...{ askedAt: admin.clock.ms, answeredAt: admin.clock.ms },
    };
    expect([first.status, first.body]).toEqual([201, shown]);
    expect((await admin.call('GET', path('tracker'))).body).toEqual(shown);
    mcp.tools.push(textTool('add'));
    const again = await admin.call('POST', `${path('tracker')}/refresh`);
    expect(again.body.tools.map(({ name }: { name: string }) => name)).toEqual(['list', 'add']);
    const listed = await admin.call('GET', '/v1/tenants/acme/tool-servers');
    expect(listed.body).toEqual([{ ...shown, tools: 2, offered: 1, prompts: 1, leftOut: 0 }]);
    for (const answer of [first, again, listed]) expect(answer.text).not.toContain(CANARY);
    expect((await put('tracker', { url: mcp.url, headers })).status).toBe(200);
    expect((await admin.call('DELETE', path('tracker'))).status).toBe(204);
    expect((await admin.call('GET', path('tracker'))).status).toBe(404);
    expect((await admin.call('POST', `${path('tracker')}/refresh`)).status).toBe(404);
    expect(await admin.stores.tenants.toolCatalog('acme', 'tracker')).toBeUndefined();
  });

  test('SPEC 14.2: headers are sealed for this tenant and this server, and reach no log', async () => {
    await put('sealed', { url: mcp.url, headers: { 'X-Key': CANARY } });
    const record = (await admin.stores.tenants.load('acme'))?.toolServers[0];
    expect(JSON.stringify([record, admin.logged])).not.toContain(CANARY);
    const bound = { tenant: 'acme', owner: 'tool-server#sealed' };
    expect(await admin.stores.secrets.open(record?.headers['X-Key'] ?? '', bound)).toBe(CANARY);
  });

  test('tools that are wanted and not there are named', async () => {
    const answer = await put('tracker', { url: mcp.url, only: ['list', 'lost'] });
    expect(answer.body).toMatchObject({ only: ['list', 'lost'], missing: ['lost'] });
  });

  test.each(['Tracker', 'a_b', '-a', '__proto__'])('the name %s is refused with the whole rule', async (name) => {
    const { body } = await put(name, { url: mcp.url });
    expect(body.errors).toEqual([
      {
        field: 'name',
        reason: 'A tool server’s name has 1 to 32 small letters, digits and "-", and begins with a letter or digit.',
      },
    ]);
  });

  test('a tenant can have as many as fit into a turn', async () => {
    for (let n = 0; n < 20; n++) {
      const server = { name: `s${n}`, url: mcp.url, headers: {}, prompts: [], revision: 'r' };
      await admin.stores.tenants.putToolServer('acme', server);
    }
    expect(fieldsOf(await put('one-more', { url: mcp.url }))).toEqual(['name']);
    expect((await put('s7', { url: mcp.url })).status).toBe(200);
  });

  test('SPEC 15.5: one that does not answer is stored with the reason, and what it offered is kept', async () => {
    mcp.wanted = { 'x-key': 'right' };
    const refused = await put('tracker', { url: mcp.url });
    expect([refused.status, refused.body]).toMatchObject([201, { tools: [], fault: 'It refused the credentials.' }]);
    await put('tracker', { url: mcp.url, headers: { 'x-key': 'right' } });
    mcp.wanted = { 'x-key': 'other' };
    const later = await admin.call('POST', `${path('tracker')}/refresh`);
    expect(later.body).toMatchObject({ tools: [{ name: 'list' }], fault: 'It refused the credentials.' });
    const elsewhere = await put('tracker', { url: `${mcp.url}/other` });
    expect(elsewhere.body).toMatchObject({ tools: [], fault: 'It refused the credentials.' });
  });

  test('SPEC 4.4, 15.5: prompts are listed last, with what comes before them', async () => {
    mcp.prompts = [{ definition: { name: 'clear' } }, { definition: { name: 'triage', description: 'Sorts' } }];
    await put('tracker', { url: mcp.url });
    const { body } = await admin.call('GET', '/v1/tenants/acme/commands');
    expect(body.slice(-2)).toEqual([
      {
        ...{ kind: 'prompt', name: 'clear', section: 'prompts', summary: '', server: 'tracker' },
        unreachable: 'The built-in command /clear has this name, and comes first.',
      },
      { kind: 'prompt', name: 'triage', section: 'prompts', summary: 'Sorts', server: 'tracker' },
    ]);
  });

  test.each<[string, object, string[]]>([
    ['no address', {}, ['url']],
    ['an address that is none', { url: 'example' }, ['url']],
    ['an address with a password', { url: 'https://a:b@x.example' }, ['url']],
    ['an address of another kind', { url: 'file:///etc/passwd' }, ['url']],
    ['an unknown field', { url: 'https://x.example', token: CANARY }, ['token']],
    ['a header that Conch sets', { url: 'https://x.example', headers: { Host: 'y' } }, ['headers.Host']],
    [
      'a session in a header',
      { url: 'https://x.example', headers: { 'Mcp-Session-Id': 'y' } },
      ['headers.Mcp-Session-Id'],
    ],
    ['a header of two lines', { url: 'https://x.example', headers: { A: `${CANARY}\r\nB: c` } }, ['headers.A']],
    ['a header twice', { url: 'https://x.example', headers: { 'x-a': '1', 'X-A': '2' } }, ['headers']],
    ['tools that are no list', { url: 'https://x.example', only: 'list' }, ['only']],
  ])('%s is refused by name, not repeated, and nothing is stored', async (_case, body, fields) => {
    const answer = await put('refused', body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
    expect(answer.text).not.toContain(CANARY);
    expect((await admin.call('GET', path('refused'))).status).toBe(404);
  });

  test('a name that could be taken for another server’s tool is refused', async () => {
    for (const name of ['a_b', '-a']) expect(fieldsOf(await put(name, { url: mcp.url }))).toEqual(['name']);
  });

  test('DESIGN 6: on a deployment an address has to be an https one of the public network, or one that is listed', async () => {
    const { fault } = outwardGuard('https://inside.internal');
    const guarded = await createTestAdministration({ toolServerFault: fault });
    await guarded.call('PUT', '/v1/tenants/acme');
    const refused = [
      'http://x.example',
      'https://127.0.0.1',
      'https://[::1]',
      'https://other.internal',
      'https://0x7f.1',
    ];
    for (const url of refused) expect(fieldsOf(await guarded.call('PUT', path('s'), { url })), url).toEqual(['url']);
    guarded.close();
    expect(fault(new URL('https://inside.internal/mcp'))).toBeUndefined();
    expect(fault(new URL('https://x.example/mcp'))).toBeUndefined();
  });
});
