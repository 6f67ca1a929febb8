import { HOUR_MS, MINUTE_MS } from '../../domain/limits.ts';
import type { Channel, ChatApp } from '../../ports/chatApp.ts';
import { type Finding, fine, note, problem } from '../../ports/health.ts';
import { addressFinding, hostOf, putAgain, refused } from '../shared/checks.ts';
import { asObject } from '../shared/json.ts';
import { callApi } from './api.ts';
import { faultOf, identify } from './connect.ts';
import { type OldMenu, oldMenus } from './oldMenus.ts';

const TIMEOUT_MS = 10_000;
/** Older failures are over: Telegram keeps the last one for ever. */
const RECENT_MS = HOUR_MS;
/** So many updates wait only where they are not delivered. */
const MANY_PENDING = 20;

/** Asks Telegram whose token it is, where it delivers, and how that went. */
export const check: ChatApp['check'] = async (channel, { webhookUrl, now }) => {
  const who = await identify(channel);
  if (!who.ok) return [refused(who, `Copy the token from @BotFather: ${putAgain(channel, '--token -')}`)];
  const known = fine(`Telegram knows the token: it is @${who.bot.username}’s.`);
  const info = await callApi(channel, 'getWebhookInfo', {}, AbortSignal.timeout(TIMEOUT_MS));
  const address = addressFinding(webhookUrl, 'Telegram');
  if (info.kind !== 'ok') return [known, address, problem(faultOf(channel, info).reason, 'Try again in a minute.')];
  const hidden = hiddenFinding(channel, await oldMenus(channel));
  return [known, address, ...deliveries(channel, webhookUrl, asObject(info.result), now), ...hidden];
};

/** Lists that an earlier use of the bot left hide the menu from people of these languages (SPEC 12.1). */
function hiddenFinding(channel: Channel, menus: readonly OldMenu[]): Finding[] {
  const languages = [...new Set(menus.map(({ language }) => language))].toSorted();
  if (languages.length === 0) return [];
  const what = `People with Telegram in these languages see an older menu of commands: ${languages.join(', ')}.`;
  return [problem(what, `Put the channel again, which takes it away: ${putAgain(channel, '--token -')}`)];
}

function deliveries(
  channel: Channel,
  webhookUrl: string | undefined,
  info: Record<string, unknown>,
  now: number,
): Finding[] {
  const { url, pending_update_count: pending, last_error_date: errorS, last_error_message: words } = info;
  const again = `Put the channel again: ${putAgain(channel, '--token -')}`;
  if (typeof url !== 'string' || url === '') {
    return [problem('Telegram delivers nothing: no webhook is set for this bot.', again)];
  }
  if (webhookUrl !== undefined && url !== webhookUrl) {
    const what = `Telegram delivers to ${hostOf(url)}, and not to this channel. Another program may use the same bot.`;
    return [problem(what, again)];
  }
  const findings = [fine('The webhook is registered with Telegram.')];
  if (typeof errorS === 'number' && now - errorS * 1000 < RECENT_MS) {
    const minutes = Math.max(0, Math.round((now - errorS * 1000) / MINUTE_MS));
    const what = `Telegram could not deliver, last ${minutes} min ago: ${String(words ?? 'no reason was given').slice(0, 200)}.`;
    const todo = `Look whether ${hostOf(url)} leads to Conch, with a valid certificate, and whether Conch runs.`;
    findings.push(problem(what, todo));
  }
  if (typeof pending === 'number' && pending >= MANY_PENDING) {
    findings.push(note(`${pending} messages wait at Telegram; they come when it can deliver.`));
  }
  return findings;
}
