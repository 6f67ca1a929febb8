import { join } from 'node:path';
import { afterAll } from 'vitest';
import { teams } from '../../../lib/channels/teams/index.ts';
import { commandLists } from '../../../lib/channels/teams/menu.ts';
import { renderWithin } from '../../../lib/channels/teams/render.ts';
import { chatAppContract } from '../../contracts/chatApp.ts';
import vectors from '../../fixtures/teams/vectors.json' with { type: 'json' };
import { direct, TeamsStandIn } from '../../standins/teams.ts';
import { cardIn, cardWords, refusedActivity } from '../../standins/teamsRules.ts';
import { shownText } from '../../standins/teamsText.ts';
import { at, NOW, signed, withToken } from './channel.ts';

const keys = await TeamsStandIn.start();
afterAll(() => keys.close());
const channel = at(keys);
const { apiRoot: _root, ...connected } = channel;

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const seconds = NOW / 1000;

chatAppContract({
  app: teams,
  channel: connected,
  unconfigured: { ...channel, secrets: {} },
  now: NOW,
  signed: (body) => signed(body),
  // The token is for the address that the body names, and for nothing else of it.
  bodies: {
    'a message': bytes(vectors.activity),
    'another body': bytes({ ...vectors.activity, type: 'unknown', text: 'Grüße 🎉' }),
  },
  tampered: {
    unsigned: (body) => withToken(body, undefined),
    'empty signature': (body) => withToken(body, `${signed(body).headers.authorization?.replace(/[^.]+$/, '')}`),
    'wrong secret': (body) => signed(body, { unendorsed: true }),
    'body changed': (body) =>
      withToken(
        bytes({ ...vectors.activity, serviceUrl: 'https://smba.trafficmanager.net/other/' }),
        `${signed(body).headers.authorization}`,
      ),
    'too old': (body) => signed(body, { claims: { exp: seconds - 301 } }),
    'too new': (body) => signed(body, { claims: { nbf: seconds + 301 } }),
  },
  fixtures: join(import.meta.dirname, '../../fixtures/teams'),
  decisions: {
    'a message in a private chat is for the bot (SPEC 3.5)': 'private-text',
    'a command in a private chat may run (SPEC 3.1)': 'private-command',
    'a message in a group that is not for the bot is not addressed (SPEC 3.5)': 'group-plain',
    'a reply to the bot in a group is addressed (SPEC 3.5)': 'quoted-reply-to-us',
    'a command that names the bot is addressed, without the name (SPEC 3.2)': 'mention-command',
    'a leading mention is dropped before a command (SPEC 3.2)': 'mention-command-in-html',
    'a mention in mid-text is addressed (SPEC 3.5)': 'mention-in-the-middle',
    'a command for another bot is no message of ours (SPEC 3.2)': 'other-bot',
    'a forward is content (SPEC 3.3)': 'forwarded',
    "a file's caption is content (SPEC 3.3)": 'file',
    'of a reply only the new words are typed (SPEC 3.3)': 'html-reply',
    'an edit is ignored (SPEC 3.3)': 'edited',
    'our own message is ignored (SPEC 3.4)': 'own-message',
    "another bot's message is ignored (SPEC 3.4)": 'other-bots-message',
    'an anonymous admin is ignored (SPEC 3.4)': { notPossible: 'everybody in Teams writes under their name' },
    'a channel post is ignored (SPEC 3.4)': { notPossible: 'people write in a channel of Teams, not the channel' },
    'a message in a thread goes back there (SPEC 13.7)': 'thread-reply',
    'a press names its action and choice (SPEC 11.1)': 'press',
    'a forged press names no action (SPEC 11.2)': 'press-forged',
    'the bot was blocked or removed': 'removed',
    'the bot was let back or added': 'installed',
  },
  renderWithin,
  textOf: (body) => {
    const card = cardIn(body);
    return card ? cardWords(card) : String(body.text);
  },
  shown: (text, { textFormat }) => (textFormat === 'markdown' ? shownText(text) : text),
  lengthOf: (text) => text.length,
  refusal: (body) => refusedActivity(body)?.code,
  sendFiles: async (files) => {
    const standIn = await TeamsStandIn.start();
    try {
      const sender = teams.sender(at(standIn));
      const results = [];
      for (const { to, file } of files) results.push(await sender.file(to, file, { timeoutMs: 5_000 }));
      const seen = standIn.messages.map(({ conversation, activity }) => {
        return { chat: conversation === direct('111') ? '111' : conversation, text: String(activity.text) };
      });
      return { results, seen };
    } finally {
      await standIn.close();
    }
  },
  publish: async (commands) => {
    const [list] = commandLists({ private: commands, group: [] });
    return { ok: true, names: (list?.commands ?? []).map(({ title }) => title.slice(1)) };
  },
});
