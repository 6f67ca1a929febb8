import { describe, expect, test } from 'vitest';
import { slack } from '../../lib/channels/slack/index.ts';
import { teams } from '../../lib/channels/teams/index.ts';
import { telegram } from '../../lib/channels/telegram/index.ts';
import { createText } from '../../lib/channels/text/index.ts';
import { parseChatCommand } from '../../lib/commands/parse.ts';
import type { IncomingMessage } from '../../lib/ports/chatApp.ts';
import type { AppName } from '../../lib/ports/tenants.ts';
import { BOT as SLACK_BOT, SlackPayloads } from '../standins/slack.ts';
import { LUNCH, TeamsPayloads } from '../standins/teams.ts';
import { person, Updates } from '../standins/telegram.ts';
import { NOW, encode as slackBody, channel as slackChannel } from './slack/channel.ts';
import { channel as teamsChannel } from './teams/channel.ts';
import { channel as telegramChannel } from './telegram/channel.ts';
import { MemoryReplies, channel as textChannel } from './text/channel.ts';

/** How words reach the bot in an app: in a private chat, behind its name in a group, and in any other way that it has. */
type Ways = Record<string, (mark: string) => unknown>;
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const [updates, ana] = [new Updates(), person(111, 'Ana')];
const slackPayloads = new SlackPayloads(() => NOW / 1000);
const teamsPayloads = new TeamsPayloads();
const written = { id: 'm1', chat: 'c', person: 'ana' };

/** Discord delivers what was chosen in its menu, and what `/ask` carries is never a command. */
const APPS: Record<Exclude<AppName, 'discord'>, { ways: Ways; read(body: unknown): unknown[] }> = {
  telegram: {
    read: (body) => telegram.read(bytes(body), telegramChannel, NOW),
    ways: {
      privately: (mark) => updates.privateMessage(`${mark}/clear`, ana),
      'behind the name': (mark) => updates.groupMessage(`${mark}@acme_bot ${mark}/clear`, ana),
      'behind a name without a user name': (mark) => {
        const text = `${mark}Acme ${mark}/clear`;
        const mention = { type: 'text_mention', offset: mark.length, length: 4, user: { id: 999, is_bot: true } };
        return updates.groupMessage(text, ana, undefined, { entities: [mention] });
      },
    },
  },
  slack: {
    read: (body) => slack.read(slackBody(body), slackChannel, NOW),
    ways: {
      privately: (mark) => slackPayloads.direct(`${mark}!clear`),
      'behind the name': (mark) => slackPayloads.inChannel(`${mark}<@${SLACK_BOT}> ${mark}!clear`),
      'behind the name, with a slash': (mark) => slackPayloads.inChannel(`${mark}<@${SLACK_BOT}> ${mark}/clear`),
      'behind /conch': (mark) => {
        const at = { channel: 'D0ALICE01', responseUrl: 'https://hooks.slack.com/x' };
        return slackPayloads.command(`${mark}clear`, 'U0ALICE01', at);
      },
    },
  },
  teams: {
    read: (body) => teams.read(bytes(body), teamsChannel, NOW),
    ways: {
      privately: (mark) => teamsPayloads.direct(`${mark}/clear`, '29:1ana'),
      'behind the name': (mark) => {
        const activity = teamsPayloads.mention('', '29:1ana', LUNCH);
        return { ...activity, text: `${mark}<at>Conch</at> ${mark}/clear` };
      },
    },
  },
  text: {
    read: (body) => createText(new MemoryReplies()).read(bytes(body), textChannel, NOW),
    ways: {
      privately: (mark) => ({ ...written, text: `${mark}/clear` }),
      'behind the name': (mark) => ({ ...written, group: true, text: `${mark}@conch ${mark}/clear` }),
    },
  },
};

const MARKS = ['\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\ufeff', '\u00a0', ' \n\t'];

describe.each(Object.entries(APPS))(
  'a command behind what nobody sees is one (SPEC 3.1, 3.2): %s',
  (_app, { ways, read }) => {
    const cases = Object.entries(ways).flatMap(([way, write]) => MARKS.map((mark) => ({ way, mark, write })));

    test.each(cases)('$way, $mark', ({ mark, write }) => {
      const [message] = read(write(mark)) as IncomingMessage[];
      expect(message).toMatchObject({ kind: 'message', addressed: true });
      expect(parseChatCommand(message?.typed ?? '')).toEqual({ name: 'clear', args: '' });
      if (message?.to.group) expect(message.namesUs).toBe(true);
    });
  },
);
