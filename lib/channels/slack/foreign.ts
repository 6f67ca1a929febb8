import type { Channel } from '../../ports/chatApp.ts';

/** Whether a request is for another app, or from a workspace that the channel is not connected to. */
export function isForeign({ bot }: Channel, app: string | undefined, team: string | undefined): boolean {
  if (bot?.app !== undefined && app !== undefined && app !== bot.app) return true;
  return bot?.team !== undefined && team !== undefined && team !== bot.team;
}
