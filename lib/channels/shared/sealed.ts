import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { remembered } from './remembered.ts';

const TAG_BYTES = 16;
const IV_BYTES = 12;
const KEY_BYTES = 32;

interface Keys {
  key: KeyObject;
  /** Makes the IV of a text, so that a delivery that comes again is read the same again. */
  ivKey: KeyObject;
}

/** To derive them takes longer than to seal a token; so does, each time, a key that is given as bytes. */
const keysOf = remembered(100, (secret: string): Keys => {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'conch reply token', 2 * KEY_BYTES));
  return { key: createSecretKey(bytes.subarray(0, KEY_BYTES)), ivKey: createSecretKey(bytes.subarray(KEY_BYTES)) };
});

/** Seals an app's reply token for the log, under a secret of its channel. Equal texts give equal results. */
export function sealToken(secret: string, text: string): string {
  const { key, ivKey } = keysOf(secret);
  const iv = createHmac('sha256', ivKey).update(text).digest().subarray(0, IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = cipher.update(text, 'utf8');
  cipher.final(); // gives no more bytes in this mode, but makes the tag
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The text of `sealToken`; undefined if the secret is another by now, or the token was changed. */
export function openToken(secret: string, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', keysOf(secret).key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}
