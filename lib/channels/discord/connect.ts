import type { Channel, ChatApp, FieldFault } from '../../ports/chatApp.ts';
import { asObject } from '../shared/json.ts';
import { type ApiOutcome, callApi } from './api.ts';

const TIMEOUT_MS = 10_000;

/** Asks Discord whose token this is, and whether the application's id and public key belong to it. */
export async function identify(channel: Channel): Promise<{ ok: true; bot: Record<string, string> } | FieldFault> {
  const outcome = await callApi(channel, { method: 'GET', path: '/applications/@me' }, AbortSignal.timeout(TIMEOUT_MS));
  if (outcome.kind !== 'ok') return faultOf(channel, outcome);
  const { id, name, verify_key: key, bot } = outcome.result;
  const { applicationId, publicKey } = channel.settings;
  if (typeof id !== 'string') return fault(fieldOfAddress(channel), 'The answer is not one of Discord’s API.');
  if (id !== applicationId) return fault('applicationId', 'The token belongs to another application.');
  if (key !== undefined && key !== publicKey)
    return fault('publicKey', 'This is not the public key of the application.');
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
    return fault('publicKey', `Discord did not take the address of the webhook: ${outcome.description}`);
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
    return passing(fieldOfAddress(channel), `Discord cannot be reached (${outcome.reason}). Try again.`);
  }
  const { status, description } = outcome;
  if (status === 401) return fault('botToken', 'Discord does not know this token. It may have been reset.');
  if (status === 429) return passing('botToken', 'Discord asks to wait. Try again in a minute.');
  return fault('botToken', `Discord refused: ${description}`);
}

function fault(field: string, reason: string): FieldFault {
  return { ok: false, field, reason };
}

function passing(field: string, reason: string): FieldFault {
  return { ...fault(field, reason), passing: true };
}

function fieldOfAddress(channel: Channel): string {
  return channel.apiRoot === undefined ? 'botToken' : 'apiRoot';
}
