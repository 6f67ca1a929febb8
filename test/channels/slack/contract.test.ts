import { join } from 'node:path';
import { slack } from '../../../lib/channels/slack/index.ts';
import { renderWithin } from '../../../lib/channels/slack/render.ts';
import type { Incoming } from '../../../lib/ports/chatApp.ts';
import { type ChatAppDescriptor, chatAppContract } from '../../contracts/chatApp.ts';
import { directChannel, SlackStandIn, TEAM } from '../../standins/slack.ts';
import { refusedMessage } from '../../standins/slackRules.ts';
import { at, channel, encode, installed, NOW, SECRET, signed } from './channel.ts';

const withHeaders = (body: Uint8Array, headers: Record<string, string>) => ({ ...signed(body), headers });

const descriptor: ChatAppDescriptor = {
  app: slack,
  channel,
  unconfigured: { ...channel, secrets: {} },
  now: NOW,
  signed,
  encode,
  tampered: {
    unsigned: (body) => withHeaders(body, {}),
    'empty signature': (body) => withHeaders(body, { ...signed(body).headers, 'x-slack-signature': '' }),
    'wrong secret': (body) => signed(body, { secret: `${SECRET.slice(0, -1)}2` }),
    'body changed': (body) => ({ ...signed(body), body: Uint8Array.from([...body, 0x20]) }),
    'too old': (body) => signed(body, { seconds: NOW / 1000 - 301 }),
    'too new': (body) => signed(body, { seconds: NOW / 1000 + 301 }),
  },
  fixtures: join(import.meta.dirname, '../../fixtures/slack'),
  decisions: {
    'a message in a private chat is for the bot (SPEC 3.5)': 'private-text',
    'a command in a private chat may run (SPEC 3.1)': 'private-bang',
    'a message in a group that is not for the bot is not addressed (SPEC 3.5)': 'group-plain',
    'a reply to the bot in a group is addressed (SPEC 3.5)': 'reply-to-us',
    'a command that names the bot is addressed, without the name (SPEC 3.2)': 'mention-command',
    'a leading mention is dropped before a command (SPEC 3.2)': 'mention-bang',
    'a mention in mid-text is addressed (SPEC 3.5)': 'mention-in-the-middle',
    'a command for another bot is no message of ours (SPEC 3.2)': {
      notPossible: 'Slack gives a command to the app that it belongs to',
    },
    'a forward is content (SPEC 3.3)': 'forwarded',
    "a file's caption is content (SPEC 3.3)": 'file',
    'of a reply only the new words are typed (SPEC 3.3)': 'shared-with-words',
    'an edit is ignored (SPEC 3.3)': 'edited',
    'our own message is ignored (SPEC 3.4)': 'own-message',
    "another bot's message is ignored (SPEC 3.4)": 'other-bots-message',
    'an anonymous admin is ignored (SPEC 3.4)': { notPossible: 'everybody in Slack writes under their name' },
    'a channel post is ignored (SPEC 3.4)': { notPossible: 'people write in a channel of Slack, not the channel' },
    'a message in a thread goes back there (SPEC 13.7)': 'thread-reply',
    'a press names its action and choice (SPEC 11.1)': 'press',
    'a forged press names no action (SPEC 11.2)': 'press-forged',
    'the bot was blocked or removed': 'membership-left',
    'the bot was let back or added': 'membership-joined',
  },
  renderWithin,
  lengthOf: (text) => text.length,
  refusal: refusedMessage,
  sendFiles: async (files) => {
    const standIn = await SlackStandIn.start();
    try {
      const sender = slack.sender(at(standIn));
      const results = [];
      for (const { to, file } of files) results.push(await sender.file(to, file, { timeoutMs: 5_000 }));
      const seen = standIn.files.map(({ channel: chat, name, bytes }) => {
        return { chat: chat === directChannel('111') ? '111' : chat, name, text: new TextDecoder().decode(bytes) };
      });
      return { results, seen };
    } finally {
      await standIn.close();
    }
  },
  publish: { notPossible: 'Slack’s menu is the one /conch of the manifest' },
};

/** Chats and people say in which workspace, and nothing else is different. */
function within(one: Incoming): Incoming {
  if (one.kind === 'membership') return { ...one, chat: `${TEAM}:${one.chat}` };
  if (one.kind !== 'message' && one.kind !== 'press') return one;
  const { to, person } = one;
  return { ...one, to: { ...to, chat: `${TEAM}:${to.chat}` }, person: { ...person, id: `${TEAM}:${person.id}` } };
}

chatAppContract(descriptor);
chatAppContract({
  ...descriptor,
  kind: 'in many workspaces',
  channel: installed,
  unconfigured: { ...installed, secrets: {} },
  expected: (recorded) => recorded.map(within),
});
