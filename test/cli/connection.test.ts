import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConnection } from '../../cli/connection.ts';

let CONCH_DATA: string;
const chat = { channelId: 'local.abc', secret: 'a-chat-secret' };
beforeAll(() => {
  CONCH_DATA = mkdtempSync(join(tmpdir(), 'conch-cli-'));
  const local = { url: 'http://localhost:9999', adminToken: 'local-token', chat };
  writeFileSync(join(CONCH_DATA, 'local.json'), JSON.stringify(local));
});
afterAll(() => rmSync(CONCH_DATA, { recursive: true }));

test('DESIGN 6: what the local run wrote is used', () => {
  expect(readConnection({}, { CONCH_DATA })).toEqual({ url: 'http://localhost:9999', adminToken: 'local-token', chat });
});

test('without it, the address is the default one, and nothing opens it', () => {
  const nothing = { url: 'http://localhost:8787', adminToken: undefined, chat: undefined };
  expect(readConnection({}, { CONCH_DATA: '/nowhere' })).toEqual(nothing);
});

test('the environment stands over the file, an option over both; an empty variable counts as none', () => {
  const env = { CONCH_DATA, CONCH_URL: 'https://a.example/', CONCH_ADMIN_TOKEN: 'other' };
  expect(readConnection({}, env)).toMatchObject({ url: 'https://a.example', adminToken: 'other' });
  expect(readConnection({ url: 'https://b.example' }, env).url).toBe('https://b.example');
  expect(readConnection({}, { CONCH_DATA, CONCH_URL: ' ', CONCH_ADMIN_TOKEN: '' }).adminToken).toBe('local-token');
});

test('SPEC 14.2: the file’s token goes to the file’s address only', () => {
  const elsewhere = readConnection({ url: 'https://elsewhere.example' }, { CONCH_DATA });
  expect([elsewhere.adminToken, elsewhere.chat]).toEqual([undefined, undefined]);
  expect(readConnection({ url: 'http://localhost:9999/' }, { CONCH_DATA }).adminToken).toBe('local-token');
});

test('a file that cannot be read and an address that is none are said so', () => {
  const broken = mkdtempSync(join(tmpdir(), 'conch-cli-'));
  writeFileSync(join(broken, 'local.json'), '{');
  expect(() => readConnection({}, { CONCH_DATA: broken })).toThrow('cannot be read');
  rmSync(broken, { recursive: true });
  expect(() => readConnection({ url: 'localhost:8787' }, { CONCH_DATA })).toThrow('no http address');
});
