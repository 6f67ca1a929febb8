import type { ChannelFields } from '../../ports/chatApp.ts';
import { fieldFault, fieldText } from '../shared/fields.ts';

const SNOWFLAKE = /^\d{1,20}$/;
const PUBLIC_KEY = /^[0-9a-f]{64}$/i;
const BOT_TOKEN = /^[A-Za-z0-9_.-]{20,200}$/;

/** A Discord channel is an application: its id and public key are no secrets, its bot's token is. Values are never echoed. */
export const fields: ChannelFields = {
  apiRoot: 'https://discord.com/api/v10',
  parse(body) {
    const applicationId = fieldText(body.applicationId);
    const publicKey = fieldText(body.publicKey);
    const botToken = fieldText(body.botToken).replace(/^Bot\s+/i, '');
    if (!SNOWFLAKE.test(applicationId)) return fieldFault('applicationId', idFault(applicationId));
    if (!PUBLIC_KEY.test(publicKey)) return fieldFault('publicKey', keyFault(publicKey));
    if (!BOT_TOKEN.test(botToken)) return fieldFault('botToken', tokenFault(botToken));
    return { ok: true, secrets: { botToken }, settings: { applicationId, publicKey: publicKey.toLowerCase() } };
  },
  generate: () => ({}),
  personFault(id) {
    if (/^[1-9]\d{0,19}$/.test(id)) return undefined;
    return 'A person’s id in Discord is a number, such as 80351110224678912, and not a name.';
  },
};

function idFault(text: string): string {
  const where = 'the Application ID of “General Information”, digits alone';
  return text ? `This is not an application id. Give ${where}.` : `It is needed: ${where}.`;
}

function keyFault(text: string): string {
  const where = 'the Public Key of “General Information”, 64 characters of 0-9 and a-f';
  return text ? `This is not a public key. Give ${where}.` : `It is needed: ${where}.`;
}

function tokenFault(text: string): string {
  const where = 'the token that “Reset Token” of “Bot” shows once';
  return text ? `This is not a bot token. Give ${where}, and nothing else.` : `It is needed: ${where}.`;
}
