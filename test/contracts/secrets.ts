import { expect, test } from 'vitest';
import type { SecretBox } from '../../lib/ports/secrets.ts';

const context = { tenant: 'tenant', owner: 'tenant.channel' };

/** The text with one bit of its sealed bytes turned. */
function tampered(sealed: string, at: number): string {
  const [prefix = '', body = ''] = sealed.split('.');
  const bytes = Buffer.from(body, 'base64');
  const index = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  return `${prefix}.${bytes.toString('base64')}`;
}

/** What every `SecretBox` does. @param make gives two boxes with different keys. */
export function secretsContract(make: () => { box: SecretBox; other: SecretBox }): void {
  test('a secret opens with its own context, and what is stored does not show it (SPEC 14.2)', async () => {
    const { box } = make();
    for (const plain of ['110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', 'ü 👋\n', 'x'.repeat(4_000)]) {
      const sealed = await box.seal(plain, context);
      expect(sealed).not.toContain(plain.slice(0, 8));
      expect(sealed).not.toContain(Buffer.from(plain).toString('base64').slice(0, 10));
      expect(await box.open(sealed, context)).toBe(plain);
    }
  });

  test('equal secrets are sealed differently', async () => {
    const { box } = make();
    expect(await box.seal('same', context)).not.toBe(await box.seal('same', context));
  });

  test('it does not open for another tenant, owner or key (SPEC 14.2)', async () => {
    const { box, other } = make();
    const sealed = await box.seal('secret', { tenant: 'a', owner: 'b:c' });
    const refused = { code: 'unsealable', retryable: false };
    for (const wrong of [
      ['a:b', 'c'],
      ['a', 'b'],
      ['b:c', 'a'],
      ['x', 'b:c'],
      ['', 'ab:c'],
    ]) {
      const [tenant = '', owner = ''] = wrong;
      await expect(box.open(sealed, { tenant, owner })).rejects.toMatchObject(refused);
    }
    await expect(other.open(sealed, { tenant: 'a', owner: 'b:c' })).rejects.toMatchObject(refused);
    expect(await box.open(sealed, { tenant: 'a', owner: 'b:c' })).toBe('secret');
  });

  test('a text that was changed, cut or never sealed does not open (SPEC 14.2)', async () => {
    const { box } = make();
    const sealed = await box.seal('secret', context);
    const broken = [tampered(sealed, 0), tampered(sealed, 14), tampered(sealed, -1), sealed.slice(0, -8)];
    for (const text of [...broken, sealed.slice(0, 6), 'x1.AAAA', 'plain', '']) {
      await expect(box.open(text, context)).rejects.toMatchObject({ code: 'unsealable', retryable: false });
    }
  });
}
