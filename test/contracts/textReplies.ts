import { expect, test } from 'vitest';
import {
  TEXT_REPLIES_KNOWN,
  TEXT_REPLY_LIFE_MS,
  type TextChat,
  type TextReplies,
} from '../../lib/ports/textReplies.ts';

let counter = 0;
const freshChat = (): TextChat => ({ tenant: 'tenant', channelId: 'tenant.c', chat: `chat-${++counter}` });
const reply = (id: string, at: number) => ({ id, text: `text of ${id}`, at });

/** What every `TextReplies` does. @param make gives the store and moves its clock. */
export function textRepliesContract(make: () => { replies: TextReplies; now: { ms: number } }): void {
  test('replies are numbered from 1 and fetched behind a number (DESIGN 4)', async () => {
    const { replies, now } = make();
    const chat = freshChat();
    expect(await replies.after(chat, 0, 10)).toEqual([]);
    expect(await replies.append(chat, reply('a', now.ms))).toEqual({ seq: 1, ...reply('a', now.ms) });
    const odd = { id: 'ü#', text: '\ud800 👋\n', at: now.ms };
    expect(await replies.append(chat, odd)).toEqual({ seq: 2, ...odd });
    await replies.append(chat, reply('c', now.ms));
    expect(await replies.after(chat, 0, 2)).toEqual([
      { seq: 1, ...reply('a', now.ms) },
      { seq: 2, ...odd },
    ]);
    expect((await replies.after(chat, 1, 9)).map(({ seq }) => seq)).toEqual([2, 3]);
    expect(await replies.after(chat, 3, 9)).toEqual([]);
    expect(await replies.after(chat, 0, 0)).toEqual([]);
  });

  test('a reply that is sent again is the stored one (SPEC 2.3)', async () => {
    const { replies, now } = make();
    const chat = freshChat();
    const first = await replies.append(chat, reply('a', now.ms));
    await replies.append(chat, reply('b', now.ms));
    expect(await replies.append(chat, { ...reply('a', now.ms + 5), text: 'other' })).toEqual(first);
    expect(await replies.after(chat, 0, 9)).toHaveLength(2);
    for (let i = 2; i < TEXT_REPLIES_KNOWN; i++) await replies.append(chat, reply(`more-${i}`, now.ms));
    expect((await replies.append(chat, reply('a', now.ms))).seq).toBe(1);
    expect((await replies.append(chat, reply('z', now.ms))).seq).toBe(TEXT_REPLIES_KNOWN + 1);
    expect(await replies.edit(chat, 'a', 'too old')).toBe(false);
    expect((await replies.after(chat, 0, 1))[0]?.text).toBe('text of a');
  });

  test('12 replies that race are numbered without a gap, each once though sent twice (SPEC 2.2, 2.3)', async () => {
    const { replies, now } = make();
    const chat = freshChat();
    const ids = Array.from({ length: 12 }, (_, i) => `r-${i}`);
    const sent = await Promise.all([...ids, ...ids].map((id) => replies.append(chat, reply(id, now.ms))));
    const stored = await replies.after(chat, 0, 100);
    expect(stored.map(({ seq }) => seq)).toEqual(ids.map((_, i) => i + 1));
    expect(stored.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const one of sent) expect(stored).toContainEqual(one);
  });

  test('an edit changes the text alone; one of an unknown reply changes nothing (DESIGN 3, Replies)', async () => {
    const { replies, now } = make();
    const chat = freshChat();
    for (const id of ['a', 'b', 'c']) await replies.append(chat, reply(id, now.ms));
    expect(await replies.edit(chat, 'b', 'new 👋 \udfff')).toBe(true);
    expect(await replies.edit(chat, 'x', 'lost')).toBe(false);
    expect(await replies.edit(freshChat(), 'b', 'lost')).toBe(false);
    expect((await replies.after(chat, 0, 9)).map(({ text }) => text)).toEqual([
      ...['text of a', 'new 👋 \udfff', 'text of c'],
    ]);
  });

  test('the newest reply is known by its id, also when it can be fetched no more (SPEC 11.4)', async () => {
    const { replies, now } = make();
    const chat = freshChat();
    expect(await replies.newest(chat)).toBeUndefined();
    for (const id of ['a', 'b']) await replies.append(chat, reply(id, now.ms));
    expect(await replies.newest(chat)).toBe('b');
    now.ms += TEXT_REPLY_LIFE_MS;
    expect(await replies.newest(chat)).toBe('b');
    expect(await replies.newest(freshChat())).toBeUndefined();
  });

  test('chats are kept apart, whatever their names (SPEC 1)', async () => {
    const { replies, now } = make();
    await replies.append({ tenant: 'a:b', channelId: 'c', chat: 'd' }, reply('1', now.ms));
    expect(await replies.after({ tenant: 'a', channelId: 'b:c', chat: 'd' }, 0, 9)).toEqual([]);
    expect(await replies.after({ tenant: 'a:b', channelId: 'c:d', chat: 'd' }, 0, 9)).toEqual([]);
  });

  test('a reply is given for 7 days, and the numbers go on after that', async () => {
    const { replies, now } = make();
    const chat = freshChat();
    const began = now.ms;
    await replies.append(chat, reply('old', began));
    now.ms = began + TEXT_REPLY_LIFE_MS - 1;
    expect(await replies.after(chat, 0, 9)).toHaveLength(1);
    now.ms = began + TEXT_REPLY_LIFE_MS;
    expect(await replies.after(chat, 0, 9)).toEqual([]);
    expect((await replies.append(chat, reply('new', now.ms))).seq).toBe(2);
    expect((await replies.after(chat, 0, 1)).map(({ id }) => id)).toEqual(['new']);
  });
}
