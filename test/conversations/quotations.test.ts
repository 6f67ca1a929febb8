import { describe, expect, test } from 'vitest';
import { contentOf } from '../../lib/domain/events.ts';
import { Room } from './room.ts';

const quote = { text: 'The report says 7.', by: 'Ben' };

/** What the newest message holds, as the model gets it. */
async function sent(room: Room) {
  const events = await room.events();
  const newest = events.findLast((event) => 'content' in event);
  return contentOf({ ...{ type: '', seq: 0, id: '', at: 0 }, data: newest });
}

describe('SPEC 3.3: what a person replies to goes along with the message that comes of a command', () => {
  test.each([
    ['/new check this', 'check this'],
    ['/plan check this', 'check this'],
    ['/review check this', 'To review: check this'],
    ['/review', 'To review: The words that are quoted with this message.'],
    ['/ask check this', 'check this'],
    ['check this', 'check this'],
  ])('%s', async (words, text) => {
    const room = await Room.open({ limits: { deliversMessages: false } });
    await room.say(words, 'ana', { quote });
    const content = await sent(room);
    expect(content?.text).toContain(text);
    expect(content?.quote).toEqual(quote);
  });

  test.each([
    ['Send as a message', '/rview these'],
    ['/review', 'To review: these'],
  ])('“%s” under an unknown name', async (label, text) => {
    const room = await Room.open();
    await room.say('/rview these', 'ana', { quote });
    await room.say('something else');
    const offered = room.messages.find(({ labels }) => labels.includes(label));
    await room.press(label, 'ana', offered);
    const content = await sent(room);
    expect(content?.text).toContain(text);
    expect(content?.quote).toEqual(quote);
  });

  test('a number in an app without buttons takes it along too', async () => {
    const room = await Room.open({ limits: { hasButtons: false } });
    await room.say('/rview these', 'ana', { quote });
    await room.say(String(room.last.labels.indexOf('Send as a message') + 1));
    expect(await sent(room)).toMatchObject({ text: '/rview these', quote });
  });

  test('a quotation counts with the length of what is sent', async () => {
    const room = await Room.open();
    const long = { text: 'x'.repeat(59_990) };
    expect((await room.say('/new check this please', 'ana', { quote: long })).text).toContain('too long');
    expect((await room.say('/rview these', 'ana', { quote: long })).text).toContain('too long');
  });
});
