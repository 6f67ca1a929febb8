import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether two texts are equal, in a time that does not depend on where they differ. Lengths are no secret here. */
export function sameSecret(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** `v0=` and the hex HMAC-SHA256 of `v0:timestamp:body`, over the body's bytes. @param timestamp in seconds, as sent. */
export function signatureV0(secret: string, timestamp: string, body: Uint8Array | string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}
