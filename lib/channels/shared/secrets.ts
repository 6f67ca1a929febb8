import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Verification, WebhookRequest } from '../../ports/chatApp.ts';

/** Whether two texts are equal, in a time that does not depend on where they differ. Lengths are no secret here. */
export function sameSecret(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** `v0=` and the hex HMAC-SHA256 of `v0:timestamp:body`, over the body's bytes. @param timestamp in seconds, as sent. */
export function signatureV0(secret: string, timestamp: string, body: Uint8Array | string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}

/** How far a signed request's time may be from ours, before or after. */
const SIGNATURE_AGE_LIMIT_S = 300;

/**
 * Checks a `signatureV0` over the body's bytes, and that it is at most five minutes from `now` (ms), before or after.
 * @param headers the names, in lower case, of the headers with the time in seconds and with the signature.
 */
export function verifyV0(
  request: WebhookRequest,
  secret: string,
  headers: { timestamp: string; signature: string },
  now: number,
): Verification {
  const timestamp = request.headers[headers.timestamp] ?? '';
  const signature = request.headers[headers.signature] ?? '';
  if (!/^\d{1,12}$/.test(timestamp)) return { ok: false, reason: 'the timestamp is absent or no number of seconds' };
  if (Math.abs(now / 1000 - Number(timestamp)) > SIGNATURE_AGE_LIMIT_S) {
    return { ok: false, reason: 'the timestamp is too old or too new' };
  }
  const isSigned = sameSecret(signature, signatureV0(secret, timestamp, request.body));
  return isSigned ? { ok: true } : { ok: false, reason: 'the signature is absent or wrong' };
}
