import type { Channel, ChatApp } from '../../ports/chatApp.ts';
import { type Finding, fine, note, problem } from '../../ports/health.ts';
import { addressFinding, putAgain, refused } from '../shared/checks.ts';
import { grantedScopes } from './api.ts';
import { BOT_SCOPES } from './manifest.ts';
import { appFault } from './oauth.ts';
import { whoAmI } from './whoAmI.ts';

const TIMEOUT_MS = 10_000;

/** Asks Slack whose token it is and what it may do; Slack does not tell where an app's events go. */
export const check: ChatApp['check'] = async (channel, { webhookUrl }) => {
  const findings = channel.settings.clientId === undefined ? await ofToken(channel) : await ofApp(channel);
  const where = `“Save Changes” on the app’s page “App Manifest” after: npx conch manifest ${channel.name} --tenant ${channel.tenant}`;
  return [
    ...findings,
    addressFinding(webhookUrl, 'Slack'),
    note('Slack does not tell where the app’s events go.', `If messages are not answered: ${where}`),
  ];
};

async function ofToken(channel: Channel): Promise<Finding[]> {
  const again = putAgain(channel, '--signing-secret - --bot-token -');
  const who = await whoAmI(channel);
  if (!who.ok) return [refused(who, `Copy the Bot User OAuth Token of “OAuth & Permissions”: ${again}`)];
  const { username = 'the bot', teamName = who.bot.team } = who.bot;
  return [fine(`Slack knows the token: it is ${username}’s, in ${teamName}.`), await ofScopes(channel)];
}

async function ofScopes(channel: Channel): Promise<Finding> {
  const granted = await grantedScopes(channel, AbortSignal.timeout(TIMEOUT_MS));
  if (!granted) return note('Slack did not tell which rights the app has.');
  const missing = BOT_SCOPES.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return fine('The app has all the rights that it needs.');
  const how = `Save the manifest of “npx conch manifest ${channel.name} --tenant ${channel.tenant}” at Slack, then “Reinstall to …” on “Install App”.`;
  return problem(`The app lacks rights: ${missing.join(', ')}.`, how);
}

async function ofApp(channel: Channel): Promise<Finding[]> {
  const fault = await appFault(channel);
  if (!fault) return [fine('Slack knows the client ID and its secret.')];
  const again = putAgain(channel, '--signing-secret - --client-id ID --client-secret -');
  return [refused(fault, `Copy them from “Basic Information”: ${again}`)];
}
