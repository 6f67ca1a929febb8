import type { WorkspaceApp } from '../../ports/chatApp.ts';
import { workspaceOf } from './address.ts';
import { authorizeUrl, exchange, renew } from './oauth.ts';
import { originOf } from './origin.ts';
import { whoAmI } from './whoAmI.ts';

/** One app of Slack's in many workspaces, by OAuth (https://docs.slack.dev/authentication/installing-with-oauth). */
export const workspaces: WorkspaceApp = {
  has: ({ settings }) => settings.clientId !== undefined,
  ofRequest: originOf,
  ofChat: workspaceOf,
  authorizeUrl,
  exchange,
  renew,
  async isAlive(installed) {
    const answer = await whoAmI(installed);
    if (answer.ok) return true;
    return answer.isOver ? false : undefined;
  },
};
