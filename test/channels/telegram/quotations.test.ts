import { describe, expect, test } from 'vitest';
import { read } from '../../../lib/channels/telegram/read.ts';
import { group, person, Updates } from '../../standins/telegram.ts';
import { channel } from './channel.ts';

const BOT = { id: Number(channel.bot?.id), is_bot: true, first_name: 'Acme' };
const updates = new Updates(() => 1_790_000_000);
const body = (update: object) => new TextEncoder().encode(JSON.stringify(update));

function replyToUs(update: object) {
  const message = { ...(update as { message?: { chat?: object } }).message };
  const replied = { message_id: 4, date: 1, chat: message.chat, from: BOT, text: 'Ana, it is 42.' };
  return read(body({ ...update, message: { ...message, reply_to_message: replied } }), channel, 1)[0];
}

describe('SPEC 3.3: a reply to the bot’s own words', () => {
  test('in a group quotes them, since they may have answered somebody else', () =>
    expect(replyToUs(updates.groupMessage('What do you mean?', person(2, 'Ben'), group(-5)))).toMatchObject({
      addressed: true,
      content: { text: 'What do you mean?', quote: { text: 'Ana, it is 42.', by: 'Acme' } },
      typed: 'What do you mean?',
    }));

  test('in a private chat quotes nothing, since they are in the conversation', () => {
    const incoming = replyToUs(updates.privateMessage('What do you mean?', person(2, 'Ben')));
    expect(incoming).toMatchObject({ content: { text: 'What do you mean?' } });
    expect(JSON.stringify(incoming)).not.toContain('42');
  });
});
