import type { Channel, WebhookRequest } from '../../../lib/ports/chatApp.ts';
import { APP_ID, BOT, TENANT, type TeamsStandIn } from '../../standins/teams.ts';
import { type SignedAs, signedToken } from '../../standins/teamsTokens.ts';

export const NOW = 1_790_000_060_000;

/** The channel at a stand-in, which has the keys too. */
export function at(standIn: TeamsStandIn): Channel {
  const { appPassword, apiRoot, ...settings } = standIn.fields;
  return { ...channel, apiRoot, settings, secrets: { appPassword } };
}

/** A connected channel that calls nobody. */
export const channel: Channel = {
  ...{ id: 't1.abc', tenant: 't1', name: 'main', app: 'teams' },
  settings: { appId: APP_ID, appTenantId: TENANT },
  secrets: { appPassword: 'conch~test~secret~of~the~bot' },
  bot: { id: BOT },
};

/** A request with this body, signed for the address that it names. @param as how to sign it otherwise. */
export function signed(body: Uint8Array, as: SignedAs = {}): WebhookRequest {
  const token = signedToken(APP_ID, serviceUrlIn(body), { seconds: NOW / 1000, ...as });
  return withToken(body, `Bearer ${token}`);
}

/** @param authorization the header; undefined: none. */
export function withToken(body: Uint8Array, authorization: string | undefined): WebhookRequest {
  return { headers: authorization === undefined ? {} : { authorization }, body };
}

function serviceUrlIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)).serviceUrl;
  } catch {
    return undefined;
  }
}
