import { createPublicKey, type KeyObject, verify as verifySignature } from 'node:crypto';
import type { Channel, Verification, WebhookRequest } from '../../ports/chatApp.ts';
import { remembered } from '../shared/remembered.ts';

const SIGNATURE_HEADER = 'x-signature-ed25519';
const TIMESTAMP_HEADER = 'x-signature-timestamp';
const KEY = /^[0-9a-f]{64}$/i;
const SIGNATURE = /^[0-9a-f]{128}$/i;

/**
 * Checks Discord's Ed25519 signature over the timestamp and the body's bytes, with the application's public key. Discord
 * sends wrong signatures on purpose and gives an address up that takes one. It names no limit for the timestamp's age; an
 * interaction that comes again is found by its id.
 */
export function verify(request: WebhookRequest, channel: Channel): Verification {
  const publicKey = channel.settings.publicKey ?? '';
  if (!KEY.test(publicKey)) return { ok: false, reason: 'no public key is configured' };
  const timestamp = request.headers[TIMESTAMP_HEADER] ?? '';
  const signature = request.headers[SIGNATURE_HEADER] ?? '';
  if (!timestamp) return { ok: false, reason: 'the timestamp is absent' };
  if (!SIGNATURE.test(signature)) return { ok: false, reason: 'the signature is absent or no signature' };
  const signed = Buffer.concat([Buffer.from(timestamp), request.body]);
  const isSigned = verifySignature(null, signed, keyOf(publicKey), Buffer.from(signature, 'hex'));
  return isSigned ? { ok: true } : { ok: false, reason: 'the signature is wrong' };
}

/** To read a key takes as long as to check a signature with it. */
const keyOf = remembered(100, (hex: string): KeyObject => {
  const x = Buffer.from(hex, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
});
