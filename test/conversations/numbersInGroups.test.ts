import { describe, expect, test } from 'vitest';
import { Room } from './room.ts';

const limits = { hasButtons: false, buttonLimit: 9 };
const IN_GROUP = { group: true };
const ASIDE = { group: true, addressed: false };

describe('numbers in a group (SPEC 11.4)', () => {
  /** The bot’s last message in the group of a text app offers Ana to go back. */
  async function offered() {
    const room = await Room.open({ limits, access: 'anyone' });
    await room.say('Remember whales', 'ana', IN_GROUP);
    await room.say('/new', 'ana', IN_GROUP);
    expect(room.last.labels).toEqual(['Go back']);
    return room;
  }

  test('whoever answers the bot’s last message to them need not address it', async () => {
    const room = await offered();
    expect((await room.say('1', 'ana', ASIDE)).text).toMatch(/^You are back/u);
  });

  test.each(['before', 'after'] as const)(
    'SPEC 2.3: an answer that comes again after a crash %s a call',
    async (when) => {
      for (let call = 1; call <= 12; call++) {
        const room = await offered();
        const events = (await room.events('ana', true)).length;
        room.fault = { call: room.calls + call, when };
        await room.say('1', 'ana', { ...ASIDE, id: 'pick' }).catch(() => undefined);
        room.fault = undefined;
        await room.say('1', 'ana', { ...ASIDE, id: 'pick' });
        expect(room.last.text, `call ${call}`).toMatch(/^You are back/u);
        expect(await room.events('ana', true)).toHaveLength(events + 1);
      }
    },
  );

  test('what is not addressed and answers nothing is silence', async () => {
    const room = await offered();
    const before = room.messages.length;
    for (const text of ['2', 'yes', 'so']) await room.say(text, 'ana', ASIDE);
    for (const text of ['1', 'yes']) await room.say(text, 'ben', ASIDE);
    expect(room.messages).toHaveLength(before);
    expect(await room.events('ben', true)).toEqual([]);
  });

  test('a number counts no more once the bot has said something to somebody else there', async () => {
    const room = await offered();
    await room.say('/help', 'ben', IN_GROUP);
    const before = room.messages.length;
    await room.say('1', 'ana', ASIDE);
    expect(room.messages).toHaveLength(before);
    await room.say('1', 'ana', IN_GROUP);
    expect((await room.events('ana', true)).at(-1)).toMatchObject({ type: 'message', content: { text: '1' } });
  });

  test('choices that somebody else was shown earlier do not matter', async () => {
    const room = await Room.open({ limits, access: 'anyone' });
    for (const who of ['ben', 'ana']) {
      await room.say('Remember whales', who, IN_GROUP);
      await room.say('/new', who, IN_GROUP);
    }
    expect((await room.say('1', 'ana', ASIDE)).text).toMatch(/^You are back/u);
  });
});
