import type { Channel, Verification, WebhookRequest } from '../../ports/chatApp.ts';
import { sameSecret, signatureV0 } from '../shared/secrets.ts';
import { SIGNATURE_AGE_LIMIT_S } from './limits.ts';

const TIMESTAMP_HEADER = 'x-slack-request-timestamp';
const SIGNATURE_HEADER = 'x-slack-signature';

/**
 * Checks Slack's signature over the body's bytes, and that it is at most five minutes from `now` (ms), before or after
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack).
 */
export function verify(request: WebhookRequest, channel: Channel, now: number): Verification {
  const secret = channel.secrets.signingSecret;
  if (!secret) return { ok: false, reason: 'no signing secret is configured' };
  const timestamp = request.headers[TIMESTAMP_HEADER] ?? '';
  const signature = request.headers[SIGNATURE_HEADER] ?? '';
  if (!/^\d{1,12}$/.test(timestamp)) return { ok: false, reason: 'the timestamp is absent or no number of seconds' };
  if (Math.abs(now / 1000 - Number(timestamp)) > SIGNATURE_AGE_LIMIT_S) {
    return { ok: false, reason: 'the timestamp is too old or too new' };
  }
  const isSigned = sameSecret(signature, signatureV0(secret, timestamp, request.body));
  return isSigned ? { ok: true } : { ok: false, reason: 'the signature is absent or wrong' };
}
