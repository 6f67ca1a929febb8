import { join } from 'node:path';
import { discord } from '../../../lib/channels/discord/index.ts';
import { renderWithin } from '../../../lib/channels/discord/render.ts';
import { chatAppContract } from '../../contracts/chatApp.ts';
import { DiscordStandIn, shownText } from '../../standins/discord.ts';
import { refusedMessage } from '../../standins/discordRules.ts';
import { channel, NOW, signatureOf, signed, withHeaders } from './channel.ts';

const notDelivered = { notPossible: 'Discord delivers no messages over HTTP, only interactions' };
const noAge = { notPossible: 'Discord names no limit; what comes again is found by its id' };

chatAppContract({
  app: discord,
  channel,
  unconfigured: { ...channel, settings: {}, secrets: {} },
  now: NOW,
  signed,
  tampered: {
    unsigned: (body) => withHeaders(body, {}),
    'empty signature': (body) => withHeaders(body, { ...signed(body).headers, 'x-signature-ed25519': '' }),
    'wrong secret': (body) => withHeaders(body, { ...signed(body).headers, 'x-signature-ed25519': 'ab'.repeat(64) }),
    'body changed': (body) =>
      withHeaders(body, {
        ...signed(body).headers,
        'x-signature-ed25519': signatureOf(Uint8Array.from([...body, 32])),
      }),
    'too old': noAge,
    'too new': noAge,
  },
  fixtures: join(import.meta.dirname, '../../fixtures/discord'),
  decisions: {
    'a message in a private chat is for the bot (SPEC 3.5)': 'ask-private',
    'a command in a private chat may run (SPEC 3.1)': 'command-with-text',
    'a message in a group that is not for the bot is not addressed (SPEC 3.5)': notDelivered,
    'a reply to the bot in a group is addressed (SPEC 3.5)': notDelivered,
    'a command that names the bot is addressed, without the name (SPEC 3.2)': 'command-guild',
    'a leading mention is dropped before a command (SPEC 3.2)': notDelivered,
    'a mention in mid-text is addressed (SPEC 3.5)': 'ask-guild',
    'a command for another bot is no message of ours (SPEC 3.2)': 'other-application',
    'a forward is content (SPEC 3.3)': 'message-command-forward',
    "a file's caption is content (SPEC 3.3)": 'message-command-file',
    'of a reply only the new words are typed (SPEC 3.3)': notDelivered,
    'an edit is ignored (SPEC 3.3)': notDelivered,
    'our own message is ignored (SPEC 3.4)': notDelivered,
    "another bot's message is ignored (SPEC 3.4)": 'command-by-bot',
    'an anonymous admin is ignored (SPEC 3.4)': { notPossible: 'everybody in Discord has a name' },
    'a channel post is ignored (SPEC 3.4)': { notPossible: 'people write in a channel of Discord, not the channel' },
    'a message in a thread goes back there (SPEC 13.7)': { notPossible: 'a thread is a channel of its own' },
    'a press names its action and choice (SPEC 11.1)': 'press',
    'a forged press names no action (SPEC 11.2)': 'press-forged',
    'the bot was blocked or removed': 'event-deauthorized',
    'the bot was let back or added': 'event-authorized',
  },
  renderWithin,
  shown: shownText,
  lengthOf: (text) => text.length,
  refusal: (body) => refusedMessage(body),
  sendFiles: async (files) => {
    const standIn = await DiscordStandIn.start();
    try {
      const sender = discord.sender({ ...channel, apiRoot: standIn.root, secrets: { botToken: standIn.botToken } });
      const results = [];
      for (const { to, file } of files) results.push(await sender.file(to, file, { timeoutMs: 5_000 }));
      const chatOf = (id: string) => (id === standIn.direct('111') ? '111' : id);
      const seen = standIn.messages.flatMap(({ channel: id, file }) => (file ? [{ chat: chatOf(id), ...file }] : []));
      return { results, seen };
    } finally {
      await standIn.close();
    }
  },
  publish: async (commands) => {
    const standIn = await DiscordStandIn.start();
    try {
      const connected = { ...channel, apiRoot: standIn.root, secrets: { botToken: standIn.botToken } };
      const menu = { private: [{ name: 'ask', description: 'Ask' }, ...commands], group: commands.slice(0, 3) };
      const { ok } = await discord.publishMenu(connected, menu);
      const names = standIn.commands.map(({ name }) => String(name));
      return { ok, names: names.filter((name) => name !== 'ask') };
    } finally {
      await standIn.close();
    }
  },
});
