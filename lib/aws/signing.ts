import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Credentials } from './environment.ts';
import type { Service } from './operations.ts';

/** Node's SHA-256, with or without a key, as the signer wants it. */
class Sha256 {
  readonly #start: () => ReturnType<typeof createHmac> | ReturnType<typeof createHash>;
  #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#start = () => (secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret)));
    this.#hash = this.#start();
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#start();
  }
}

function bytesOf(source: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof source === 'string') return source;
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}

/** A request before it is signed. */
export interface Unsigned {
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Signs a POST for a time: gives all its headers, the signature among them. */
export type Sign = (request: Unsigned, at: Date) => Promise<Record<string, string>>;

/** What signs requests to a service, by the SDK's own signer (Signature Version 4). */
export function signer(service: Service, region: string, credentials: Credentials): Sign {
  const signature = new SignatureV4({ service, region, credentials, sha256: Sha256, applyChecksum: false });
  return async ({ url, headers, body }, signingDate) => {
    const { protocol, hostname, pathname: path, host } = url;
    const request = { method: 'POST', protocol, hostname, path, headers: { host, ...headers }, body };
    return (await signature.sign(request, { signingDate })).headers;
  };
}
