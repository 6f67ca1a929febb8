import type { ChannelFields } from '../../ports/chatApp.ts';
import { fieldFault, fieldText } from '../shared/fields.ts';
import { isNobody } from './address.ts';

const TOKEN = /^\d{1,20}:[A-Za-z0-9_-]{30,64}$/;
const SECRET_CHARS = 64;
const PERSON = /^[1-9]\d{0,19}$/;

/** A Telegram channel has a bot's token; the secret of its webhook is made by Conch. Values are never echoed. */
export const fields: ChannelFields = {
  apiRoot: 'https://api.telegram.org',
  parse(body) {
    const token = fieldText(body.token);
    if (TOKEN.test(token)) return { ok: true, secrets: { token }, settings: {} };
    return fieldFault('token', tokenFault(token));
  },
  generate(random) {
    const secret = random(SECRET_CHARS).replace(/[^A-Za-z0-9_-]/g, '_');
    return { webhookSecret: secret.slice(0, SECRET_CHARS) };
  },
  personFault(id) {
    if (isNobody({ id: Number(id) })) {
      return 'Telegram uses this id for nobody in particular, such as an anonymous admin.';
    }
    if (PERSON.test(id)) return undefined;
    return 'A person’s id in Telegram is a number, such as 123456789, and not a name.';
  },
};

function tokenFault(token: string): string {
  if (!token) return 'A bot token is needed, as BotFather gives it.';
  const form = 'only the token itself: digits, a colon, then letters, digits, "_" and "-"';
  if (/\s/.test(token)) return `This is more than a token. Give ${form}.`;
  return `This is not a bot token. Give ${form}.`;
}
