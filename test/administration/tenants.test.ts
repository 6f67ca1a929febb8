import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../lib/commands/registry.ts';
import { placeRef } from '../../lib/conversations/scene.ts';
import { initialState } from '../../lib/domain/state.ts';
import type { Channel } from '../../lib/ports/chatApp.ts';
import { createTestAdministration, type TestAdministration } from './setup.ts';

let admin: TestAdministration;
beforeAll(async () => {
  admin = await createTestAdministration();
});
afterAll(() => admin.close());

const SECRET = 'a-secret-of-enough-characters';

/** A tenant with one of everything that a conversation leaves behind. */
async function inhabited(tenant: string) {
  const { log, actions, textReplies, usage } = admin.stores;
  await admin.call('PUT', `/v1/tenants/${tenant}`);
  const text = { app: 'text', secret: SECRET, access: 'list' };
  const { body } = await admin.call('PUT', `/v1/tenants/${tenant}/channels/web`, text);
  await admin.call('PUT', `/v1/tenants/${tenant}/channels/web/people/ben`);
  await admin.call('PUT', `/v1/tenants/${tenant}/providers/demo`, { engine: 'demo' });
  const channel = { id: body.id, tenant } as Channel;
  const chat = { tenant, channelId: body.id, chat: 'room: 1/ä' };
  const places = [
    placeRef(channel, { chat: chat.chat }, 'ben'),
    placeRef(channel, { chat: 'group', group: true }, 'ben'),
    placeRef(channel, { chat: 'group', group: true }, 'cy'),
  ] as const;
  for (const place of places) {
    for (let seq = 1; seq <= 3; seq++) {
      const event = {
        seq,
        id: `e${seq}`,
        type: 'noted',
        at: seq * 1000,
        data: { n: seq, person: { id: 'ben' } },
        state: initialState,
      };
      await log.append(place, event);
    }
    const where = place === places[0] ? chat : { ...chat, chat: 'group' };
    const times = { seq: 1, createdAt: 1, expiresAt: Date.now() + 60_000 };
    await actions.put({
      ...where,
      ...times,
      id: `a-${place.place.length}-${place.place.at(-1)}`,
      place: place.place,
      person: 'ben',
      choices: [],
    });
    await textReplies.append(where, { id: place.place, text: 'words', at: Date.now() });
  }
  await usage.add(tenant, '2026-11-30', { turns: 2, inputTokens: 30, outputTokens: 4 });
  return { tenant, channelId: body.id, chat, group: { ...chat, chat: 'group' }, places };
}

/** Counts of what is stored in the tenant's chats. */
async function left({ tenant, chat, group }: Awaited<ReturnType<typeof inhabited>>) {
  const { log, actions, textReplies, usage } = admin.stores;
  return {
    places: (await Array.fromAsync(log.places(tenant))).length,
    actions: [(await actions.list(chat)).length, (await actions.list(group)).length],
    replies: [(await textReplies.after(chat, 0, 9)).length, (await textReplies.after(group, 0, 9)).length],
    usage: (await usage.read(tenant, 9)).length,
  };
}

const ALL = { places: 3, actions: [1, 2], replies: [1, 2], usage: 1 };

describe('DESIGN 6: tenants', () => {
  test('one is created by a PUT with an empty body, and again without effect', async () => {
    const first = await admin.call('PUT', '/v1/tenants/fresh');
    expect([first.status, first.body]).toEqual([201, { tenant: 'fresh' }]);
    await admin.call('PUT', '/v1/tenants/fresh/settings', { effort: 'low' });
    const second = await admin.call('PUT', '/v1/tenants/fresh', {});
    expect([second.status, second.body]).toEqual([200, { tenant: 'fresh' }]);
    const shown = await admin.call('GET', '/v1/tenants/fresh');
    expect(shown.body).toEqual({ tenant: 'fresh', settings: { effort: 'low' }, channels: [], providers: [] });
    expect((await admin.call('GET', '/v1/tenants')).body).toContainEqual({ tenant: 'fresh' });
  });

  test('one is deleted with all that it had, and is gone then', async () => {
    const gone = await inhabited('gone');
    const stays = await inhabited('stays');
    expect(await left(gone)).toEqual(ALL);
    expect((await admin.call('DELETE', '/v1/tenants/gone')).status).toBe(204);
    expect(await left(gone)).toEqual({ places: 0, actions: [0, 0], replies: [0, 0], usage: 0 });
    expect(await left(stays)).toEqual(ALL);
    expect(await Array.fromAsync(admin.stores.tenants.people('gone', gone.channelId))).toEqual([]);
    expect((await admin.call('GET', '/v1/tenants/gone')).status).toBe(404);
    expect((await admin.call('DELETE', '/v1/tenants/gone')).status).toBe(404);
    expect((await admin.call('GET', '/v1/tenants')).body).not.toContainEqual({ tenant: 'gone' });
  });

  test('a deletion that breaks off can be done again', async () => {
    const broken = await inhabited('broken');
    const { usage } = admin.deps;
    admin.deps.usage = Object.create(usage, { erase: { value: () => Promise.reject(new Error('down')) } });
    expect((await admin.call('DELETE', '/v1/tenants/broken')).status).toBe(500);
    admin.deps.usage = usage;
    expect((await admin.call('DELETE', '/v1/tenants/broken')).status).toBe(204);
    expect(await left(broken)).toEqual({ places: 0, actions: [0, 0], replies: [0, 0], usage: 0 });
  });
});

describe('SPEC 1: nothing of one tenant is visible to another', () => {
  test('things, places, events and use are each one’s own', async () => {
    const one = await inhabited('one');
    await admin.call('PUT', '/v1/tenants/two');
    for (const path of ['channels', 'providers', 'usage', 'places']) {
      expect((await admin.call('GET', `/v1/tenants/one/${path}`)).body).not.toEqual([]);
      expect([path, (await admin.call('GET', `/v1/tenants/two/${path}`)).body]).toEqual([path, []]);
    }
    const place = encodeURIComponent(one.places[0].place);
    expect((await admin.call('GET', `/v1/tenants/two/places/${place}/events`)).status).toBe(404);
    expect((await admin.call('DELETE', `/v1/tenants/two/places/${place}`)).status).toBe(404);
    expect((await admin.call('GET', '/v1/tenants/two/channels/web/people')).status).toBe(404);
    expect(await left(one)).toEqual(ALL);
  });
});

describe('DESIGN 6: places, events, use, commands', () => {
  test('events are read on from the last one', async () => {
    const { places } = await inhabited('reader');
    const path = `/v1/tenants/reader/places/${encodeURIComponent(places[0].place)}/events`;
    const event = (n: number) => ({ seq: n, type: 'noted', at: n * 1000, data: { n, person: { id: 'ben' } } });
    expect((await admin.call('GET', path)).body).toEqual([event(1), event(2), event(3)]);
    expect((await admin.call('GET', `${path}?after=1&limit=1`)).body).toEqual([event(2)]);
    expect((await admin.call('GET', `${path}?after=3`)).body).toEqual([]);
    for (const query of ['', '?after=3']) {
      const none = await admin.call('GET', `/v1/tenants/reader/places/none/events${query}`);
      expect([none.status, none.body.detail]).toEqual([404, 'There is no such place.']);
    }
    const listed = (await admin.call('GET', '/v1/tenants/reader/places')).body;
    expect(listed).toContainEqual({ place: places[0].place, firstAt: 1000 });
  });

  test('a private place is deleted with its choices and replies, and nothing else', async () => {
    const tenant = await inhabited('private');
    await admin.call('DELETE', `/v1/tenants/private/places/${encodeURIComponent(tenant.places[0].place)}`);
    expect(await left(tenant)).toEqual({ ...ALL, places: 2, actions: [0, 2], replies: [0, 2] });
  });

  test('of a place that was deleted nothing is shown, and what comes afterwards is read from its first event on', async () => {
    const { places } = await inhabited('anew');
    const path = `/v1/tenants/anew/places/${encodeURIComponent(places[0].place)}`;
    expect((await admin.call('DELETE', path)).status).toBe(204);
    expect((await admin.call('GET', `${path}/events`)).status).toBe(404);
    expect((await admin.call('DELETE', path)).status).toBe(404);
    const { seq } = (await admin.stores.log.newest(places[0])) ?? { seq: 0 };
    const event = (n: number) => ({
      seq: seq + n,
      type: 'noted',
      at: 7,
      data: n === 1 ? null : { person: { id: 'ben' } },
    });
    for (const n of [1, 2]) {
      const stored = { ...event(n), id: `again-${n}`, state: initialState };
      await admin.stores.log.append(places[0], stored, { first: n === 1 });
    }
    expect((await admin.call('GET', `${path}/events?limit=1`)).body).toEqual([event(1)]);
    expect((await admin.call('GET', `${path}/events?limit=1&after=${seq + 1}`)).body).toEqual([event(2)]);
    expect((await admin.call('DELETE', '/v1/tenants/anew/channels/web/people/ben/data')).status).toBe(204);
    expect((await admin.call('GET', `${path}/events`)).status).toBe(404);
  });

  test('of a group, a place goes alone as long as others are there', async () => {
    const tenant = await inhabited('grouped');
    await admin.call('DELETE', `/v1/tenants/grouped/places/${encodeURIComponent(tenant.places[1].place)}`);
    expect(await left(tenant)).toEqual({ ...ALL, places: 2, actions: [1, 1] });
    await admin.call('DELETE', `/v1/tenants/grouped/places/${encodeURIComponent(tenant.places[2].place)}`);
    expect(await left(tenant)).toEqual({ ...ALL, places: 1, actions: [1, 0], replies: [1, 0] });
  });

  test('SPEC 14.1: a person’s data is deleted: their places on this channel, and the record of them', async () => {
    const tenant = await inhabited('forgetful');
    const other = { app: 'text', secret: SECRET };
    await admin.call('PUT', '/v1/tenants/forgetful/channels/other', other);
    expect((await admin.call('DELETE', '/v1/tenants/forgetful/channels/other/people/ben/data')).status).toBe(204);
    expect((await admin.call('DELETE', '/v1/tenants/forgetful/channels/web/people/dee/data')).status).toBe(204);
    expect(await left(tenant)).toEqual(ALL);
    expect((await admin.call('DELETE', '/v1/tenants/forgetful/channels/web/people/ben/data')).status).toBe(204);
    expect(await left(tenant)).toEqual({ ...ALL, places: 1, actions: [0, 1], replies: [0, 2] });
    const [kept] = await Array.fromAsync(admin.stores.log.places('forgetful'));
    expect(kept?.place).toBe(tenant.places[2].place);
    expect((await admin.call('GET', '/v1/tenants/forgetful/channels/web/people')).body).toEqual([]);
  });

  test('use is one row a day', async () => {
    await inhabited('user');
    await admin.stores.usage.add('user', '2026-12-01', { turns: 1 });
    const rows = (await admin.call('GET', '/v1/tenants/user/usage?days=1')).body;
    expect(rows).toEqual([{ day: '2026-12-01', turns: 1, inputTokens: 0, outputTokens: 0 }]);
    expect((await admin.call('GET', '/v1/tenants/user/usage')).body).toHaveLength(2);
  });

  test('SPEC 4.1: commands are the registry’s rows', async () => {
    await admin.call('PUT', '/v1/tenants/reader');
    const { body } = await admin.call('GET', '/v1/tenants/reader/commands');
    expect(body.map(({ name }: { name: string }) => name)).toEqual(COMMANDS.map(({ name }) => name));
    expect(body[0]).toMatchObject({ summary: expect.any(String), section: expect.any(String) });
  });
});
