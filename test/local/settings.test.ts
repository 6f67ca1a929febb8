import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readCredentials, writeCredentials } from '../../local/settings.ts';

const dir = mkdtempSync(join(tmpdir(), 'conch-settings-'));
afterEach(() => rmSync(dir, { recursive: true }));

test('SPEC 14.2: the file of the credentials is its owner’s alone, also where another was before', () => {
  const path = join(dir, 'local.json');
  const credentials = { url: 'u', adminToken: 'x'.repeat(16), chat: { channelId: 'c', secret: 's' } };
  writeFileSync(path, '{}', { mode: 0o644 });
  writeFileSync(`${path}.new`, 'half', { mode: 0o644 });
  writeCredentials(path, credentials);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect(readCredentials(path)).toEqual(credentials);
  expect(readdirSync(dir)).toEqual(['local.json']);
});
