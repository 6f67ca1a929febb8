import type { ChannelFields, FieldFault } from '../../ports/chatApp.ts';

const SIGNING_SECRET = /^[A-Za-z0-9]{16,64}$/;
const BOT_TOKEN = /^xoxb-[A-Za-z0-9-]{10,200}$/;
const PERSON = /^[UW][A-Z0-9]{2,20}$/;

/** A Slack channel has its app's signing secret and the bot's token of one workspace. Values are never echoed. */
export const fields: ChannelFields = {
  apiRoot: 'https://slack.com/api',
  parse(body) {
    const signingSecret = textOf(body.signingSecret);
    const botToken = textOf(body.botToken);
    if (!SIGNING_SECRET.test(signingSecret)) return fault('signingSecret', signingSecretFault(signingSecret));
    if (!BOT_TOKEN.test(botToken)) return fault('botToken', botTokenFault(botToken));
    return { ok: true, secrets: { signingSecret, botToken }, settings: {} };
  },
  generate: () => ({}),
  personFault(id) {
    if (PERSON.test(id)) return undefined;
    return 'A person’s id in Slack is a member ID, such as U012AB3CD, and not a name: “Copy member ID” in their profile.';
  },
};

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function fault(field: string, reason: string): FieldFault {
  return { ok: false, field, reason };
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
