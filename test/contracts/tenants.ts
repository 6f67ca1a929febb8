import { describe, expect, test } from 'vitest';
import type { Told } from '../../lib/domain/told.ts';
import type {
  ChannelRecord,
  CommandRecord,
  PersonRecord,
  ProviderRecord,
  SkillRecord,
  Tenants,
  ToolCatalog,
  ToolServerRecord,
} from '../../lib/ports/tenants.ts';

let counter = 0;
const freshTenant = () => `tenant-${++counter}`;

/** A channel of this name with every field filled. */
export function channelRecord(name: string, more: Partial<ChannelRecord> = {}): ChannelRecord {
  return {
    id: `t.${name}`,
    name,
    app: 'telegram',
    access: 'list',
    settings: { callbackUrl: 'https://example.org' },
    secrets: { token: 'sealed' },
    apiRoot: 'http://127.0.0.1:1',
    bot: { id: '7', username: 'ümlaut_bot' },
    owner: 'person-1',
    claim: { codeHash: 'hash', expiresAt: 1_000, usedBy: 'person-1' },
    refused: 'the token was revoked',
    ...more,
  };
}

const unclaimed = (name: string, codeHash = 'hash') => {
  const { owner: _, ...channel } = channelRecord(name, { claim: { codeHash, expiresAt: 1_000 } });
  return channel;
};

const provider: ProviderRecord = {
  name: 'main',
  engine: 'anthropic',
  baseURL: 'http://127.0.0.1:2',
  models: [{ id: 'm-1', contextWindow: 200_000, maxOutputTokens: 8_000 }, { id: 'm-2' }],
  settings: { region: 'x' },
  secrets: { apiKey: 'sealed' },
  addedAt: 1_000,
};

const command: CommandRecord = {
  name: 'deploy-prod',
  description: 'Deploys 🚀',
  enabled: true,
  argumentHint: 'what',
  who: 'owner',
  template: 'Deploy {{args}}.\n\ud800',
};
const skill: SkillRecord = { name: 'tone', description: 'How we write', text: 'Short.\n' };

const toolServer: ToolServerRecord = {
  name: 'tracker',
  url: 'https://tools.example/mcp?x=1',
  headers: { Authorization: 'sealed' },
  only: ['list'],
  prompts: [{ name: 'triage', description: 'Sorts 🚀', arguments: [{ name: 'what', required: true }] }],
  catalog: 'mark',
  revision: 'r1',
};
const catalog: ToolCatalog = {
  ...{ url: toolServer.url, mark: 'mark', protocol: '2025-11-25', askedAt: 2, answeredAt: 1, fault: 'It is down.' },
  tools: [
    { name: 'list', description: 'L\ud800', inputSchema: { type: 'object' }, readOnly: true, destructive: false },
  ],
  leftOut: [{ name: 'x', reason: 'Too large.' }],
};

const person = (id: string, more: Partial<PersonRecord> = {}): PersonRecord => ({ id, status: 'let-in', ...more });
const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

/** What every `Tenants` does. @param make gives the store; tests use tenants of their own. */
export function tenantsContract(make: () => Tenants): void {
  describe('records', () => {
    test('a tenant that nobody made does not exist', async () => {
      const tenants = make();
      expect(await tenants.load('nobody')).toBeUndefined();
      expect(await tenants.version('nobody')).toBe(0);
      expect(await tenants.check('nobody', 'c', 'p')).toEqual({ version: 0 });
      expect(await Array.fromAsync(tenants.list())).not.toContain('nobody');
    });

    test('one load gives everything as it was put (DESIGN 2)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      const settings = { model: 'main/m-1', effort: 'high' as const, turnsAtOnce: 3, later: { field: true } };
      const full = channelRecord('full');
      const bare: ChannelRecord = { id: 't.b', name: 'a#b', app: 'text', access: 'anyone', settings: {}, secrets: {} };
      await tenants.putSettings(tenant, settings);
      await tenants.putChannel(tenant, full);
      await tenants.putChannel(tenant, bare);
      await tenants.putProvider(tenant, provider);
      await tenants.putCommand(tenant, command);
      await tenants.putSkill(tenant, skill);
      await tenants.putToolServer(tenant, toolServer);
      const loaded = await tenants.load(tenant);
      expect({ ...loaded, channels: loaded?.channels.toSorted(byId) }).toEqual({
        ...{ tenant, version: 7, settings, channels: [bare, full], providers: [provider] },
        ...{ commands: [command], skills: [skill], toolServers: [toolServer] },
      });
    });

    test('a change of settings leaves the others, is done once, and gives way to a newer one (SPEC 9.1)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.changeSettings(tenant, { effort: 'low' }, 1_000);
      expect(await tenants.load(tenant)).toBeUndefined();
      await tenants.putSettings(tenant, { model: 'a/b', turnsPerDay: 3 });
      await Promise.all([
        tenants.changeSettings(tenant, { effort: 'low' }, 2_000),
        tenants.putSettings(tenant, { model: 'a/b', turnsPerDay: 5 }).then(() => undefined),
      ]);
      expect((await tenants.load(tenant))?.settings).toMatchObject({ model: 'a/b', turnsPerDay: 5 });
      const before = await tenants.version(tenant);
      await tenants.changeSettings(tenant, { model: null, mode: 'auto' }, 3_000);
      await tenants.changeSettings(tenant, { effort: 'high', mode: 'ask' }, 2_500);
      await tenants.putSettings(tenant, { turnsPerDay: 7 });
      await tenants.changeSettings(tenant, { mode: 'auto' }, 3_000);
      expect((await tenants.load(tenant))?.settings).toEqual({ turnsPerDay: 7 });
      expect(await tenants.version(tenant)).toBeGreaterThan(before);
    });

    test('what is put again is replaced whole', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, { model: 'a/b' });
      await tenants.putSettings(tenant, { effort: 'low' });
      await tenants.putChannel(tenant, channelRecord('x'));
      const plain: ChannelRecord = { id: 't.x', name: 'x', app: 'text', access: 'owner', settings: {}, secrets: {} };
      await tenants.putChannel(tenant, plain);
      expect(await tenants.load(tenant)).toMatchObject({ settings: { effort: 'low' }, channels: [plain] });
      expect((await tenants.load(tenant))?.settings).not.toHaveProperty('model');
      expect((await tenants.load(tenant))?.channels[0]).toEqual(plain);
    });

    test('providers come in the order in which they were added, those from before that was noted first, by name (SPEC 14.4)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      const { addedAt: _, ...old } = provider;
      const put = (name: string, addedAt?: number) =>
        tenants.putProvider(tenant, { ...old, name, ...(addedAt === undefined ? {} : { addedAt }) });
      const names = async () => (await tenants.load(tenant))?.providers.map(({ name }) => name);
      await put('old-b');
      await put('a', 2_000);
      await put('b', 1_000);
      await put('old-a');
      await put('c', 1_000);
      expect(await names()).toEqual(['old-a', 'old-b', 'b', 'c', 'a']);
      await put('old-a');
      await put('b', 1_000);
      expect(await names()).toEqual(['old-a', 'old-b', 'b', 'c', 'a']);
      for (const name of ['old-a', 'old-b', 'b']) await tenants.deleteProvider(tenant, name);
      expect(await names()).toEqual(['c', 'a']);
    });

    test('tenants are kept apart, whatever their names (SPEC 1)', async () => {
      const tenants = make();
      const names = ['a:b', 'a', 'a#b', 'é', '👋'];
      for (const name of names) await tenants.putSettings(name, { model: `m/${name}` });
      const loaded = await Promise.all(names.map((name) => tenants.load(name)));
      expect(loaded.map((record) => record?.settings.model)).toEqual(names.map((name) => `m/${name}`));
      expect(await Array.fromAsync(tenants.list())).toEqual(expect.arrayContaining(names));
    });
  });

  describe('versions', () => {
    test('every change of what a load gives raises the version (DESIGN 2)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      const changes = [
        () => tenants.putSettings(tenant, {}),
        () => tenants.putChannel(tenant, unclaimed('x')),
        () => tenants.putProvider(tenant, provider),
        () => tenants.putCommand(tenant, command),
        () => tenants.putSkill(tenant, skill),
        () => tenants.deleteCommand(tenant, command.name),
        () => tenants.deleteSkill(tenant, skill.name),
        () => tenants.claim(tenant, 'x', { codeHash: 'hash', person: 'p', now: 1 }),
        () => tenants.deleteProvider(tenant, 'main'),
        () => tenants.deleteChannel(tenant, 'x'),
        () => tenants.deleteTenant(tenant),
        () => tenants.putSettings(tenant, {}),
      ];
      let before = await tenants.version(tenant);
      for (const change of changes) {
        await change();
        const after = await tenants.version(tenant);
        expect((await tenants.check(tenant, 'c', 'p')).version).toBe(after);
        expect(after).toBeGreaterThan(before);
        before = after;
      }
      expect((await tenants.load(tenant))?.version).toBe(before);
    });

    test('a load beside a change never gives old data under the new version (DESIGN 2)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, { turnsAtOnce: 1 });
      const writing = (async () => {
        for (let n = 2; n <= 30; n++) await tenants.putSettings(tenant, { turnsAtOnce: n });
      })();
      for (let n = 0; n < 60; n++) {
        const loaded = await tenants.load(tenant);
        expect(loaded?.settings.turnsAtOnce).toBeGreaterThanOrEqual(loaded?.version ?? Number.NaN);
      }
      await writing;
      expect(await tenants.load(tenant)).toMatchObject({ version: 30, settings: { turnsAtOnce: 30 } });
    });
  });

  describe('people', () => {
    test('a person is known on their channel only, until deleted (SPEC 9.3)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      const ada = person('a:1', { name: 'Ada 👋', status: 'asked' });
      await tenants.putPerson(tenant, 'c', ada);
      expect((await tenants.check(tenant, 'c', 'a:1')).person).toEqual(ada);
      expect((await tenants.check(tenant, 'c:a', '1')).person).toBeUndefined();
      expect((await tenants.check(`${tenant}x`, 'c', 'a:1')).person).toBeUndefined();
      await tenants.putPerson(tenant, 'c', { ...ada, status: 'put-out' });
      expect((await tenants.check(tenant, 'c', 'a:1')).person?.status).toBe('put-out');
      await tenants.deletePerson(tenant, 'c', 'a:1');
      expect((await tenants.check(tenant, 'c', 'a:1')).person).toBeUndefined();
    });

    test("a channel's people are listed, no other's (SPEC 4.2, /people)", async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      for (const id of ['1', '2', '3']) await tenants.putPerson(tenant, 'c', person(id));
      await tenants.putPerson(tenant, 'd', person('4'));
      const people = await Array.fromAsync(tenants.people(tenant, 'c'));
      expect(people.toSorted(byId)).toEqual([person('1'), person('2'), person('3')]);
    });
  });

  describe('people', () => {
    const asked = (key: string) => person('1', { status: 'asked', asked: { key, to: { chat: '🐳', group: true } } });

    test('of twenty who add a person one does, and all learn who is there (SPEC 9.3)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, n) => tenants.addPerson(tenant, 'c', asked(`m${n}`))),
      );
      const there = (await tenants.check(tenant, 'c', '1')).person;
      expect(there?.status).toBe('asked');
      for (const one of added) expect(one).toEqual(there);
      expect(await tenants.addPerson(tenant, 'd', asked('other'))).toEqual(asked('other'));
    });

    test('who wrote is no more than that: asking, and any decision, takes its place; writing takes none (SPEC 4.2)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      const wrote = person('1', { status: 'wrote', name: 'Ben' });
      const known = async () => (await tenants.check(tenant, 'c', '1')).person;
      expect(await tenants.addPerson(tenant, 'c', wrote)).toEqual(wrote);
      expect(await tenants.addPerson(tenant, 'c', { ...wrote, name: 'Other' })).toEqual(wrote);
      expect(await tenants.addPerson(tenant, 'c', asked('m'))).toEqual(asked('m'));
      expect(await tenants.addPerson(tenant, 'c', wrote)).toEqual(asked('m'));
      expect(await known()).toEqual(asked('m'));
      await tenants.putPerson(tenant, 'c', person('1', { status: 'put-out', at: 3 }));
      expect(await tenants.addPerson(tenant, 'c', asked('m'))).toEqual(person('1', { status: 'put-out', at: 3 }));
    });

    test('what was decided earlier, or at no time, never replaces what was decided later', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      const status = async () => (await tenants.check(tenant, 'c', '1')).person?.status;
      await tenants.putPerson(tenant, 'c', asked('m'));
      await tenants.putPerson(tenant, 'c', person('1', { at: 20 }));
      await tenants.putPerson(tenant, 'c', person('1', { status: 'put-out', at: 10 }));
      await tenants.putPerson(tenant, 'c', asked('m'));
      expect(await status()).toBe('let-in');
      await tenants.putPerson(tenant, 'c', person('1', { status: 'put-out', at: 20 }));
      expect(await status()).toBe('put-out');
    });
  });

  test('how far a round over all menus has come is kept, and is no tenant (SPEC 12.1)', async () => {
    const tenants = make();
    await tenants.noteMenuRound({ mark: 'a', behind: 'acme' });
    expect(await tenants.menuRound()).toEqual({ mark: 'a', behind: 'acme' });
    await tenants.noteMenuRound({ mark: 'b', ended: true });
    expect(await tenants.menuRound()).toEqual({ mark: 'b', ended: true });
    expect(await Array.fromAsync(tenants.list())).not.toContain('menus');
  });

  describe('what a person was told (SPEC 9.2 to 9.4)', () => {
    const told = (key: string): Told => ({ limit: { key, at: 1 }, claims: [{ key, at: 2 }] });

    test('is read with the person, is theirs on that channel, and is no record of them', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      expect(await tenants.noteTold(tenant, 'c', '1', told('a'), {})).toBe(true);
      expect(await tenants.check(tenant, 'c', '1')).toEqual({ version: 0, told: told('a') });
      expect(await tenants.check(tenant, 'd', '1')).toEqual({ version: 0 });
      expect(await Array.fromAsync(tenants.people(tenant, 'c'))).toEqual([]);
      await tenants.deletePerson(tenant, 'c', '1');
      expect(await tenants.check(tenant, 'c', '1')).toEqual({ version: 0 });
    });

    test('is put in the place of what was read, of twenty at once by one', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      for (const before of [{}, { told: told('a') }]) {
        if (before.told) await tenants.noteTold(tenant, 'c', '1', told('a'), await tenants.check(tenant, 'c', '1'));
        const puts = Array.from({ length: 20 }, (_, n) => tenants.noteTold(tenant, 'c', '1', told(`m${n}`), before));
        expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(1);
      }
    });

    test('stays when a record of them is added or put; who read it before has to read again', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      const asked = person('1', { status: 'asked' });
      await tenants.noteTold(tenant, 'c', '1', told('a'), {});
      expect(await tenants.addPerson(tenant, 'c', asked)).toEqual(asked);
      expect(await tenants.noteTold(tenant, 'c', '1', told('b'), { told: told('a') })).toBe(false);
      expect(await tenants.check(tenant, 'c', '1')).toEqual({ version: 0, person: asked, told: told('a') });
      await tenants.putPerson(tenant, 'c', person('1', { at: 20 }));
      const read = await tenants.check(tenant, 'c', '1');
      expect(read).toEqual({ version: 0, person: person('1', { at: 20 }), told: told('a') });
      expect(await tenants.noteTold(tenant, 'c', '1', told('b'), read)).toBe(true);
      expect((await tenants.check(tenant, 'c', '1')).told).toEqual(told('b'));
      expect(await Array.fromAsync(tenants.people(tenant, 'c'))).toEqual([person('1', { at: 20 })]);
    });

    test('goes with the channel, and with the tenant', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      for (const name of ['x', 'y']) {
        await tenants.putChannel(tenant, channelRecord(name, { id: `t.${name}` }));
        await tenants.noteTold(tenant, `t.${name}`, '1', told('a'), {});
      }
      await tenants.deleteChannel(tenant, 'x');
      expect((await tenants.check(tenant, 't.x', '1')).told).toBeUndefined();
      expect((await tenants.check(tenant, 't.y', '1')).told).toEqual(told('a'));
      await tenants.putSettings(tenant, {});
      await tenants.deleteTenant(tenant);
      expect((await tenants.check(tenant, 't.y', '1')).told).toBeUndefined();
    });
  });

  describe('deletions', () => {
    test('a deleted channel takes its people along, and nothing else', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      for (const name of ['x', 'y']) {
        await tenants.putChannel(tenant, channelRecord(name));
        await tenants.putPerson(tenant, `t.${name}`, person('1'));
      }
      await tenants.deleteChannel(tenant, 'x');
      expect((await tenants.load(tenant))?.channels.map((channel) => channel.name)).toEqual(['y']);
      expect((await tenants.check(tenant, 't.x', '1')).person).toBeUndefined();
      expect((await tenants.check(tenant, 't.y', '1')).person).toEqual(person('1'));
    });

    test('a deleted tenant is gone with its people, and comes back empty under a higher version', async () => {
      const [tenants, tenant, other] = [make(), freshTenant(), freshTenant()];
      for (const name of [tenant, other]) {
        await tenants.putSettings(name, {});
        await tenants.putChannel(name, channelRecord('x'));
        await tenants.putProvider(name, provider);
        await tenants.putCommand(name, command);
        await tenants.putSkill(name, skill);
        await tenants.putToolServer(name, toolServer);
        await tenants.putToolCatalog(name, 'tracker', catalog);
        await tenants.noteMenu(name, 'x', { mark: 'm', leftOut: [] });
        await tenants.putPerson(name, 't.x', person('1'));
      }
      const before = await tenants.version(tenant);
      await tenants.deleteTenant(tenant);
      expect(await tenants.load(tenant)).toBeUndefined();
      expect(await Array.fromAsync(tenants.list())).not.toContain(tenant);
      const left = await tenants.check(tenant, 't.x', '1');
      expect(left.person).toBeUndefined();
      expect(left.version).toBeGreaterThan(before);
      await tenants.putSettings(tenant, {});
      expect(await tenants.load(tenant)).toMatchObject({ channels: [], providers: [], commands: [], skills: [] });
      expect((await tenants.load(tenant))?.toolServers).toEqual([]);
      expect(await tenants.toolCatalog(tenant, 'tracker')).toBeUndefined();
      expect(await tenants.toolCatalog(other, 'tracker')).toEqual(catalog);
      expect(await tenants.menu(tenant, 'x')).toBeUndefined();
      expect((await tenants.load(other))?.commands).toEqual([command]);
      expect((await tenants.load(other))?.channels).toHaveLength(1);
      expect((await tenants.check(other, 't.x', '1')).person).toEqual(person('1'));
    });
  });

  describe('custom commands, skills and menus', () => {
    test('commands and skills come by name, are replaced whole, and go one by one (SPEC 10)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      const { argumentHint: _, ...bare } = command;
      for (const name of ['b', 'a', 'c']) await tenants.putCommand(tenant, { ...command, name });
      for (const name of ['b', 'a']) await tenants.putSkill(tenant, { ...skill, name });
      await tenants.putCommand(tenant, { ...bare, name: 'b', enabled: false });
      await tenants.deleteCommand(tenant, 'a');
      await tenants.deleteCommand(tenant, 'never-was');
      await tenants.deleteSkill(tenant, 'b');
      const loaded = await tenants.load(tenant);
      expect(loaded?.commands).toEqual([
        { ...bare, name: 'b', enabled: false },
        { ...command, name: 'c' },
      ]);
      expect(loaded?.skills).toEqual([{ ...skill, name: 'a' }]);
    });

    test('a menu is noted on its mark only, beside the version, and goes with its channel (SPEC 12.1)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      await tenants.putChannel(tenant, channelRecord('x'));
      const before = await tenants.version(tenant);
      const menu = (mark: string) => ({ mark, leftOut: [{ name: mark, reason: 'No room.' }] });
      expect(await tenants.menu(tenant, 'x')).toBeUndefined();
      expect(await tenants.noteMenu(tenant, 'x', menu('b'), 'a')).toBe(false);
      expect(await tenants.noteMenu(tenant, 'x', menu('a'))).toBe(true);
      expect(await tenants.noteMenu(tenant, 'x', menu('b'), 'other')).toBe(false);
      expect(await tenants.noteMenu(tenant, 'x', menu('b'), 'a')).toBe(true);
      expect(await tenants.menu(tenant, 'x')).toEqual(menu('b'));
      expect(await tenants.menu(tenant, 'y')).toBeUndefined();
      expect(await tenants.version(tenant)).toBe(before);
      await tenants.deleteChannel(tenant, 'x');
      expect(await tenants.menu(tenant, 'x')).toBeUndefined();
    });
  });

  describe('tool servers', () => {
    test('what a server said is noted while it is the one that was asked (SPEC 15.5)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      await tenants.putToolServer(tenant, { ...toolServer, name: 'b' });
      await tenants.putToolServer(tenant, toolServer);
      const before = await tenants.version(tenant);
      const said = { ...toolServer, prompts: [], catalog: 'other' };
      expect(await tenants.noteToolServer(tenant, { ...said, revision: 'r0' })).toBe(false);
      expect(await tenants.noteToolServer(tenant, { ...said, name: 'none' })).toBe(false);
      expect(await tenants.version(tenant)).toBe(before);
      expect(await tenants.noteToolServer(tenant, said)).toBe(true);
      expect(await tenants.version(tenant)).toBeGreaterThan(before);
      expect((await tenants.load(tenant))?.toolServers).toEqual([{ ...toolServer, name: 'b' }, said]);
    });

    test('a catalog is kept beside the tenant, of any size that fits, and goes with its server', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      await tenants.putToolServer(tenant, toolServer);
      const before = await tenants.version(tenant);
      expect(await tenants.toolCatalog(tenant, 'tracker')).toBeUndefined();
      await tenants.putToolCatalog(tenant, 'tracker', catalog);
      const large = { ...catalog, tools: [{ ...catalog.tools[0], description: 'd'.repeat(250_000) }] } as ToolCatalog;
      await tenants.putToolCatalog(tenant, 'tracker', large);
      expect(await tenants.toolCatalog(tenant, 'tracker')).toEqual(large);
      expect(await tenants.toolCatalog(tenant, 'other')).toBeUndefined();
      expect(await tenants.version(tenant)).toBe(before);
      await tenants.deleteToolServer(tenant, 'tracker');
      expect(await tenants.toolCatalog(tenant, 'tracker')).toBeUndefined();
      expect((await tenants.load(tenant))?.toolServers).toEqual([]);
    });
  });

  describe('claims', () => {
    const attempt = (personId: string, more = {}) => ({ codeHash: 'hash', person: personId, now: 999, ...more });

    test('a good code makes the owner; the same person may repeat it (SPEC 9.2)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      await tenants.putChannel(tenant, unclaimed('x'));
      expect(await tenants.claim(tenant, 'x', attempt('p:1'))).toBe('claimed');
      expect(await tenants.claim(tenant, 'x', attempt('p:1'))).toBe('claimed');
      expect((await tenants.load(tenant))?.channels[0]).toEqual(
        channelRecord('x', { owner: 'p:1', claim: { codeHash: 'hash', expiresAt: 1_000, usedBy: 'p:1' } }),
      );
    });

    test('a used, wrong or expired code says so and changes nothing (SPEC 9.2)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      await tenants.putChannel(tenant, unclaimed('x'));
      expect(await tenants.claim(tenant, 'none', attempt('p'))).toBe('wrong');
      expect(await tenants.claim(tenant, 'x', attempt('p', { codeHash: 'other' }))).toBe('wrong');
      expect(await tenants.claim(tenant, 'x', attempt('p', { now: 1_000 }))).toBe('expired');
      expect((await tenants.load(tenant))?.channels).toEqual([unclaimed('x')]);
      expect(await tenants.claim(tenant, 'x', attempt('p'))).toBe('claimed');
      expect(await tenants.claim(tenant, 'x', attempt('q'))).toBe('used');
      expect((await tenants.load(tenant))?.channels[0]?.owner).toBe('p');
    });

    test('of 20 people with one code one becomes the owner (SPEC 9.2)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      await tenants.putChannel(tenant, unclaimed('x'));
      const people = Array.from({ length: 20 }, (_, i) => `p-${i}`);
      const outcomes = await Promise.all(people.map((id) => tenants.claim(tenant, 'x', attempt(id))));
      const winners = people.filter((_, i) => outcomes[i] === 'claimed');
      expect(winners).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'used')).toHaveLength(19);
      expect((await tenants.load(tenant))?.channels[0]?.owner).toBe(winners[0]);
    });

    test('where it was claimed is kept with the owner, as of the newest claim, and goes with them (SPEC 9.3)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      const there = async () => (await tenants.load(tenant))?.channels[0];
      const chat = { chat: 'den', thread: '1' };
      await tenants.putSettings(tenant, {});
      await tenants.putChannel(tenant, unclaimed('x'));
      await tenants.claim(tenant, 'x', attempt('p', { chat }));
      expect(await there()).toMatchObject({ owner: 'p', ownerChat: chat });
      await tenants.putChannel(tenant, { ...unclaimed('x'), refused: 'revoked' });
      expect(await there()).toMatchObject({ owner: 'p', ownerChat: chat, refused: 'revoked' });
      await tenants.claim(tenant, 'x', attempt('p', { chat: { chat: 'attic' } }));
      expect((await there())?.ownerChat).toEqual({ chat: 'attic' });
      await tenants.putChannel(tenant, { ...unclaimed('x', 'next'), owner: 'p', ownerChat: chat });
      await tenants.claim(tenant, 'x', attempt('q', { codeHash: 'next' }));
      expect(await there()).toMatchObject({ owner: 'q' });
      expect((await there())?.ownerChat).toBeUndefined();
    });

    test('a channel put from what was read before a claim keeps the claim and its owner (SPEC 9.2)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      await tenants.putChannel(tenant, unclaimed('x'));
      await tenants.claim(tenant, 'x', attempt('p'));
      await tenants.putChannel(tenant, { ...unclaimed('x'), refused: 'revoked' });
      const used = { codeHash: 'hash', expiresAt: 1_000, usedBy: 'p' };
      expect((await tenants.load(tenant))?.channels[0]).toMatchObject({ owner: 'p', claim: used, refused: 'revoked' });
      expect(await tenants.claim(tenant, 'x', attempt('q'))).toBe('used');
    });

    test('a new code can be used after an old one was (SPEC 9.2)', async () => {
      const [tenants, tenant] = [make(), freshTenant()];
      await tenants.putSettings(tenant, {});
      await tenants.putChannel(tenant, unclaimed('x'));
      await tenants.claim(tenant, 'x', attempt('p'));
      await tenants.putChannel(tenant, { ...unclaimed('x', 'second'), owner: 'p' });
      expect((await tenants.load(tenant))?.channels[0]?.owner).toBe('p');
      expect(await tenants.claim(tenant, 'x', attempt('q'))).toBe('wrong');
      expect(await tenants.claim(tenant, 'x', attempt('q', { codeHash: 'second' }))).toBe('claimed');
      expect((await tenants.load(tenant))?.channels[0]?.owner).toBe('q');
    });
  });
}
