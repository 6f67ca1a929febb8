import { createPrivateKey, sign } from 'node:crypto';
import type { Channel, WebhookRequest } from '../../../lib/ports/chatApp.ts';
import vectors from '../../fixtures/discord/vectors.json' with { type: 'json' };

export const NOW = 1_790_000_500_000;

/** A connected channel; `apiRoot` and the token are a test's own where it calls Discord. */
export const channel: Channel = {
  id: 't1.abc',
  tenant: 't1',
  name: 'main',
  app: 'discord',
  settings: { applicationId: '100000000000000001', publicKey: vectors.publicKey },
  secrets: { botToken: 'MTAwMDAwMDAw.made-up.token_of_the_bot-0123456789' },
  bot: { id: '100000000000000001', username: 'acme', name: 'Acme' },
};

const PKCS8 = '302e020100300506032b657004220420';
const key = createPrivateKey({ key: Buffer.from(PKCS8 + vectors.privateSeed, 'hex'), format: 'der', type: 'pkcs8' });

export function signed(body: Uint8Array, timestamp = String(Math.floor(NOW / 1000))): WebhookRequest {
  const signature = sign(null, Buffer.concat([Buffer.from(timestamp), body]), key).toString('hex');
  return withHeaders(body, { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp });
}

export function withHeaders(body: Uint8Array, headers: Record<string, string>): WebhookRequest {
  return { headers, body };
}

/** A text as Discord signs it, in hex. */
export function signatureOf(body: Uint8Array): string {
  return signed(body).headers['x-signature-ed25519'] ?? '';
}
