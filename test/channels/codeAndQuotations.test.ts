import { describe, expect, test } from 'vitest';
import { slack } from '../../lib/channels/slack/index.ts';
import { teams } from '../../lib/channels/teams/index.ts';
import { telegram } from '../../lib/channels/telegram/index.ts';
import { createText } from '../../lib/channels/text/index.ts';
import { parseChatCommand } from '../../lib/commands/parse.ts';
import type { Incoming, IncomingMessage } from '../../lib/ports/chatApp.ts';
import { BOT as SLACK_BOT, SlackPayloads } from '../standins/slack.ts';
import { LUNCH, TeamsPayloads } from '../standins/teams.ts';
import { person, Updates } from '../standins/telegram.ts';
import { NOW, encode as slackBody, channel as slackChannel } from './slack/channel.ts';
import { channel as teamsChannel } from './teams/channel.ts';
import { channel as telegramChannel } from './telegram/channel.ts';
import { MemoryReplies, channel as textChannel } from './text/channel.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const first = (read: Incoming[]) => read[0] as IncomingMessage;
const [updates, ana] = [new Updates(), person(111, 'Ana')];
const slackPayloads = new SlackPayloads(() => NOW / 1000);
const teamsPayloads = new TeamsPayloads();
/** What an app has read runs a command. */
const runs = ({ typed }: IncomingMessage) => typed !== undefined && parseChatCommand(typed) !== undefined;

function inTelegram(text: string, part: string, type: string, where: 'privately' | 'in a group' = 'privately') {
  const entities = [{ type, offset: text.indexOf(part), length: part.length }];
  const update =
    where === 'privately'
      ? updates.privateMessage(text, ana, { entities })
      : updates.groupMessage(text, ana, undefined, { entities });
  return first(telegram.read(bytes(update), telegramChannel, NOW));
}

describe('a command in code or a quotation is content (SPEC 3.3, case A 13): Telegram', () => {
  test.each(['code', 'pre', 'blockquote', 'expandable_blockquote'])('%s', (type) => {
    const message = inTelegram('/clear', '/clear', type);
    expect(message.content.text).toBe('/clear');
    expect(message.typed).toBeUndefined();
  });

  test.each(['/clear@acme_bot', '/clear@other_bot'])('of a group, nobody is addressed by it: %s', (text) => {
    const message = inTelegram(text, text, 'pre', 'in a group');
    expect(message).toMatchObject({ kind: 'message', content: { text }, addressed: false, namesUs: false });
    expect(message.typed).toBeUndefined();
  });

  test('behind a mention, which still says whom it is for', () => {
    const text = '@acme_bot /clear@acme_bot';
    const entities = [
      { type: 'mention', offset: 0, length: 9 },
      { type: 'code', offset: 10, length: 15 },
    ];
    const update = updates.groupMessage(text, ana, undefined, { entities });
    const message = first(telegram.read(bytes(update), telegramChannel, NOW));
    expect(message).toMatchObject({ content: { text: '/clear@acme_bot' }, addressed: true, namesUs: false });
    expect(message.typed).toBeUndefined();
  });

  test('code among a command’s words, and a command’s look, change nothing', () => {
    expect(inTelegram('/plan mend /etc/x', '/etc/x', 'code').typed).toBe('/plan mend /etc/x');
    expect(inTelegram('/clear', '/clear', 'bold').typed).toBe('/clear');
  });
});

function inTeams(text: string, html: string, fields: object = {}) {
  const attachments = [{ contentType: 'text/html', content: html }];
  return first(teams.read(bytes(teamsPayloads.direct(text, '29:1ana', { attachments, ...fields })), teamsChannel, NOW));
}

describe('a command in code or a quotation is content (SPEC 3.3, case A 13): Teams', () => {
  test.each([
    '<codeblock class="language-plaintext"><code>/clear</code></codeblock>',
    '<p><code>/clear</code></p>',
    '<pre>\n/clear</pre>',
    '<p>&nbsp;</p><blockquote><p>&#47;clear</p></blockquote>',
  ])('%s', (html) => {
    const message = inTeams('/clear', html);
    expect(message.content.text).toBe('/clear');
    expect(message.typed).toBeUndefined();
  });

  test('behind a mention', () => {
    const activity = teamsPayloads.mention('/clear', '29:1ana', LUNCH);
    const html = '<p><span itemtype="http://schema.skype.com/Mention" itemid="0">and/or</span> <code>/clear</code></p>';
    const attachments = [{ contentType: 'text/html', content: html }];
    const message = first(teams.read(bytes({ ...activity, attachments }), teamsChannel, NOW));
    expect(message).toMatchObject({ content: { text: '/clear' }, addressed: true, namesUs: false });
    expect(message.typed).toBeUndefined();
  });

  test('code among a command’s words, and a command’s look, change nothing', () => {
    expect(inTeams('/plan mend x', '<p>/plan mend <code>x</code></p>').typed).toBe('/plan mend x');
    expect(inTeams('/clear', '<p><b>/clear</b></p>').typed).toBe('/clear');
    expect(inTeams('so\n/clear', '<blockquote>so</blockquote>/clear').typed).toBe('so\n/clear');
  });
});

test.each(['`/clear`', '```\n/clear\n```', '&gt; /clear', '`!clear`'])(
  'a command in code or a quotation is content (SPEC 3.3, case A 13): Slack, %j',
  (text) => {
    for (const message of [slackPayloads.direct(text), slackPayloads.inChannel(`<@${SLACK_BOT}> ${text}`)]) {
      expect(runs(first(slack.read(slackBody(message), slackChannel, NOW)))).toBe(false);
    }
  },
);

test.each(['`/clear`', '```\n/clear\n```', '> /clear', '    `/clear`'])(
  'a command in code or a quotation is content (SPEC 3.3, case A 13): the text app, %j',
  (text) => {
    const read = createText(new MemoryReplies()).read(
      bytes({ id: 'm', chat: 'c', person: 'a', text }),
      textChannel,
      NOW,
    );
    expect(runs(first(read))).toBe(false);
  },
);
