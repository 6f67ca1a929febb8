import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { followDeployment } from '../../lib/administration/menuRound.ts';
import { COMMANDS } from '../../lib/commands/registry.ts';
import { TelegramStandIn, tooMany } from '../standins/telegram.ts';
import { MemoryTenants } from '../support/memory/tenants.ts';
import { createTestAdministration, fieldsOf, type TestAdministration } from './setup.ts';

let admin: TestAdministration;
let telegram: TelegramStandIn;
let counter = 0;
let T = '';

beforeAll(async () => {
  [admin, telegram] = await Promise.all([createTestAdministration(), TelegramStandIn.start()]);
});
afterAll(async () => {
  await telegram.close();
  admin.close();
});
beforeEach(async () => {
  T = `/v1/tenants/own-${++counter}`;
  await admin.call('PUT', T);
});
afterEach(() => {
  telegram.calls.length = 0;
});

const body = (template = 'Do {{args}}.', meta: object = {}) => ({
  meta: { description: 'Does it', ...meta },
  template,
});
const put = (name: string, given: unknown = body()) => admin.call('PUT', `${T}/commands/${name}`, given);
const names = async () =>
  (await admin.call('GET', `${T}/commands`)).body.filter((row: { kind: string }) => row.kind !== 'built-in');
const connect = (name: string) =>
  admin.call('PUT', `${T}/channels/${name}`, { app: 'telegram', token: telegram.token, apiRoot: telegram.root });
const shown = () => telegram.menus.get('all_private_chats')?.map(({ command }) => command) ?? [];
const sets = () => telegram.callsOf('setMyCommands').length;

describe('SPEC 10.1: one custom command', () => {
  test('is put with its defaults, read, put again and deleted', async () => {
    const first = await put('greet', body('Hello\n', { argumentHint: 'a name' }));
    const meta = { description: 'Does it', argumentHint: 'a name', enabled: true, who: 'people' };
    expect([first.status, first.body]).toEqual([201, { name: 'greet', meta, template: 'Hello\n', menus: [] }]);
    expect((await admin.call('GET', `${T}/commands/greet`)).body).toEqual({ name: 'greet', meta, template: 'Hello\n' });
    expect((await put('greet', body('Bye', { who: 'owner', enabled: false }))).status).toBe(200);
    const again = await admin.call('GET', `${T}/commands/greet`);
    expect(again.body.meta).toEqual({ description: 'Does it', enabled: false, who: 'owner' });
    expect((await admin.call('DELETE', `${T}/commands/greet`)).status).toBe(204);
    expect((await admin.call('DELETE', `${T}/commands/greet`)).status).toBe(404);
    expect((await admin.call('GET', `${T}/commands/greet`)).status).toBe(404);
  });

  test.each<[string, unknown, string[]]>([
    ['no description', { meta: {}, template: 'x' }, ['meta.description']],
    ['an empty description', body('x', { description: ' \n' }), ['meta.description']],
    ['an unknown field', body('x', { descripton: 'x', name: 'x' }), ['meta.descripton', 'meta.name']],
    ['an unknown field beside meta', { ...body(), more: 1 }, ['more']],
    ['a wrong type', body('x', { enabled: 'yes', who: 'all' }), ['meta.enabled', 'meta.who']],
    ['no template', { meta: { description: 'x' } }, ['template']],
    ['an empty template', body('\n'), ['template']],
    ['a template that is too long', body('x'.repeat(50_001)), ['template']],
    ['no meta', { template: 'x' }, ['meta']],
  ])('%s is refused by name', async (_what, given, fields) => {
    const answer = await put('greet', given);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
    expect(await names()).toEqual([]);
  });

  test.each(['Greet', 'a.b', 'c++', 'x'.repeat(33), encodeURIComponent('Баланс')])(
    'the name %s is refused',
    async (name) => {
      expect(fieldsOf(await put(name))).toEqual(['name']);
    },
  );

  test('SPEC 4.4, cases D 76: a name that is another’s but for - and _ is refused; one that is never reached is reported', async () => {
    expect((await put('deploy-prod')).status).toBe(201);
    const clash = await put('deploy_prod');
    expect([clash.status, fieldsOf(clash)]).toEqual([422, ['name']]);
    expect(clash.body.detail).toContain('deploy-prod');
    const hidden = await put('reset');
    expect([hidden.status, hidden.body.unreachable]).toEqual([201, expect.stringContaining('/new')]);
    expect((await admin.call('GET', `${T}/commands/reset`)).body.unreachable).toContain('/new');
  });

  test('the longest template is stored, whatever it is made of', async () => {
    const worst = '\u0001'.repeat(49_999).concat('x');
    expect((await put('worst', body(worst))).status).toBe(201);
    expect((await admin.call('GET', `${T}/commands/worst`)).body.template).toBe(worst);
  });
});

describe('SPEC 10.4: one skill', () => {
  test('is put, read and deleted; one that is never reached is reported', async () => {
    await put('tone');
    const put1 = await admin.call('PUT', `${T}/skills/tone`, { description: 'How', text: 'Short.' });
    expect(put1).toMatchObject({
      status: 201,
      body: { name: 'tone', text: 'Short.', unreachable: expect.any(String) },
    });
    expect(fieldsOf(await admin.call('PUT', `${T}/skills/x`, { description: 'How', txt: 'x' }))).toEqual([
      'text',
      'txt',
    ]);
    expect((await admin.call('GET', `${T}/skills`)).body).toMatchObject([{ name: 'tone', description: 'How' }]);
    expect((await admin.call('DELETE', `${T}/commands/tone`)).status).toBe(204);
    expect((await admin.call('GET', `${T}/skills/tone`)).body).toEqual({
      name: 'tone',
      description: 'How',
      text: 'Short.',
    });
    expect((await admin.call('DELETE', `${T}/skills/tone`)).status).toBe(204);
    expect((await admin.call('GET', `${T}/skills`)).body).toEqual([]);
  });
});

test('SPEC 15.5, 4.4: the list has the registry’s rows, then custom commands, then skills, and says what is hidden', async () => {
  await put('zebra', body('x', { who: 'owner', argumentHint: 'which' }));
  await put('clear');
  await put('off', body('x', { enabled: false }));
  await admin.call('PUT', `${T}/skills/zebra`, { description: 'How', text: 'x' });
  const { body: rows } = await admin.call('GET', `${T}/commands`);
  expect(rows.slice(0, COMMANDS.length).map(({ name }: { name: string }) => name)).toEqual(
    COMMANDS.map(({ name }) => name),
  );
  expect(rows.slice(COMMANDS.length)).toEqual([
    {
      kind: 'custom',
      name: 'clear',
      section: 'custom',
      summary: 'Does it',
      enabled: true,
      who: 'people',
      unreachable: expect.stringContaining('/clear'),
    },
    { kind: 'custom', name: 'off', section: 'custom', summary: 'Does it', enabled: false, who: 'people' },
    {
      kind: 'custom',
      name: 'zebra',
      section: 'custom',
      summary: 'Does it',
      enabled: true,
      who: 'owner',
      argument: { kind: 'text', hint: 'which' },
    },
    {
      kind: 'skill',
      name: 'zebra',
      section: 'skills',
      summary: 'How',
      unreachable: expect.stringContaining('custom command'),
    },
  ]);
});

describe('SPEC 10.1: a push', () => {
  const push = (commands: object, keep?: string[]) =>
    admin.call('PUT', `${T}/commands`, { commands, ...(keep ? { keep } : {}) });

  test('makes the commands those that are given; bad ones are reported, and what stood there stays', async () => {
    for (const name of ['dropped', 'kept', 'broken', 'same']) await put(name);
    const pushed = await push(
      {
        ...{ same: body(), broken: { meta: {}, template: 'x' }, 'a-b': body(), a_b: body(), 'Bad Name': body() },
        ...{ reset: body(), constructor: body() },
      },
      ['kept'],
    );
    expect(pushed.body).toEqual({
      stored: ['a-b', 'constructor', 'reset'],
      unchanged: ['same'],
      removed: ['dropped'],
      refused: [
        { name: 'broken', reason: expect.stringContaining('meta.description: It is missing.') },
        { name: 'Bad Name', reason: expect.stringContaining('small letters') },
        { name: 'a_b', reason: expect.stringContaining('a-b') },
      ],
      unreachable: [{ name: 'reset', reason: expect.stringContaining('/new') }],
      menus: [],
    });
    expect((await names()).map(({ name }: { name: string }) => name)).toEqual([
      'a-b',
      'broken',
      'constructor',
      'kept',
      'reset',
      'same',
    ]);
  });

  test('a name may change to one that differs in - and _ only, and nothing pushed again changes nothing', async () => {
    await put('a_b');
    expect((await push({ 'a-b': body() })).body).toMatchObject({ stored: ['a-b'], removed: ['a_b'], refused: [] });
    const { version } = (await admin.stores.tenants.load(T.slice('/v1/tenants/'.length))) ?? {};
    expect((await push({ 'a-b': body() })).body).toMatchObject({ stored: [], unchanged: ['a-b'], removed: [] });
    expect((await admin.stores.tenants.load(T.slice('/v1/tenants/'.length)))?.version).toBe(version);
    expect((await push({})).body.removed).toEqual(['a-b']);
  });

  test('a tenant has 500 at most: the others are refused by name', async () => {
    const tenants = new MemoryTenants();
    const other = await createTestAdministration({ tenants });
    await other.call('PUT', '/v1/tenants/many');
    const commands = Object.fromEntries(
      Array.from({ length: 503 }, (_, n) => [`c${String(n).padStart(3, '0')}`, body('x')]),
    );
    const { body: report } = await other.call('PUT', '/v1/tenants/many/commands', { commands });
    expect([report.stored.length, report.refused.map(({ name }: { name: string }) => name)]).toEqual([
      500,
      ['c500', 'c501', 'c502'],
    ]);
    other.close();
  });

  test('skills are pushed alike', async () => {
    const skills = { tone: { description: 'How', text: 'x' }, bad: { description: 'How' } };
    const { body: report } = await admin.call('PUT', `${T}/skills`, { skills });
    expect(report).toMatchObject({ stored: ['tone'], refused: [{ name: 'bad', reason: 'text: It is missing.' }] });
  });
});

describe('SPEC 12.1: menus follow', () => {
  test('each channel’s, when it is connected and when commands change, and only then', async () => {
    await put('first');
    await connect('one');
    expect(shown()).toContain('first');
    expect(sets()).toBe(3);
    await connect('one');
    expect(sets()).toBe(3);
    await connect('two');
    expect(sets()).toBe(6);
    const added = await put('deploy-prod');
    expect(added.body.menus).toEqual([
      { channel: 'one', published: true },
      { channel: 'two', published: true },
    ]);
    expect([sets(), shown().includes('deploy_prod')]).toEqual([12, true]);
    await put('deploy-prod', body('Another template.'));
    await put('hidden', body('x', { enabled: false }));
    await admin.call('PUT', `${T}/skills/tone`, { description: 'How', text: 'x' });
    expect(sets()).toBe(12);
    await admin.call('DELETE', `${T}/commands/deploy-prod`);
    expect([sets(), shown().includes('deploy_prod')]).toEqual([18, false]);
    expect(telegram.callsOf('deleteMyCommands')).toEqual([]);
    expect(telegram.menus.get('all_group_chats')?.map(({ command }) => command)).not.toContain('first');
  });

  test('SPEC 4.4: a skill of the name of a row that yields stands in its place in the menu, put or pushed, as long as it is there', async () => {
    await connect('one');
    const words = () =>
      telegram.menus.get('all_private_chats')?.find(({ command }) => command === 'review')?.description;
    const ours = words();
    expect(ours).toBeTypeOf('string');
    const skill = { description: 'How we review', text: 'x' };
    const published = [{ channel: 'one', published: true }];
    expect((await admin.call('PUT', `${T}/skills/review`, skill)).body.menus).toEqual(published);
    expect(words()).toBe('How we review');
    expect((await admin.call('DELETE', `${T}/skills/review`)).status).toBe(204);
    expect(words()).toBe(ours);
    await admin.call('PUT', `${T}/skills`, { skills: { review: skill } });
    expect(words()).toBe('How we review');
    expect((await admin.call('PUT', `${T}/skills`, { skills: {} })).body.menus).toEqual(published);
    expect(words()).toBe(ours);
  });

  test('a deployment with other rows is followed once, by all tenants, wherever a round is cut off', async () => {
    await connect('one');
    for (const tenant of ['after', 'before']) await admin.call('PUT', `/v1/tenants/${tenant}-${T.length}`);
    const { tenants } = admin.stores;
    // As a deployment with other rows finds it: what is noted is another menu.
    const [tenant = ''] = T.split('/').slice(-1);
    await tenants.noteMenu(tenant, 'one', { mark: 'of other rows', leftOut: [] });
    const { deps } = admin;
    const all = (await Array.fromAsync(tenants.list())).length;
    const before = sets();
    let runs = 0;
    for (let done = 0; done < all; runs++) {
      let calls = 0;
      const runtime = { ...deps.runtime, now: () => calls++ }; // time for one tenant
      done += (await followDeployment({ ...deps, runtime }, 1, 'new')).tenants;
      expect(runs).toBeLessThan(all + 1);
    }
    await followDeployment(deps, Number.MAX_SAFE_INTEGER, 'new');
    expect([runs, sets()]).toEqual([all, before + 3]);
    expect(await tenants.menuRound()).toEqual({ mark: 'new', ended: true });
    const idle = { ...deps, tenants: {} as typeof tenants };
    expect(await followDeployment(idle, Number.MAX_SAFE_INTEGER, 'new')).toEqual({ tenants: 0 });
  });

  test('a failure to publish fails no PUT: it is said, and the next change mends it', async () => {
    await connect('one');
    telegram.fail(tooMany(3), { method: 'setMyCommands' });
    const failed = await put('first');
    expect([failed.status, failed.body.menus]).toEqual([
      201,
      [{ channel: 'one', published: false, reason: expect.stringContaining('wait') }],
    ]);
    telegram.fail(tooMany(3), { method: 'setMyCommands' });
    const deleted = await admin.call('DELETE', `${T}/commands/first`);
    expect([deleted.status, deleted.body.menus[0].published]).toEqual([200, false]);
    expect((await put('second')).body.menus).toEqual([{ channel: 'one', published: true }]);
    expect(shown()).toContain('second');
  });

  test('cases D 64, 67: of 200 with long descriptions the least wanted are left out, and it is said again each time', async () => {
    await connect('one');
    const odd = ['x'.repeat(3), `\u200b`, '🎉'.repeat(900), 'a\n'.repeat(500), '\ud800'];
    const commands = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [
        `${'_-'.repeat(n % 13)}c${n}`,
        body('x', { description: odd[n % odd.length] }),
      ]),
    );
    const { body: report } = await admin.call('PUT', `${T}/commands`, { commands });
    expect(report.refused).toEqual([]);
    expect(shown()).toHaveLength(100);
    expect(shown().slice(0, 4)).toEqual(['new', 'stop', 'help', 'clear']);
    const shownRows = COMMANDS.filter(({ chat }) => chat && !chat.withoutMessages).length;
    expect(report.menus[0].leftOut).toHaveLength(200 + shownRows - 100);
    const before = sets();
    const again = await admin.call('PUT', `${T}/commands`, { commands });
    expect([sets(), again.body.menus]).toEqual([before, report.menus]);
  });

  test('of changes at the same time the last state is published, whatever order their calls arrive in', async () => {
    await connect('one');
    await Promise.all(Array.from({ length: 6 }, (_, n) => put(`c${n}`)));
    expect(shown().filter((name) => /^c\d$/u.test(name))).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5']);
  });

  test('two that publish different menus at once: the one that was overtaken does it again', async () => {
    await connect('one');
    const tenant = T.slice('/v1/tenants/'.length);
    const { apps } = admin.deps;
    const real = apps.telegram;
    if (!real) throw new Error('no telegram');
    let between: Promise<unknown> | undefined;
    admin.deps.apps = {
      ...apps,
      telegram: {
        ...real,
        publishMenu: async (channel, menu) => {
          // The first call is held up while another change is stored and published in full.
          if (!between) {
            between = put('later');
            await between;
          }
          return real.publishMenu(channel, menu);
        },
      },
    };
    await put('sooner');
    admin.deps.apps = apps;
    expect(shown()).toEqual(expect.arrayContaining(['later', 'sooner']));
    expect((await admin.stores.tenants.menu(tenant, 'one'))?.mark).not.toMatch(/^publishing/u);
  });
});

test.each(['commands', 'skills'])(
  'SPEC 10.1: a push of %s with a name that means something else reports it',
  async (things) => {
    const thing = things === 'commands' ? body() : { description: 'Does it', text: 'Do it.' };
    const pushed = `{"${things}": {"__proto__": ${JSON.stringify(thing)}, "Bad": 1, "good": ${JSON.stringify(thing)}}}`;
    const { status, body: report } = await admin.call('PUT', `${T}/${things}`, pushed);
    expect([status, report.stored]).toEqual([200, ['good']]);
    expect(report.refused.map(({ name }: { name: string }) => name).sort()).toEqual(['Bad', '__proto__']);
    for (const wrong of ['[]', '1', 'null']) {
      expect((await admin.call('PUT', `${T}/${things}`, `{"${things}": ${wrong}}`)).status).toBe(422);
    }
  },
);
