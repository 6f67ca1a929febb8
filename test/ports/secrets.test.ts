import { expect, test } from 'vitest';
import { openAll, providerOwner, type SecretBox, sealAll, toolServerOwner } from '../../lib/ports/secrets.ts';

/** Seals by naming what the secret is bound to. */
const box: SecretBox = {
  seal: async (plain, { tenant, owner }) => `${tenant}|${owner}|${plain}`,
  open: async (sealed, { tenant, owner }) => {
    if (!sealed.startsWith(`${tenant}|${owner}|`)) throw new Error('Not of this owner');
    return sealed.slice(`${tenant}|${owner}|`.length);
  },
};

test('SPEC 14.2: all of a record is sealed for its owner, and opens for nobody else', async () => {
  const [plain, context] = [
    { token: 'a', secret: 'b' },
    { tenant: 't', owner: providerOwner('main') },
  ];
  const sealed = await sealAll(box, plain, context);
  expect(sealed).toEqual({ token: 't|provider#main|a', secret: 't|provider#main|b' });
  expect(await openAll(box, sealed, context)).toEqual(plain);
  await expect(openAll(box, sealed, { ...context, owner: toolServerOwner('main') })).rejects.toThrow(
    'Not of this owner',
  );
  expect(await sealAll(box, {}, context)).toEqual({});
});
