import type { ChatApp } from '../../ports/chatApp.ts';
import { appFault } from './oauth.ts';
import { whoAmI } from './whoAmI.ts';

/**
 * Asks Slack whose token this is, and of which workspace. An app for many has a token for each, and who its bot is there
 * with it; of itself, Slack tells only whether its secret is right.
 */
export const identify: ChatApp['identify'] = async (channel) => {
  if (channel.settings.clientId === undefined) return whoAmI(channel);
  const fault = await appFault(channel);
  return fault ?? { ok: true, bot: {} };
};

/** Slack learns the webhook's address from the manifest alone, and checks it when that is saved. */
export const register: ChatApp['register'] = async () => ({ ok: true });

/** What the manifest says stays in force until the app is changed or deleted at Slack; its requests are refused here. */
export const unregister: ChatApp['unregister'] = async () => ({ ok: true });

/** Slack has no link that carries words into a private chat. */
export const claimLink: ChatApp['claimLink'] = () => undefined;
