import type { Channel, Verification, WebhookRequest } from '../../ports/chatApp.ts';
import { signatureV0, verifyV0 } from '../shared/secrets.ts';

const TIMESTAMP_HEADER = 'x-conch-timestamp';
const SIGNATURE_HEADER = 'x-conch-signature';

/** Checks the signature over the body's bytes, and that it is at most five minutes from `now` (ms). */
export function verify(request: WebhookRequest, channel: Channel, now: number): Verification {
  const secret = channel.secrets.secret;
  if (!secret) return { ok: false, reason: 'no secret is configured' };
  return verifyV0(request, secret, { timestamp: TIMESTAMP_HEADER, signature: SIGNATURE_HEADER }, now);
}

/** The headers that sign a body. @param now time in ms. */
export function signatureHeaders(secret: string, body: string | Uint8Array, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  return { [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: signatureV0(secret, timestamp, body) };
}
