import type { Channel, ChatApp, FieldFault } from '../../ports/chatApp.ts';
import { fieldFault, passingFault } from '../shared/fields.ts';
import { botId } from './address.ts';
import { fetchToken, keyOf, type TokenOutcome } from './token.ts';

const TIMEOUT_MS = 10_000;

/** Microsoft's numbers of what may be wrong (AADSTS…), by the field that it is wrong in. */
const FAULTS: Record<number, FieldFault> = {
  7000215: fieldFault('appPassword', 'Microsoft does not know this secret. Give its Value, not its Secret ID.'),
  7000222: fieldFault('appPassword', 'This secret has expired. Make a new one in “Certificates & secrets”.'),
  7000216: fieldFault('appPassword', 'Microsoft wants a secret for this app.'),
  700016: fieldFault('appId', 'There is no such app in this organisation. Check both ids.'),
  7000229: fieldFault('appId', 'The app is not set up in this organisation. Check both ids.'),
  7000112: fieldFault('appId', 'The app is turned off in this organisation.'),
  90002: fieldFault('appTenantId', 'Microsoft knows no organisation with this id.'),
  900023: fieldFault('appTenantId', 'Microsoft knows no organisation with this id.'),
};

/** Asks Microsoft for a token of the bot: that its id, secret and organisation belong together. */
export async function identify(channel: Channel): Promise<{ ok: true; bot: Record<string, string> } | FieldFault> {
  const outcome = await fetchToken(channel, keyOf(channel), AbortSignal.timeout(TIMEOUT_MS));
  if (outcome.kind === 'token') return { ok: true, bot: { id: botId(channel.settings.appId ?? '') } };
  return faultOf(channel, outcome);
}

function faultOf(channel: Channel, outcome: Exclude<TokenOutcome, { kind: 'token' }>): FieldFault {
  if (outcome.kind === 'busy') {
    const field = channel.settings.loginRoot === undefined ? 'appPassword' : 'loginRoot';
    return passingFault(
      field,
      `Microsoft’s login cannot be reached (${outcome.reason}). Look at this machine’s network, then try again.`,
    );
  }
  const known = outcome.code === undefined ? undefined : FAULTS[outcome.code];
  if (known) return known;
  const number = outcome.code === undefined ? '' : ` ${outcome.code}`;
  return fieldFault('appPassword', `Microsoft’s login refused the app: ${outcome.error}${number}.`);
}

/** The messaging endpoint is set on the bot’s page in Azure, and nowhere else. */
export const register: ChatApp['register'] = async () => ({ ok: true });

/** What Azure says stays in force until the bot is changed or deleted there; its requests are refused here. */
export const unregister: ChatApp['unregister'] = async () => ({ ok: true });

/** Teams opens no chat with a command in it. */
export const claimLink: ChatApp['claimLink'] = () => undefined;
