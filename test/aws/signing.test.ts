import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signer } from '../../lib/aws/signing.ts';

const AT = new Date('2015-08-30T12:36:00Z');
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');

/** The signature of a POST to `/` as AWS's documents describe it. */
function signatureOf(headers: Record<string, string>, body: Uint8Array, service: string): string {
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
  const canonical = `POST\n/\n\n${lines}\n${names.join(';')}\n${sha256(body)}`;
  const scope = ['20150830', 'us-east-1', service, 'aws4_request'];
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${CREDENTIALS.secretAccessKey}`);
  const text = ['AWS4-HMAC-SHA256', '20150830T123600Z', scope.join('/'), sha256(canonical)].join('\n');
  return hmac(key, text).toString('hex');
}

describe('signatures', () => {
  test('are those of AWS’s description, for any body, header and token', async () => {
    const headerText = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);
    const services = fc.constantFrom('dynamodb' as const, 'sqs' as const, 'kms' as const);
    const ours = async (service: 'dynamodb' | 'sqs' | 'kms', target: string, content: string, token?: string) => {
      const credentials = token === undefined ? CREDENTIALS : { ...CREDENTIALS, sessionToken: token };
      const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
      const body = Buffer.from(content);
      const request = { url: new URL('http://127.0.0.1:8000/'), headers, body };
      const { authorization, ...signed } = await signer(service, 'us-east-1', credentials)(request, AT);
      expect(signed).toEqual({
        ...{ ...headers, host: '127.0.0.1:8000', 'x-amz-date': '20150830T123600Z' },
        ...(token === undefined ? {} : { 'x-amz-security-token': token }),
      });
      const names = Object.keys(signed).sort().join(';');
      expect(authorization).toBe(
        `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/${service}/aws4_request, ` +
          `SignedHeaders=${names}, Signature=${signatureOf(signed, body, service)}`,
      );
    };
    const property = fc.asyncProperty(
      services,
      headerText,
      fc.string({ unit: 'grapheme' }),
      fc.option(headerText),
      (s, t, b, k) => ours(s, t, b, k ?? undefined),
    );
    await fc.assert(property, { numRuns: 200 });
  });

  test('the default port of an address is not signed, as it is not sent', async () => {
    const url = new URL('https://dynamodb.us-east-1.amazonaws.com:443/');
    const signed = await signer(
      'dynamodb',
      'us-east-1',
      CREDENTIALS,
    )({ url, headers: {}, body: Buffer.from('{}') }, AT);
    expect(signed.host).toBe('dynamodb.us-east-1.amazonaws.com');
  });
});
