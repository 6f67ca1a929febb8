import type { Channel, ChatApp, FieldFault } from '../../ports/chatApp.ts';
import { fieldFault, fieldOfAddress, passingFault } from '../shared/fields.ts';
import { asObject } from '../shared/json.ts';
import { type ApiOutcome, callApi } from './api.ts';
import { ALLOWED_UPDATES } from './payload.ts';

const TIMEOUT_MS = 10_000;
/** How many updates Telegram delivers to one bot's webhook at the same time. */
const MAX_CONNECTIONS = 40;

/** Asks Telegram whose token this is. */
export async function identify(channel: Channel): Promise<{ ok: true; bot: Record<string, string> } | FieldFault> {
  const outcome = await callApi(channel, 'getMe', {}, AbortSignal.timeout(TIMEOUT_MS));
  if (outcome.kind !== 'ok') return faultOf(channel, outcome);
  const { id, username, first_name: name } = asObject(outcome.result);
  if (typeof id !== 'number' || typeof username !== 'string') {
    return fieldFault(fieldOfAddress(channel, 'token'), 'The answer is not one of the Bot API.');
  }
  return { ok: true, bot: { id: String(id), username, ...(typeof name === 'string' && { name }) } };
}

/** Sets the webhook with all of its parameters, since Telegram forgets the ones that are left out. */
export async function register(channel: Channel, webhookUrl: string): Promise<{ ok: true } | FieldFault> {
  const secret = channel.secrets.webhookSecret;
  if (!secret) return fieldFault('webhookSecret', 'The channel has no secret for its webhook.');
  const params = {
    url: webhookUrl,
    secret_token: secret,
    allowed_updates: ALLOWED_UPDATES,
    max_connections: MAX_CONNECTIONS,
    drop_pending_updates: false,
  };
  const outcome = await callApi(channel, 'setWebhook', params, AbortSignal.timeout(TIMEOUT_MS));
  if (outcome.kind === 'refused' && outcome.code === 400) {
    const reason = `Telegram does not take the webhook's address: ${outcome.description}. It has to be a public https address.`;
    return fieldFault('webhook', reason);
  }
  return outcome.kind === 'ok' ? { ok: true } : faultOf(channel, outcome);
}

/**
 * Takes the webhook away, if it is still this channel's: the bot may have been connected anew elsewhere. What waits at
 * Telegram stays there, for whoever connects the bot next.
 */
export async function unregister(channel: Channel): Promise<{ ok: true } | FieldFault> {
  const info = await callApi(channel, 'getWebhookInfo', {}, AbortSignal.timeout(TIMEOUT_MS));
  if (info.kind !== 'ok') return faultOf(channel, info);
  if (!String(asObject(info.result).url).endsWith(`/${channel.id}`)) return { ok: true };
  const params = { drop_pending_updates: false };
  const outcome = await callApi(channel, 'deleteWebhook', params, AbortSignal.timeout(TIMEOUT_MS));
  return outcome.kind === 'ok' ? { ok: true } : faultOf(channel, outcome);
}

/** A link that opens the bot's private chat and sends `/start CODE`. */
export const claimLink: ChatApp['claimLink'] = (channel, code) => {
  const username = channel.bot?.username;
  return username && /^[A-Za-z0-9_-]{1,64}$/.test(code) ? `https://t.me/${username}?start=${code}` : undefined;
};

/** Why a call for an administrator failed, in words that hold no secret. */
export function faultOf(channel: Channel, outcome: Exclude<ApiOutcome, { kind: 'ok' }>): FieldFault {
  if (outcome.kind !== 'refused') {
    return passingFault(
      fieldOfAddress(channel, 'token'),
      `Telegram cannot be reached (${outcome.reason}). Look at this machine’s network, then try again.`,
    );
  }
  const { code, description } = outcome;
  if (code === 401 || code === 404) {
    return fieldFault('token', 'Telegram does not know this token. It may have been revoked.');
  }
  if (code === 429) return passingFault('token', 'Telegram asks to wait. Try again in a minute.');
  return fieldFault('token', `Telegram refused: ${description}`);
}
