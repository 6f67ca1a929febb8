import { describe, expect, test } from 'vitest';
import { fields } from '../../../lib/channels/text/settings.ts';
import { SECRET } from './channel.ts';

describe('the fields of a channel', () => {
  test('a secret, and an address or none', () => {
    expect(fields.parse({ secret: SECRET, access: 'anyone' })).toEqual({
      ok: true,
      secrets: { secret: SECRET },
      settings: {},
    });
    expect(fields.parse({ secret: SECRET, callbackUrl: 'https://a.example/x' })).toEqual({
      ok: true,
      secrets: { secret: SECRET },
      settings: { callbackUrl: 'https://a.example/x' },
    });
  });

  test.each([
    ['secret', { secret: 'x'.repeat(15) }],
    ['secret', {}],
    ['secret', { secret: 1234567890123456 }],
    ['callbackUrl', { secret: SECRET, callbackUrl: 'file:///etc/passwd' }],
    ['callbackUrl', { secret: SECRET, callbackUrl: 'https://user:pw@a.example' }],
    ['callbackUrl', { secret: SECRET, callbackUrl: 7 }],
  ])('a bad %s is refused and not echoed: %j', (field, body) => {
    const result = fields.parse(body);
    expect(result).toMatchObject({ ok: false, field });
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });
});
