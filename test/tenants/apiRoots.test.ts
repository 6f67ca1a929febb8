import { describe, expect, test } from 'vitest';
import { outwardPolicy } from '../../lib/tenants/apiRoots.ts';
import { createTestAdministration, fieldsOf } from '../administration/setup.ts';

describe('DESIGN 6: where Conch goes for a tenant', () => {
  const fault = (address: string, list?: string) => outwardPolicy(list)(new URL(address));

  test.each([
    ...[
      'http://api.example.com',
      'https://localhost',
      'https://a.localhost.',
      'https://127.0.0.1',
      'https://2130706433',
    ],
    ...['https://0x7f.1', 'https://10.1.2.3', 'https://172.31.0.1', 'https://192.168.1.1', 'https://169.254.169.254/x'],
    ...[
      'https://100.64.0.1',
      'https://0.0.0.0',
      'https://[::1]',
      'https://[::]',
      'https://[fe80::1]',
      'https://[fd00::1]',
    ],
    ...['https://[::ffff:10.0.0.1]', 'https://[::ffff:a9fe:a9fe]', 'https://metadata.google.internal', 'https://db'],
    ...['https://[64:ff9b::a00:1]', 'https://224.0.0.1', 'https://255.255.255.255', 'https://printer.local'],
  ])('on a deployment not to %s', (address) => {
    expect(fault(address)).toMatch(/^(It has to be an https|An address of a private network)/u);
    expect(fault(address, '*')).toBeUndefined();
  });

  test.each(['https://api.example.com/v1', 'https://8.8.8.8', 'https://172.32.0.1', 'https://[2606:4700::1111]:8443'])(
    'but to %s',
    (address) => expect(fault(address)).toBeUndefined(),
  );

  test('a provider and a channel with such an address are refused by the field, with the reason', async () => {
    const admin = await createTestAdministration({ outwardFault: outwardPolicy(undefined) });
    await admin.call('PUT', '/v1/tenants/acme');
    const address = 'https://169.254.169.254/latest';
    const provider = { engine: 'openai-compatible', baseURL: address };
    const channel = { app: 'text', secret: 'a-secret-of-the-text-app', callbackUrl: address };
    const answers = [
      await admin.call('PUT', '/v1/tenants/acme/providers/p', provider),
      await admin.call('PUT', '/v1/tenants/acme/channels/c', channel),
    ];
    admin.close();
    expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    expect(answers.map(fieldsOf)).toEqual([['baseURL'], ['callbackUrl']]);
    expect(answers[0]?.body.errors[0].reason).toBe('An address of a private network is not allowed here.');
  });
});
