import type { ChannelFields } from '../../ports/chatApp.ts';
import { fieldFault } from '../shared/fields.ts';
import { SECRET_MIN_CHARS } from './limits.ts';

/** A text channel has a secret that signs both ways, and maybe an address that replies are posted to. */
export const fields: ChannelFields = {
  parse(body) {
    const { secret, callbackUrl } = body;
    if (typeof secret !== 'string' || secret.length < SECRET_MIN_CHARS) {
      return fieldFault('secret', `A secret of at least ${SECRET_MIN_CHARS} characters is needed.`);
    }
    if (callbackUrl === undefined) return { ok: true, secrets: { secret }, settings: {} };
    if (typeof callbackUrl === 'string' && isWebAddress(callbackUrl)) {
      return { ok: true, secrets: { secret }, settings: { callbackUrl } };
    }
    return fieldFault('callbackUrl', 'This is no http or https address.');
  },
  generate: () => ({}),
};

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && !url.username && !url.password;
}
