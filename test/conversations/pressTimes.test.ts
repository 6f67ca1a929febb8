import { expect, test } from 'vitest';
import { RING_SIZE } from '../../lib/domain/ring.ts';
import { Room } from './room.ts';

const types = async (room: Room) => (await room.events()).map((event) => ('type' in event ? event.type : ''));

test.each([
  ['/clea', '/clear', 'context.cleared'],
  ['/nwe', '/new', 'conversation.started'],
])(
  'SPEC 4.5: %s, then %s from the did-you-mean counts from the press, also after a newer message',
  async (typed, label, type) => {
    const room = await Room.open();
    await room.say('first');
    const offered = { ...(await room.say(typed)) };
    await room.say('and another thing');
    await room.press(label, 'ana', offered);
    expect((await types(room)).at(-1)).toBe(type);
  },
);

test('DESIGN 3a: a press that was overtaken by a message says so', async () => {
  const room = await Room.open();
  await room.say('first');
  const offered = { ...(await room.say('/clea')) };
  const pressedAt = room.now;
  await room.say('and another thing');
  await room.press('/clear', 'ana', offered, 'late', pressedAt);
  expect((await types(room)).at(-1)).toBe('command.ran');
});

test('DESIGN 3a: a press that comes again has one effect, also once the ring has forgotten it', async () => {
  const room = await Room.open();
  await room.say('first');
  const offered = { ...(await room.say('/clea')) };
  await room.say('and another thing');
  const item = await room.shownItem(offered);
  await room.press('/clear', 'ana', offered, 'p1');
  for (let n = 0; n < RING_SIZE + 4; n++) await room.say(`more ${n}`);
  const before = await types(room);
  // The process died before it deleted the item.
  if (item) await room.actions.put(item);
  await room.press('/clear', 'ana', offered, 'p2');
  expect(room.whispers.at(-1)).toBe('This button was used already.');
  expect(await types(room)).toEqual(before);
});
