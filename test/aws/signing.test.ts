import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signer } from '../../lib/aws/signing.ts';

const AT = new Date('2015-08-30T12:36:00Z');
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

/** Node's SHA-256, as the SDK's signer wants it. */
class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as string | Buffer);
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('Not needed');
  }
}

const SERVICES = ['dynamodb', 'sqs', 'kms'] as const;

describe('signatures', () => {
  test('are those of the SDK, for any service, target, body, key and token', async () => {
    const text = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);
    const keys = fc.record({ accessKeyId: text, secretAccessKey: text });
    const tokens = fc.oneof(
      text.map((sessionToken) => ({ sessionToken })),
      fc.constant({}),
    );
    const agree = async (
      request: { service: (typeof SERVICES)[number]; target: string; words: string; at: Date },
      credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string },
    ) => {
      const { service, target, words, at } = request;
      const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
      const body = Buffer.from(words);
      const url = new URL('http://127.0.0.1:8000/');
      const ours = signer(service, 'eu-west-1', credentials)({ url, headers, body }, at);
      const sdk = new SignatureV4({ service, region: 'eu-west-1', credentials, sha256: Sha256, applyChecksum: false });
      const all = { ...headers, host: url.host, 'content-length': String(body.length) };
      const asked = { method: 'POST', protocol: 'http:', hostname: url.hostname, path: '/', headers: all, body };
      const signed = await sdk.sign(asked, { signingDate: at });
      const lowerCase = Object.entries(ours).map(([name, value]) => [name.toLowerCase(), value]);
      expect(lowerCase).toHaveLength(Object.keys(signed.headers).length);
      expect(Object.fromEntries(lowerCase)).toEqual(signed.headers);
    };
    const at = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    const requests = fc.record({
      ...{ service: fc.constantFrom(...SERVICES), target: text, at },
      words: fc.string({ unit: 'grapheme', minLength: 1 }),
    });
    const property = fc.asyncProperty(requests, keys, tokens, (request, key, token) =>
      agree(request, { ...key, ...token }),
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test('the default port of an address is not signed, as it is not sent', () => {
    const url = new URL('https://dynamodb.us-east-1.amazonaws.com:443/');
    const signed = signer('dynamodb', 'us-east-1', CREDENTIALS)({ url, headers: {}, body: Buffer.from('{}') }, AT);
    expect(signed.host).toBe('dynamodb.us-east-1.amazonaws.com');
  });
});
