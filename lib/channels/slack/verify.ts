import type { Channel, Verification, WebhookRequest } from '../../ports/chatApp.ts';
import { verifyV0 } from '../shared/secrets.ts';

const TIMESTAMP_HEADER = 'x-slack-request-timestamp';
const SIGNATURE_HEADER = 'x-slack-signature';

/**
 * Checks Slack's signature over the body's bytes, and that it is at most five minutes from `now` (ms), before or after
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack).
 */
export function verify(request: WebhookRequest, channel: Channel, now: number): Verification {
  const secret = channel.secrets.signingSecret;
  if (!secret) return { ok: false, reason: 'no signing secret is configured' };
  return verifyV0(request, secret, { timestamp: TIMESTAMP_HEADER, signature: SIGNATURE_HEADER }, now);
}
