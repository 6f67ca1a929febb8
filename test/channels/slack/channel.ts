import { signatureV0 } from '../../../lib/channels/shared/secrets.ts';
import type { Channel, WebhookRequest } from '../../../lib/ports/chatApp.ts';
import { APP, BOT, deliveryOf, type SlackStandIn, TEAM } from '../../standins/slack.ts';

export const SECRET = 'conch0test0signing0secret0000001';
export const NOW = 1_790_000_500_000;

/** A connected channel; `apiRoot` and the token are a test's own where it calls Slack. */
export const channel: Channel = {
  id: 't1.abc',
  tenant: 't1',
  name: 'main',
  app: 'slack',
  settings: {},
  secrets: { signingSecret: SECRET, botToken: 'xoxb-000000000-000000000-conchtesttoken' },
  bot: { id: BOT, username: 'conch', team: TEAM, teamName: 'Acme', botId: 'B0CONCH01', app: APP },
};

/** The channel at a stand-in. */
export function at(standIn: SlackStandIn): Channel {
  return { ...channel, apiRoot: standIn.root, secrets: { signingSecret: SECRET, botToken: standIn.botToken } };
}

/** A channel of an app in many workspaces, as it is in one of them. */
export const installed: Channel = {
  ...channel,
  settings: { clientId: '111.222' },
  secrets: { ...channel.secrets, clientSecret: 'conch0test0client0secret00000001' },
  workspace: TEAM,
};

/** @param at what to sign otherwise: the secret, the time in seconds. */
export function signed(body: Uint8Array, at: { secret?: string; seconds?: number } = {}): WebhookRequest {
  const timestamp = String(at.seconds ?? NOW / 1000);
  const signature = signatureV0(at.secret ?? SECRET, timestamp, body);
  const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature };
  return { headers, body };
}

/** The bytes of a payload, as the form or the JSON that Slack sends it as. */
export function encode(payload: unknown): Uint8Array {
  return new TextEncoder().encode(deliveryOf(payload).body);
}
