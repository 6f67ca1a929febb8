import { join } from 'node:path';
import { createText } from '../../../lib/channels/text/index.ts';
import { renderWithin } from '../../../lib/channels/text/render.ts';
import { signatureHeaders } from '../../../lib/channels/text/verify.ts';
import type { WebhookRequest } from '../../../lib/ports/chatApp.ts';
import { chatAppContract } from '../../contracts/chatApp.ts';
import { channel, MemoryReplies, NOW, SECRET, signed } from './channel.ts';

const noBots = { notPossible: 'only the client writes to the webhook, for people' };
const plainText = { notPossible: 'a message is nothing but its text' };
const noButtons = { notPossible: 'the text app has no buttons' };

const withHeaders = (body: Uint8Array, headers: Record<string, string>): WebhookRequest => ({
  ...signed(body),
  headers,
});

chatAppContract({
  app: createText(new MemoryReplies()),
  channel,
  unconfigured: { ...channel, secrets: {} },
  now: NOW,
  signed,
  tampered: {
    unsigned: (body) => withHeaders(body, {}),
    'empty signature': (body) => withHeaders(body, { ...signed(body).headers, 'x-conch-signature': '' }),
    'wrong secret': (body) => withHeaders(body, signatureHeaders(`${SECRET}x`, body, NOW)),
    'body changed': (body) => ({ ...signed(body), body: Uint8Array.from([...body, 0x20]) }),
    'too old': (body) => withHeaders(body, signatureHeaders(SECRET, body, NOW - 301_000)),
    'too new': (body) => withHeaders(body, signatureHeaders(SECRET, body, NOW + 301_000)),
  },
  fixtures: join(import.meta.dirname, '../../fixtures/text'),
  decisions: {
    'a message in a private chat is for the bot (SPEC 3.5)': 'private-text',
    'a command in a private chat may run (SPEC 3.1)': 'private-command',
    'a message in a group that is not for the bot is not addressed (SPEC 3.5)': 'group-plain',
    'a reply to the bot in a group is addressed (SPEC 3.5)': 'group-mentioned',
    'a command that names the bot is addressed, without the name (SPEC 3.2)': 'group-command-naming-us',
    'a leading mention is dropped before a command (SPEC 3.2)': 'leading-mention-command',
    'a mention in mid-text is addressed (SPEC 3.5)': 'group-mentioned',
    'a command for another bot is no message of ours (SPEC 3.2)': 'command-for-another-bot',
    'a forward is content (SPEC 3.3)': plainText,
    "a file's caption is content (SPEC 3.3)": plainText,
    'of a reply only the new words are typed (SPEC 3.3)': plainText,
    'an edit is ignored (SPEC 3.3)': { notPossible: 'a message cannot be edited' },
    'our own message is ignored (SPEC 3.4)': noBots,
    "another bot's message is ignored (SPEC 3.4)": noBots,
    'an anonymous admin is ignored (SPEC 3.4)': noBots,
    'a channel post is ignored (SPEC 3.4)': noBots,
    'a message in a thread goes back there (SPEC 13.7)': { notPossible: 'a chat has no threads' },
    'a press names its action and choice (SPEC 11.1)': noButtons,
    'a forged press names no action (SPEC 11.2)': noButtons,
    'the bot was blocked or removed': { notPossible: 'a client that is gone does not say so' },
    'the bot was let back or added': { notPossible: 'a client that is gone does not say so' },
  },
  renderWithin,
  lengthOf: (text) => [...text].length,
  refusal: ({ text }) => (typeof text === 'string' && text && text.isWellFormed() ? undefined : 'no text'),
  sendFiles: async (files) => {
    const replies = new MemoryReplies();
    const sender = createText(replies).sender(channel);
    const results = [];
    for (const { to, file } of files) results.push(await sender.file(to, file, { timeoutMs: 5_000 }));
    const stored = await replies.after({ tenant: channel.tenant, channelId: channel.id, chat: '111' }, 0, 100);
    return { results, seen: stored.map(({ text }) => ({ chat: '111', text })) };
  },
  publish: { notPossible: 'the text app has no menu' },
});
