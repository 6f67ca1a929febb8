import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { zip } from '../../cli/zip.ts';
import { teams } from '../../lib/channels/teams/index.ts';
import { channel, NOW } from '../channels/teams/channel.ts';
import { conch, listen } from './support.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'conch-package-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** The files of an archive, by its list of contents. */
function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'));
  let at = archive.readUInt32LE(end + 16);
  const files = new Map<string, Buffer>();
  for (let n = archive.readUInt16LE(end + 10); n > 0; n--) {
    const [packed, size, nameLength] = [
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
      archive.readUInt16LE(at + 28),
    ];
    const name = archive.toString('ascii', at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = inflateRawSync(archive.subarray(start, start + packed));
    expect([bytes.length, archive.readUInt32LE(local)]).toEqual([size, 0x04034b50]);
    files.set(name, bytes);
    at += 46 + nameLength;
  }
  return files;
}

/** The width and height of a picture. */
const sizeOf = (png: Buffer | undefined) => [png?.readUInt32BE(16), png?.readUInt32BE(20)];

async function run(manifest: unknown, ...more: string[]) {
  const app = new Hono();
  app.get('/v1/tenants/acme/channels/helper/manifest', (c) =>
    manifest === undefined
      ? c.json({ title: 'Not found', detail: 'This app has a manifest once its channel is connected.' }, 404)
      : c.json(manifest as object),
  );
  const { url, close } = await listen(app);
  const env = { CONCH_URL: url, CONCH_ADMIN_TOKEN: 'an-admin-token-for-tests', CONCH_TENANT: 'acme' };
  try {
    return await conch(['teams', 'package', 'helper', ...more], { env, cwd: dir });
  } finally {
    await close();
  }
}

describe('conch teams package', () => {
  test('SPEC 12.2: zips the manifest and two icons of the sizes that Teams wants', async () => {
    const menu = { private: [{ name: 'new', description: 'A new conversation' }], group: [] };
    const manifest = teams.manifest?.({ name: 'helper', channel, menu, now: NOW });
    expect(await run(manifest)).toMatchObject({ code: 0, stdout: expect.stringContaining('helper.zip') });
    const files = unzip(readFileSync(join(dir, 'helper.zip')));
    expect([...files.keys()]).toEqual(['manifest.json', 'color.png', 'outline.png']);
    expect(JSON.parse(String(files.get('manifest.json')))).toEqual(manifest);
    expect(sizeOf(files.get('color.png'))).toEqual([192, 192]);
    expect(sizeOf(files.get('outline.png'))).toEqual([32, 32]);
  });

  test('a channel that is not connected, or of another app, has none, and says so', async () => {
    expect(await run(undefined)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('once its channel is connected'),
    });
    expect(await run({ display_information: {} })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('none of Teams'),
    });
  });

  test('a file that cannot be written, and words too many', async () => {
    const manifest = { bots: [], manifestVersion: '1.19' };
    expect(await run(manifest, '--file', '/nowhere/a.zip')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('/nowhere/a.zip'),
    });
    expect(await run(manifest, 'more')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Write: conch teams package'),
    });
  });
});

test('an archive of no file, and of an empty one, can be opened', () => {
  expect([...unzip(zip([]))]).toEqual([]);
  expect([...unzip(zip([{ name: 'empty', bytes: new Uint8Array() }]))]).toEqual([['empty', Buffer.alloc(0)]]);
});
