import type { Channel, WebhookRequest } from '../../../lib/ports/chatApp.ts';

export const SECRET = 'conch_Test-secret_0123456789';

/** A connected channel; `apiRoot` and the token are a test's own where it calls the Bot API. */
export const channel: Channel = {
  id: 't1.abc',
  tenant: 't1',
  name: 'main',
  app: 'telegram',
  settings: {},
  secrets: { token: '999:test-token_abcdefghijklmnopqrstuvw', webhookSecret: SECRET },
  bot: { id: '999', username: 'acme_bot', name: 'Acme' },
};

export function signed(body: Uint8Array, secret = SECRET): WebhookRequest {
  const headers = { 'x-telegram-bot-api-secret-token': secret };
  return { headers, body };
}
