import aws4 from 'aws4';
import type { Credentials } from './environment.ts';
import type { Service } from './operations.ts';

/** A request before it is signed. */
export interface Unsigned {
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Signs a POST for a time: gives all its headers, the signature among them. */
export type Sign = (request: Unsigned, at: Date) => Record<string, string>;

/** What signs requests to a service (Signature Version 4). */
export function signer(service: Service, region: string, credentials: Credentials): Sign {
  return ({ url, headers, body }, at) => {
    const date = at.toISOString().replace(/[-:]|\.\d+/g, '');
    // Named here, since the package would name it in capitals, and a header would stand there twice.
    const more = { host: url.host, 'x-amz-date': date, 'content-length': String(body.length) };
    const request = { service, region, method: 'POST', path: url.pathname, headers: { ...headers, ...more }, body };
    return aws4.sign(request, credentials).headers;
  };
}
