import type { Channel, ChatApp, FieldFault } from '../../ports/chatApp.ts';
import { fieldFault, fieldOfAddress, passingFault } from '../shared/fields.ts';
import { asObject } from '../shared/json.ts';
import { type ApiOutcome, callApi } from './api.ts';

const TIMEOUT_MS = 10_000;

/** Asks Discord whose token this is, and whether the application's id and public key belong to it. */
export async function identify(channel: Channel): Promise<{ ok: true; bot: Record<string, string> } | FieldFault> {
  const outcome = await callApi(channel, { method: 'GET', path: '/applications/@me' }, AbortSignal.timeout(TIMEOUT_MS));
  if (outcome.kind !== 'ok') return faultOf(channel, outcome);
  const { id, name, verify_key: key, bot } = outcome.result;
  const { applicationId, publicKey } = channel.settings;
  if (typeof id !== 'string')
    return fieldFault(fieldOfAddress(channel, 'botToken'), 'The answer is not one of Discord’s API.');
  if (id !== applicationId) return fieldFault('applicationId', 'The token belongs to another application.');
  if (key !== undefined && key !== publicKey)
    return fieldFault('publicKey', 'This is not the public key of the application.');
  const { id: botId, username } = asObject(bot);
  return {
    ok: true,
    bot: {
      id: typeof botId === 'string' ? botId : id,
      ...(typeof username === 'string' && { username }),
      ...(typeof name === 'string' && { name }),
    },
  };
}

/** Sets where interactions go. Discord sends a PING and a wrong signature there before it answers. */
export async function register(channel: Channel, webhookUrl: string): Promise<{ ok: true } | FieldFault> {
  const call = { method: 'PATCH', path: '/applications/@me', body: { interactions_endpoint_url: webhookUrl } } as const;
  const outcome = await callApi(channel, call, AbortSignal.timeout(TIMEOUT_MS));
  if (outcome.kind === 'ok') return { ok: true };
  if (outcome.kind === 'refused' && outcome.status === 400) {
    return fieldFault('publicKey', `Discord did not take the address of the webhook: ${outcome.description}`);
  }
  return faultOf(channel, outcome);
}

/** Takes the address away, if it is still this channel's: the application may have been connected anew elsewhere. */
export async function unregister(channel: Channel): Promise<{ ok: true } | FieldFault> {
  const get = { method: 'GET', path: '/applications/@me' } as const;
  const info = await callApi(channel, get, AbortSignal.timeout(TIMEOUT_MS));
  if (info.kind !== 'ok') return faultOf(channel, info);
  if (!String(info.result.interactions_endpoint_url).endsWith(`/${channel.id}`)) return { ok: true };
  const call = { method: 'PATCH', path: '/applications/@me', body: { interactions_endpoint_url: null } } as const;
  const outcome = await callApi(channel, call, AbortSignal.timeout(TIMEOUT_MS));
  return outcome.kind === 'ok' ? { ok: true } : faultOf(channel, outcome);
}

/** Discord opens no private chat with a command in it. */
export const claimLink: ChatApp['claimLink'] = () => undefined;

/** Why a call for an administrator failed, in words that hold no secret. */
export function faultOf(channel: Channel, outcome: Exclude<ApiOutcome, { kind: 'ok' }>): FieldFault {
  if (outcome.kind !== 'refused') {
    return passingFault(
      fieldOfAddress(channel, 'botToken'),
      `Discord cannot be reached (${outcome.reason}). Look at this machine’s network, then try again.`,
    );
  }
  const { status, description } = outcome;
  if (status === 401) return fieldFault('botToken', 'Discord does not know this token. It may have been reset.');
  if (status === 429) return passingFault('botToken', 'Discord asks to wait. Try again in a minute.');
  return fieldFault('botToken', `Discord refused: ${description}`);
}
