import type { ChatApp } from '../../ports/chatApp.ts';
import { cutText } from '../shared/graphemes.ts';
import { APP_NAME_LIMIT_CHARS } from './limits.ts';

/** What is read or called, and nothing else: what an installation is asked to allow. */
export const BOT_SCOPES = [
  ...['app_mentions:read', 'channels:history', 'channels:read', 'chat:write', 'commands', 'files:read', 'files:write'],
  ...['groups:history', 'groups:read', 'im:history', 'im:write', 'mpim:history'],
];

/** The events that are read. Those of channels are needed for `!stop` in a thread, which mentions nobody. */
export const BOT_EVENTS = [
  ...['app_mention', 'message.channels', 'message.groups', 'message.im', 'message.mpim'],
  ...['member_joined_channel', 'member_left_channel', 'app_uninstalled', 'tokens_revoked'],
];

/**
 * The manifest that a Slack app is made from. An app needs it before there is a channel, for the secrets, and once more
 * with the webhook's address, which Slack checks when the manifest is saved.
 */
export const manifest: NonNullable<ChatApp['manifest']> = ({ name, webhookUrl, channel }) => ({
  display_information: { name: cutText(name, APP_NAME_LIMIT_CHARS), description: 'An assistant that answers here' },
  features: {
    app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
    bot_user: { display_name: cutText(name, APP_NAME_LIMIT_CHARS), always_online: true },
    ...(webhookUrl === undefined ? {} : { slash_commands: [slashCommand(webhookUrl)] }),
  },
  oauth_config: { ...redirects(webhookUrl, channel?.settings), scopes: { bot: BOT_SCOPES } },
  settings: {
    ...(webhookUrl === undefined ? {} : webhooks(webhookUrl)),
    org_deploy_enabled: isInMany(channel?.settings),
    socket_mode_enabled: false,
    token_rotation_enabled: isInMany(channel?.settings),
  },
});

/** An app in many workspaces has a client ID. Its tokens end after twelve hours; this cannot be turned off again. */
function isInMany(settings: Record<string, string> = {}): boolean {
  return settings.clientId !== undefined;
}

function redirects(webhookUrl: string | undefined, settings: Record<string, string> | undefined) {
  return webhookUrl !== undefined && isInMany(settings) ? { redirect_urls: [`${webhookUrl}/oauth`] } : {};
}

/** Text as it is typed: ids of mentioned people would tell a model nothing. */
function slashCommand(url: string) {
  return {
    ...{ command: '/conch', url, description: 'Commands of the assistant', usage_hint: 'help', should_escape: false },
  };
}

function webhooks(url: string) {
  return {
    event_subscriptions: { request_url: url, bot_events: BOT_EVENTS },
    interactivity: { is_enabled: true, request_url: url },
  };
}
