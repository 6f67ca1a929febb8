import type { ChannelFields } from '../../ports/chatApp.ts';
import { fieldFault, fieldText } from '../shared/fields.ts';

const SIGNING_SECRET = /^[A-Za-z0-9]{16,64}$/;
const BOT_TOKEN = /^xoxb-[A-Za-z0-9-]{10,200}$/;
const PERSON = /^[UW][A-Z0-9]{2,20}$/;
const PERSON_WITHIN = /^[TE][A-Z0-9]{2,20}:[UW][A-Z0-9]{2,20}$/;
const CLIENT_ID = /^\d{1,20}\.\d{1,20}$/;
const CLIENT_SECRET = /^[A-Za-z0-9]{16,64}$/;

/**
 * A Slack channel has its app's signing secret, and the bot's token of one workspace or the app's client ID and secret for
 * many (DESIGN 6). Values are never echoed.
 */
export const fields: ChannelFields = {
  apiRoot: 'https://slack.com/api',
  parse(body) {
    const signingSecret = fieldText(body.signingSecret);
    const botToken = fieldText(body.botToken);
    if (!SIGNING_SECRET.test(signingSecret)) return fieldFault('signingSecret', signingSecretFault(signingSecret));
    if (body.clientId !== undefined || body.clientSecret !== undefined) return parseMany(signingSecret, body);
    if (!BOT_TOKEN.test(botToken)) return fieldFault('botToken', botTokenFault(botToken));
    return { ok: true, secrets: { signingSecret, botToken }, settings: {} };
  },
  generate: () => ({}),
  personFault(id, { clientId } = {}) {
    if (clientId !== undefined) return PERSON_WITHIN.test(id) ? undefined : NOT_WITHIN;
    if (PERSON.test(id)) return undefined;
    return 'A person’s id in Slack is a member ID, such as U012AB3CD, and not a name: “Copy member ID” in their profile.';
  },
};

const NOT_WITHIN =
  'A person of an app in many workspaces is the workspace’s ID, a colon and the member ID, such as T012AB3CD:U012AB3CD.';

function parseMany(signingSecret: string, body: Record<string, unknown>): ReturnType<ChannelFields['parse']> {
  const clientId = fieldText(body.clientId);
  const clientSecret = fieldText(body.clientSecret);
  if (body.botToken !== undefined) {
    return fieldFault(
      'botToken',
      'Give the bot’s token for one workspace, or the client ID and secret for many, not both.',
    );
  }
  if (!CLIENT_ID.test(clientId))
    return fieldFault('clientId', 'Give the Client ID of “Basic Information”: 123456.789012.');
  if (!CLIENT_SECRET.test(clientSecret)) {
    return fieldFault('clientSecret', 'Give the Client Secret of “Basic Information”, letters and digits alone.');
  }
  return { ok: true, secrets: { signingSecret, clientSecret }, settings: { clientId } };
}

function signingSecretFault(text: string): string {
  const where = 'the Signing Secret of “Basic Information”, letters and digits alone';
  return text ? `This is not a signing secret. Give ${where}.` : `It is needed: ${where}.`;
}

function botTokenFault(text: string): string {
  const where = 'the Bot User OAuth Token of “OAuth & Permissions”, which begins with xoxb-';
  if (!text) return `It is needed: ${where}.`;
  if (text.startsWith('xoxe')) return 'Token rotation is on for this app; its tokens end after twelve hours.';
  if (text.startsWith('xapp-')) return `This is an app-level token. Give ${where}.`;
  if (text.startsWith('xoxp-')) return `This is a person’s token. Give ${where}.`;
  return `This is not a bot token. Give ${where}.`;
}
