import { DAY_MS } from '../../domain/limits.ts';
import type { ChatApp } from '../../ports/chatApp.ts';
import { cutText } from '../shared/graphemes.ts';
import { APP_NAME_LIMIT_CHARS } from './limits.ts';
import { commandLists } from './menu.ts';

/** The version of the manifest that every client knows. */
const VERSION = '1.19';
/** Stands where an address is needed and none is known: the app's pages are for people who look it up in Teams. */
const NOWHERE = 'https://conch.invalid';

/**
 * The manifest of a Teams app (https://learn.microsoft.com/microsoftteams/platform/resources/schema/manifest-schema), for
 * the app package. Teams takes a package only if its version is higher than the one before, so it is made of the time.
 * Undefined before the channel is connected: the bot’s id stands in it.
 */
export const manifest: NonNullable<ChatApp['manifest']> = ({ name, webhookUrl, channel, menu, now }) => {
  const appId = channel?.settings.appId;
  if (appId === undefined) return undefined;
  const home = webhookUrl?.startsWith('https:') ? new URL(webhookUrl).origin : NOWHERE;
  const short = cutText(name, APP_NAME_LIMIT_CHARS);
  return {
    $schema: `https://developer.microsoft.com/json-schemas/teams/v${VERSION}/MicrosoftTeams.schema.json`,
    ...{ manifestVersion: VERSION, version: versionOf(now), id: appId },
    developer: { name: short, websiteUrl: home, privacyUrl: home, termsOfUseUrl: home },
    name: { short, full: short },
    description: {
      short: 'An AI assistant.',
      full: 'An AI assistant that answers in your chats. Write to it, or mention it in a team or a group. /help shows what it can do.',
    },
    icons: { color: 'color.png', outline: 'outline.png' },
    accentColor: '#0F6E84',
    bots: [
      {
        ...{ botId: appId, scopes: ['personal', 'team', 'groupChat'], isNotificationOnly: false, supportsFiles: true },
        commandLists: commandLists(menu),
      },
    ],
    permissions: ['identity', 'messageTeamMembers'],
    validDomains: [],
  };
};

/** @param now time in ms. */
function versionOf(now: number): string {
  return `1.${Math.floor(now / DAY_MS)}.${Math.floor((now % DAY_MS) / 1000)}`;
}
