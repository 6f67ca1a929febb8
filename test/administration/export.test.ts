import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { append, stateOf } from '../../lib/conversations/append.ts';
import { placeRef } from '../../lib/conversations/scene.ts';
import type { Draft } from '../../lib/domain/events.ts';
import type { Channel } from '../../lib/ports/chatApp.ts';
import { conch, listen } from '../cli/support.ts';
import { ADMIN_TOKEN, createTestAdministration, type TestAdministration } from './setup.ts';

let admin: TestAdministration;
let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  admin = await createTestAdministration();
  server = await listen(admin.app);
});
afterAll(async () => {
  await server.close();
  admin.close();
});

let tenant = '';
let counter = 0;
beforeEach(async () => {
  tenant = `acme-${++counter}`;
  await admin.call('PUT', `/v1/tenants/${tenant}`);
  for (const name of ['main', 'other']) await putChannel(name);
});

const base = () => `/v1/tenants/${tenant}`;
const putChannel = (name: string, of = tenant) =>
  admin.call('PUT', `/v1/tenants/${of}/channels/${name}`, {
    app: 'text',
    secret: 'canary-secret-0123456789',
    access: 'list',
  });

/** Somebody writes in a chat, or in a group. */
async function say(who: string, text: string, options: { channel?: string; group?: true; of?: string } = {}) {
  const of = options.of ?? tenant;
  const record = (await admin.stores.tenants.load(of))?.channels.find(
    ({ name }) => name === (options.channel ?? 'main'),
  );
  const to = options.group ? { chat: 'lab', group: true } : { chat: `den-${who}`, token: 'canary-token' };
  const place = placeRef({ id: record?.id, tenant: of } as Channel, to, who);
  const runtime = { now: () => admin.clock.ms, newId: () => `id${++counter}`, random: () => 0, sleep: async () => {} };
  const state = await stateOf(admin.stores.log, place, await admin.stores.log.newest(place));
  const delivery = { key: `m:${++counter}`, update: `${counter}`, sentAt: admin.clock.ms };
  const data = { delivery, person: { id: who }, to, content: { text }, memory: 0, conversation: 0 };
  await append({ log: admin.stores.log, runtime }, place, state, () => ({ draft: { type: 'message', data } as Draft }));
  return place.place;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into lines of many forms.
type Line = any;

/** All pages of an export. */
async function exported(path: string): Promise<{ lines: Line[]; pages: number; text: string }> {
  const lines: Line[] = [];
  let text = '';
  for (let [pages, query] = [1, '']; ; pages++) {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const response = await admin.app.request(`${base()}${path}${query}`, { headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const page = await response.text();
    text += page;
    const read = page
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const last = read.pop();
    lines.push(...read);
    if (last.kind === 'end') return { lines, pages, text };
    expect(last).toEqual({ kind: 'more', after: expect.any(String) });
    query = `?after=${last.after}`;
  }
}

const said = (lines: Line[]) => lines.filter(({ kind }) => kind === 'event').map(({ data }) => data.content.text);

describe('SPEC 14.1: the export of a tenant', () => {
  test('has all that is kept, in lines of JSON; no secret (14.2), and nothing of another tenant', async () => {
    const mine = tenant;
    await admin.call('PUT', '/v1/tenants/elsewhere');
    await putChannel('main', 'elsewhere');
    await say('ana', 'not yours', { of: 'elsewhere' });
    await admin.call('PUT', `${base()}/providers/p`, {
      engine: 'anthropic',
      apiKey: 'canary-key',
      models: [{ id: 'm' }],
    });
    await admin.call('PUT', `${base()}/commands/tr`, { meta: { description: 'Translates' }, template: 'T {{args}}' });
    await admin.call('PUT', `${base()}/skills/tea`, { description: 'Tea', text: 'Boil.' });
    await admin.call('PUT', `${base()}/channels/main/people/ben`, { name: 'Ben' });
    await admin.stores.usage.add(mine, '2026-01-01', { turns: 2 });
    const place = await say('ana', 'one');
    await say('ana', 'two');
    const { lines, text } = await exported('/export');
    expect(lines.map(({ kind }) => kind)).toEqual([
      'tenant',
      'channel',
      'channel',
      'provider',
      'command',
      'skill',
      'usage',
      'person',
      'place',
      'event',
      'event',
    ]);
    expect(lines).toContainEqual(
      expect.objectContaining({ kind: 'person', channel: 'main', id: 'ben', status: 'let-in' }),
    );
    expect(lines.at(-1)).toMatchObject({
      kind: 'event',
      place,
      seq: 2,
      type: 'message',
      data: { to: { chat: 'den-ana' } },
    });
    expect(said(lines)).toEqual(['one', 'two']);
    expect(text).not.toMatch(/canary|not yours/u);
  });

  test('goes on page by page, without a gap or a double, wherever a page ends', async () => {
    for (let n = 0; n < 3; n++) {
      if (n > 0) admin.clock.ms += 1;
      for (const who of ['ana', 'ben', 'cy']) await say(who, `${n}${who}`);
    }
    for (const who of ['x', 'y', 'z']) await admin.call('PUT', `${base()}/channels/main/people/${who}`, {});
    const whole = (await exported('/export')).lines;
    const { now } = admin.deps.runtime;
    let calls = 0;
    admin.deps.runtime.now = () => calls++ * 9_000; // a page is over after each step
    const { lines, pages } = await exported('/export');
    admin.deps.runtime.now = now;
    expect(lines).toEqual(whole);
    expect(pages).toBeGreaterThan(whole.length);
    expect(said(lines).toSorted()).toHaveLength(9);
  });

  test('what is large comes in several answers', async () => {
    for (let n = 0; n < 60; n++) await say('ana', `${n}`.padEnd(50_000, 'x'));
    const { lines, pages, text } = await exported('/export');
    expect(pages).toBe(2);
    expect(said(lines)).toHaveLength(60);
    expect(text.length).toBeGreaterThan(3_000_000);
  });

  test('a cursor that no page gave, and a tenant that is not there, are refused', async () => {
    expect((await admin.call('GET', `${base()}/export?after=nonsense`)).body.errors).toEqual([
      { field: 'after', reason: 'It has to be what the page before gave.' },
    ]);
    expect((await admin.call('GET', '/v1/tenants/nobody/export')).status).toBe(404);
  });
});

describe('SPEC 14.1: the export of a person’s data', () => {
  test('has their places on this channel and what is known of them: what deleting it deletes, and no more', async () => {
    await admin.call('PUT', `${base()}/channels/main/people/ana`, { name: 'Ana' });
    await say('ana', 'private');
    await say('ana', 'in the group', { group: true });
    await say('ana', 'elsewhere', { channel: 'other' });
    await say('ben', 'mine', {});
    await say('ben', 'mine too', { group: true });
    const path = '/channels/main/people/ana/data';
    const { lines, text } = await exported(path);
    expect(lines[0]).toMatchObject({ kind: 'person', channel: 'main', id: 'ana', name: 'Ana', status: 'let-in' });
    expect(said(lines).toSorted()).toEqual(['in the group', 'private']);
    expect(text).not.toContain('canary');
    await admin.call('DELETE', `${base()}${path}`);
    expect((await exported(path)).lines).toEqual([]);
    expect(said((await exported('/export')).lines).toSorted()).toEqual(['elsewhere', 'mine', 'mine too']);
  });
});

describe('conch export', () => {
  const run = (...words: string[]) => conch(words, { env: { CONCH_URL: server.url, CONCH_ADMIN_TOKEN: ADMIN_TOKEN } });

  test('prints the lines of all pages, or writes a file that is there only when it is whole', async () => {
    for (let n = 0; n < 45; n++) await say('ana', `${n}`.padEnd(50_000, 'x'));
    const whole = (await exported('/export')).lines;
    const { code, stdout, stderr } = await run('export', 'tenant', tenant);
    expect([code, stderr]).toEqual([0, '']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(whole);
    const dir = mkdtempSync(join(tmpdir(), 'conch-export-'));
    const file = join(dir, 'ana.jsonl');
    const person = await run('export', 'data', 'main', 'ana', '--tenant', tenant, '--file', file);
    expect(person).toEqual({ code: 0, stdout: `46 lines are in ${file}.\n`, stderr: '' });
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(47);
    expect((await run('export', 'data', 'none', 'ana', '--tenant', tenant, '--file', join(dir, 'x'))).code).toBe(1);
    expect(readdirSync(dir)).toEqual(['ana.jsonl']);
    rmSync(dir, { recursive: true });
  });

  test('says how it is written', async () => {
    const { code, stderr } = await run('export', 'everything');
    expect([code, stderr]).toEqual([2, expect.stringContaining('conch export tenant NAME')]);
  });
});
