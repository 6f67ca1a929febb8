import { expect, test } from 'vitest';
import { discord } from '../../../lib/channels/discord/index.ts';
import { slack } from '../../../lib/channels/slack/index.ts';
import { teams } from '../../../lib/channels/teams/index.ts';
import { telegram } from '../../../lib/channels/telegram/index.ts';
import type { Channel, ChatApp } from '../../../lib/ports/chatApp.ts';
import { channel as discordChannel } from '../discord/channel.ts';
import { channel as slackChannel } from '../slack/channel.ts';
import { channel as teamsChannel } from '../teams/channel.ts';
import { channel as telegramChannel } from '../telegram/channel.ts';

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9';

const APPS: readonly (readonly [ChatApp, Channel])[] = [
  [telegram, { ...telegramChannel, apiRoot: NOWHERE }],
  [discord, { ...discordChannel, apiRoot: NOWHERE }],
  [slack, { ...slackChannel, apiRoot: NOWHERE }],
  [teams, { ...teamsChannel, settings: { ...teamsChannel.settings, loginRoot: NOWHERE } }],
];

test.each(APPS)(
  'SPEC 14.1: an app that cannot be reached is no reason to change a channel’s fields',
  async (app, channel) => {
    const findings = await app.check(channel, { webhookUrl: 'https://conch.example/hook', now: 1 });
    const [unreachable] = findings;
    expect(unreachable).toMatchObject({ status: 'problem' });
    expect(JSON.stringify(unreachable)).toContain('cannot be reached');
    expect(JSON.stringify(findings)).not.toContain('put channel');
  },
);
