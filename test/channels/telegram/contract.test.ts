import { join } from 'node:path';
import { telegram } from '../../../lib/channels/telegram/index.ts';
import { renderWithin } from '../../../lib/channels/telegram/render.ts';
import { chatAppContract } from '../../contracts/chatApp.ts';
import { TelegramStandIn } from '../../standins/telegram.ts';
import { firstOf, refusedKeyboard, refusedText } from '../../standins/telegramRules.ts';
import { channel, SECRET, signed } from './channel.ts';

const noSignature = { notPossible: 'Telegram signs nothing; the secret header is all there is' };
const noTime = { notPossible: 'a request of Telegram carries no time' };

chatAppContract({
  app: telegram,
  channel,
  unconfigured: { ...channel, secrets: {} },
  now: 1_790_000_500_000,
  signed,
  tampered: {
    unsigned: (body) => ({ ...signed(body), headers: {} }),
    'empty signature': (body) => signed(body, ''),
    'wrong secret': (body) => signed(body, `${SECRET.slice(0, -1)}!`),
    'body changed': noSignature,
    'too old': noTime,
    'too new': noTime,
  },
  fixtures: join(import.meta.dirname, '../../fixtures/telegram'),
  decisions: {
    'a message in a private chat is for the bot (SPEC 3.5)': 'private-text',
    'a command in a private chat may run (SPEC 3.1)': 'private-command',
    'a message in a group that is not for the bot is not addressed (SPEC 3.5)': 'group-plain',
    'a reply to the bot in a group is addressed (SPEC 3.5)': 'reply-to-us',
    'a command that names the bot is addressed, without the name (SPEC 3.2)': 'group-command-naming-us',
    'a leading mention is dropped before a command (SPEC 3.2)': 'leading-mention-command',
    'a mention in mid-text is addressed (SPEC 3.5)': 'mention-in-the-middle',
    'a command for another bot is no message of ours (SPEC 3.2)': 'command-for-another-bot',
    'a forward is content (SPEC 3.3)': 'forwarded-text',
    "a file's caption is content (SPEC 3.3)": 'photo-caption',
    'of a reply only the new words are typed (SPEC 3.3)': 'reply-quoting-somebody',
    'an edit is ignored (SPEC 3.3)': 'edited',
    'our own message is ignored (SPEC 3.4)': 'own-message',
    "another bot's message is ignored (SPEC 3.4)": 'other-bots-message',
    'an anonymous admin is ignored (SPEC 3.4)': 'anonymous-admin',
    'a channel post is ignored (SPEC 3.4)': 'channel-post',
    'a message in a thread goes back there (SPEC 13.7)': 'topic-command-with-quote',
    'a press names its action and choice (SPEC 11.1)': 'press',
    'a forged press names no action (SPEC 11.2)': 'press-forged',
    'the bot was blocked or removed': 'membership-blocked',
    'the bot was let back or added': 'membership-added',
  },
  renderWithin,
  lengthOf: (text) => [...text].length,
  refusal: (body) =>
    firstOf(
      () => refusedText(body),
      () => refusedKeyboard(body.reply_markup),
    ),
  sendFiles: async (files) => {
    const standIn = await TelegramStandIn.start();
    try {
      const sender = telegram.sender({ ...channel, apiRoot: standIn.root, secrets: { token: standIn.token } });
      const results = [];
      for (const { to, file } of files) results.push(await sender.file(to, file, { timeoutMs: 5_000 }));
      const seen = standIn
        .messages(111)
        .flatMap(({ chat, document }) =>
          document ? [{ chat: String(chat), name: document.name, text: document.text }] : [],
        );
      return { results, seen };
    } finally {
      await standIn.close();
    }
  },
  publish: async (commands) => {
    const standIn = await TelegramStandIn.start();
    try {
      const connected = { ...channel, apiRoot: standIn.root, secrets: { token: standIn.token } };
      const { ok } = await telegram.publishMenu(connected, { private: commands, group: commands.slice(0, 3) });
      return { ok, names: standIn.menus.get('all_private_chats')?.map(({ command }) => command) ?? [] };
    } finally {
      await standIn.close();
    }
  },
});
