import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AwsClient, awsClient } from '../../lib/aws/clients.ts';
import { KeyFileSecretBox } from '../../lib/aws/keyFileSecrets.ts';
import { KmsSecretBox } from '../../lib/aws/kmsSecrets.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import { secretsContract } from '../contracts/secrets.ts';
import { startKms } from '../support/kms.ts';

describe('secrets under a key file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'conch-secrets-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  let files = 0;
  const newPath = () => join(directory, `${++files}`, 'deep', 'secrets.key');
  const path = newPath();
  const otherPath = newPath();

  secretsContract(() => ({ box: KeyFileSecretBox.open(path), other: KeyFileSecretBox.open(otherPath) }));

  test('the key is made once, for its owner alone, and opens secrets after a restart (SPEC 14.2)', async () => {
    const file = newPath();
    const sealed = await KeyFileSecretBox.open(file).seal('secret', { tenant: 't', owner: 'o' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(await KeyFileSecretBox.open(file).open(sealed, { tenant: 't', owner: 'o' })).toBe('secret');
  });

  test.each([0o640, 0o604, 0o660, 0o777])('a key file of mode %o is refused (SPEC 14.2)', (mode) => {
    const file = newPath();
    KeyFileSecretBox.open(file);
    chmodSync(file, mode);
    expect(() => KeyFileSecretBox.open(file)).toThrow(expect.objectContaining({ code: 'settings' }));
  });

  test.each(['', 'short', `${'A'.repeat(42)}=`, `${'A'.repeat(60)}`, '*'.repeat(44), `${'A'.repeat(43)}=more`])(
    'a key file that holds %j is refused and left as it is',
    (content) => {
      const file = newPath();
      KeyFileSecretBox.open(file);
      writeFileSync(file, content);
      const start = () => KeyFileSecretBox.open(file);
      expect(start).toThrow(expect.objectContaining({ code: 'settings' }));
      if (content) expect(start).not.toThrow(content);
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );

  test('a place where no key file can be is a wrong setting', () => {
    const file = newPath();
    KeyFileSecretBox.open(file);
    const beneath = join(file, 'secrets.key');
    expect(() => KeyFileSecretBox.open(beneath)).toThrow(expect.objectContaining({ code: 'settings' }));
  });
});

describe('secrets under KMS', () => {
  const context = { tenant: 't', owner: 't.c' };
  let kms: Awaited<ReturnType<typeof startKms>>;
  let client: AwsClient<'kms'>;
  let now = 0;
  const box = (key = 'key-1') => new KmsSecretBox(client, key, () => now);
  beforeAll(async () => {
    kms = await startKms(['key-1', 'key-2']);
    client = awsClient('kms', { ...EMBEDDED_AWS, endpoint: kms.endpoint, maxAttempts: 1 });
  });
  afterEach(() => {
    kms.down = false;
  });
  afterAll(() => {
    client.destroy();
    kms.stop();
  });

  secretsContract(() => ({ box: box('key-1'), other: box('key-2') }));

  test('an opened secret is kept for 5 minutes, and for its context only (SPEC 14.2)', async () => {
    const [first, second] = [box(), box()];
    const sealed = await first.seal('secret', context);
    const decrypted = () => kms.calls.Decrypt ?? 0;
    const before = decrypted();
    now = 1_000;
    expect(await Promise.all([first.open(sealed, context), first.open(sealed, context)])).toEqual(['secret', 'secret']);
    now = 300_999;
    await first.open(sealed, context);
    expect(decrypted() - before).toBe(1);
    await expect(first.open(sealed, { ...context, tenant: 'x' })).rejects.toMatchObject({ code: 'unsealable' });
    now = 301_000;
    await first.open(sealed, context);
    await second.open(sealed, context);
    expect(decrypted() - before).toBe(4);
  });

  test('a fault of KMS is no statement about the secret, and is not kept', async () => {
    const one = box();
    const sealed = await one.seal('secret', context);
    kms.down = true;
    await expect(one.open(sealed, context)).rejects.toMatchObject({ code: 'kms-unavailable', retryable: true });
    await expect(one.seal('x', context)).rejects.toMatchObject({ code: 'kms-unavailable', retryable: true });
    kms.down = false;
    expect(await one.open(sealed, context)).toBe('secret');
  });

  test('a key that does not exist is a failure of the setting, not of the secret', async () => {
    const sealed = await box().seal('secret', context);
    await expect(box('no-key').open(sealed, context)).rejects.toMatchObject({ code: 'kms-failed', retryable: false });
  });

  test('more than KMS takes is refused before any request', async () => {
    const before = kms.calls.Encrypt;
    const seal = box().seal('ü'.repeat(2_049), context);
    await expect(seal).rejects.toMatchObject({ code: 'secret-too-large', retryable: false });
    expect(kms.calls.Encrypt).toBe(before);
  });
});
