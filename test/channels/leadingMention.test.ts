import { describe, expect, test } from 'vitest';
import { slack } from '../../lib/channels/slack/index.ts';
import { teams } from '../../lib/channels/teams/index.ts';
import { telegram } from '../../lib/channels/telegram/index.ts';
import { createText } from '../../lib/channels/text/index.ts';
import type { IncomingMessage } from '../../lib/ports/chatApp.ts';
import type { AppName } from '../../lib/ports/tenants.ts';
import { BOT as SLACK_BOT, SlackPayloads } from '../standins/slack.ts';
import { GENERAL, LUNCH, TeamsPayloads } from '../standins/teams.ts';
import { person, Updates } from '../standins/telegram.ts';
import { NOW, encode as slackBody, channel as slackChannel } from './slack/channel.ts';
import { channel as teamsChannel } from './teams/channel.ts';
import { channel as telegramChannel } from './telegram/channel.ts';
import { MemoryReplies, channel as textChannel } from './text/channel.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const updates = new Updates();
const slackPayloads = new SlackPayloads(() => NOW / 1000);
const teamsPayloads = new TeamsPayloads();
const ANA = '29:1ana';

const inTeams = (rest: string, where = LUNCH) => ({
  ...teamsPayloads.mention('', ANA, where),
  text: `<at>Conch</at>${rest}`,
});
const MENTION = { type: 'mention', mentioned: { id: teamsChannel.bot?.id, name: 'Conch' }, text: '<at>Conch</at>' };

/** What each app reads of words behind the bot's name. Discord delivers no messages. */
const APPS: Record<Exclude<AppName, 'discord'>, Record<string, (rest: string) => unknown[]>> = {
  telegram: {
    'in a group': (rest) =>
      telegram.read(bytes(updates.groupMessage(`@acme_bot${rest}`, person(111, 'Ana'))), telegramChannel, NOW),
    privately: (rest) =>
      telegram.read(bytes(updates.privateMessage(`@acme_bot${rest}`, person(111, 'Ana'))), telegramChannel, NOW),
  },
  slack: {
    'in a channel': (rest) =>
      slack.read(slackBody(slackPayloads.inChannel(`<@${SLACK_BOT}>${rest}`)), slackChannel, NOW),
    privately: (rest) => slack.read(slackBody(slackPayloads.direct(`<@${SLACK_BOT}>${rest}`)), slackChannel, NOW),
  },
  teams: {
    'in a group': (rest) => teams.read(bytes(inTeams(rest)), teamsChannel, NOW),
    'in a team': (rest) => teams.read(bytes(inTeams(rest, GENERAL)), teamsChannel, NOW),
    privately: (rest) => {
      const activity = teamsPayloads.direct(`<at>Conch</at>${rest}`, ANA, { entities: [MENTION] });
      return teams.read(bytes(activity), teamsChannel, NOW);
    },
  },
  text: {
    'in a group': (rest) =>
      createText(new MemoryReplies()).read(
        bytes({ id: 'm1', chat: 'c', person: 'ana', group: true, text: `@conch${rest}` }),
        textChannel,
        NOW,
      ),
  },
};

const ways = Object.entries(APPS).flatMap(([app, all]) =>
  Object.entries(all).map(([way, read]) => ({ app, way, read: (rest: string) => read(rest)[0] as IncomingMessage })),
);

describe.each(ways)('SPEC 3.2, case A 8: a mention in front, $app, $way', ({ read }) => {
  test.each([
    [' will it rain?', 'will it rain?'],
    [', will it rain?', 'will it rain?'],
    [': and @Ben?', 'and @Ben?'],
    [' what about 1/2?', 'what about 1/2?'],
    [',will it rain?', 'will it rain?'],
    [':) you again', ':) you again'],
  ])('is no part of what the model reads: %j', (rest, text) => {
    expect(read(rest)).toMatchObject({ content: { text }, typed: text, addressed: true });
  });

  test.each([' /help', ', /help', ': /help', ' \u00a0/help', '\n/help', ',/help', ':/help'])(
    'is dropped before a command: %j',
    (rest) => {
      expect(read(rest)).toMatchObject({ typed: '/help', addressed: true, namesUs: true });
    },
  );

  test('alone, it is the message', () => {
    expect(read('').content.text).toMatch(/^@\w+$/);
  });
});
