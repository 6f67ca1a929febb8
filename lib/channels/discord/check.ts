import type { ChatApp } from '../../ports/chatApp.ts';
import { fine, problem } from '../../ports/health.ts';
import { addressFinding, hostOf, putAgain, refused } from '../shared/checks.ts';
import { callApi } from './api.ts';
import { faultOf, identify } from './connect.ts';

const TIMEOUT_MS = 10_000;
const FIELDS = '--application-id ID --public-key KEY --bot-token -';

/** Asks Discord whose token it is, where its interactions go, and whether it has commands. */
export const check: ChatApp['check'] = async (channel, { webhookUrl }) => {
  const again = `Copy all three from discord.com/developers/applications: ${putAgain(channel, FIELDS)}`;
  const who = await identify(channel);
  if (!who.ok) return [refused(who, again)];
  const known = fine(`Discord knows the token: it is ${who.bot.username ?? who.bot.name ?? 'the bot'}’s.`);
  const call = (path: string) => callApi(channel, { method: 'GET', path }, AbortSignal.timeout(TIMEOUT_MS));
  const commandsPath = `/applications/${channel.settings.applicationId}/commands`;
  const [about, commands] = await Promise.all([call('/applications/@me'), call(commandsPath)]);
  const findings = [known, addressFinding(webhookUrl, 'Discord')];
  if (about.kind === 'ok') findings.push(endpoint(about.result.interactions_endpoint_url, webhookUrl));
  else findings.push(problem(faultOf(channel, about).reason, 'Try again in a minute.'));
  if (commands.kind !== 'ok') findings.push(problem(faultOf(channel, commands).reason, 'Try again in a minute.'));
  else if (Object.keys(commands.result).length > 0) findings.push(fine('The application has its commands.'));
  else findings.push(problem('Discord shows no commands of the application.', `Put the channel again. ${again}`));
  return findings;

  function endpoint(url: unknown, wanted: string | undefined) {
    const todo = `Put the channel again: Conch sets the “Interactions Endpoint URL” itself. ${again}`;
    if (typeof url !== 'string' || url === '') return problem('Discord sends commands nowhere.', todo);
    if (wanted === undefined || url === wanted) return fine('Discord sends commands here.');
    return problem(`Discord sends commands to ${hostOf(url)}, and not to this channel.`, todo);
  }
};
