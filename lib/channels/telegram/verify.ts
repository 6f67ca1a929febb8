import type { Channel, Verification, WebhookRequest } from '../../ports/chatApp.ts';
import { sameSecret } from '../shared/secrets.ts';

const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

/** Telegram signs nothing: it sends back the secret that `setWebhook` was given. Without one every request is refused. */
export function verify(request: WebhookRequest, channel: Channel): Verification {
  const secret = channel.secrets.webhookSecret;
  if (!secret) return { ok: false, reason: 'no webhook secret is configured' };
  const given = request.headers[SECRET_HEADER];
  if (!given) return { ok: false, reason: 'the secret header is absent' };
  return sameSecret(given, secret) ? { ok: true } : { ok: false, reason: 'the secret header is wrong' };
}
