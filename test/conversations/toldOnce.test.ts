import { describe, expect, test } from 'vitest';
import { claimHash } from '../../lib/conversations/access.ts';
import { type Fault, Room } from './room.ts';

const NOT_LET_IN = 'The owner of this bot has to let you in before I can answer.';
const LOCKED = 'Too many wrong codes. Try again in an hour.';
const WRONG = 'That code is not right. Check it, or ask for a new one.';
const DAY_MS = 86_400_000;
const BEN = ['t', 't.room', 'ben'] as const;

/** What was said to Ben, wherever he wrote: all but the owner's own chat. */
const told = (room: Room) => room.messages.filter(({ chat }) => chat !== 'ana').map(({ text }) => text);

describe('SPEC 9.3: a stranger hears once, wherever they write', () => {
  test('three mentions in a channel, each in a thread of its own, then a private message: one word, one event', async () => {
    const room = await Room.open({ access: 'list' });
    for (const thread of ['1', '2', '3']) await room.say('hi', 'ben', { group: true, thread });
    await room.say('hi', 'ben');
    expect(told(room)).toEqual([`${NOT_LET_IN} I have asked them.`]);
    expect(await room.events('ben')).toEqual([]);
    expect(await Array.fromAsync(room.log.places('t'))).toHaveLength(2); // one of Ben's, and the owner's
  });

  test('of twenty at once in as many threads one is told', async () => {
    const room = await Room.open({ access: 'owner' });
    await Promise.all(Array.from({ length: 20 }, (_, n) => room.say('hi', 'ben', { group: true, thread: `t${n}` })));
    expect(told(room)).toEqual(['This bot answers its owner only.']);
  });

  test('each reason once: the rule of the channel changes, and they hear the new one', async () => {
    const room = await Room.open({ access: 'owner' });
    await room.say('hi', 'ben', { thread: '1' });
    await room.own('ana', 'list');
    await room.say('hi', 'ben', { thread: '2' });
    await room.say('hi', 'ben', { thread: '3' });
    expect(told(room)).toEqual(['This bot answers its owner only.', `${NOT_LET_IN} I have asked them.`]);
  });

  test('where nobody can let them in nothing stays for ever: after thirty days they are told again', async () => {
    const room = await Room.open({ access: 'owner' });
    await room.say('hi', 'ben');
    room.now += 30 * DAY_MS - 5_000;
    expect((await room.say('hi', 'ben')).text).toBe('');
    room.now += 5_000;
    expect((await room.say('hi', 'ben')).text).toBe('This bot answers its owner only.');
  });

  test('let in, and put out before they wrote: they are told once more', async () => {
    const room = await Room.open({ access: 'list' });
    await room.say('hi', 'ben');
    await room.press(
      'Let in',
      'ana',
      room.messages.find(({ labels }) => labels.includes('Let in')),
    );
    await room.say('/people');
    await room.press('Put out ben');
    expect((await room.say('hello?', 'ben', { thread: '1' })).text).toBe(NOT_LET_IN);
    expect((await room.say('hello?', 'ben', { thread: '2' })).text).toBe('');
    expect((await room.say('hello?', 'ben')).text).toBe('');
  });

  test('who wrote while anyone could is told when that is over', async () => {
    const room = await Room.open({ access: 'list' });
    await room.say('hi', 'ben');
    await room.own('ana', 'anyone');
    await room.say('hi', 'ben');
    await room.own('ana', 'list');
    expect((await room.say('hi', 'ben')).text).toBe(NOT_LET_IN);
    expect((await room.say('hi', 'ben')).text).toBe('');
  });

  test('who asked before this was noted with them is not told again', async () => {
    const room = await Room.open({ access: 'list' });
    await room.tenants.putPerson('t', 't.room', {
      id: 'ben',
      status: 'asked',
      asked: { key: 'k', to: { chat: 'ben' } },
    });
    expect((await room.say('hi', 'ben')).text).toBe('');
  });
});

describe('SPEC 2.3: whatever dies in between', () => {
  /** Ben writes, the process dies at this call, and then he writes elsewhere. */
  async function dies(fault: Fault | undefined, after: (room: Room) => Promise<unknown>): Promise<Room> {
    const room = await Room.open({ access: 'list' });
    room.fault = fault;
    await room.say('hi', 'ben', { thread: '1', id: 'first' }).catch(() => undefined);
    room.fault = undefined;
    await after(room);
    return room;
  }

  const everyFault = async () => {
    const { calls } = await dies(undefined, async () => undefined);
    const numbers = Array.from({ length: calls }, (_, n) => n + 1);
    return numbers.flatMap((call) => (['before', 'after'] as const).map((when) => ({ call, when })));
  };

  test('an app that does not deliver again: a minute later another message tells them, wherever it is sent', async () => {
    let twice = 0;
    for (const fault of await everyFault()) {
      const room = await dies(fault, async (one) => {
        one.now += 61_000;
        await one.say('hello?', 'ben', { thread: '2' });
        await one.say('hello??', 'ben', { thread: '3' });
      });
      expect([1, 2], JSON.stringify(fault)).toContain(told(room).length);
      if (told(room).length === 2) twice++;
    }
    expect(twice).toBeGreaterThan(0); // those that died behind the answer
  });

  test('an app that delivers again: told by that message, and by no other meanwhile', async () => {
    for (const fault of await everyFault()) {
      const room = await dies(fault, async (one) => {
        await one.say('hello?', 'ben', { thread: '2' });
        await one.say('hi', 'ben', { thread: '1', id: 'first' });
        await one.say('hello??', 'ben', { thread: '3' });
      });
      expect([1, 2], JSON.stringify(fault)).toContain(told(room).length);
      expect((await room.tenants.check(...BEN)).person).toMatchObject({ status: 'asked' });
    }
  });
});

describe('SPEC 9.4: at most once a minute for one person, wherever they write', () => {
  test('a limit is told in one of many threads', async () => {
    const room = await Room.open({ settings: { messagesPerMinute: 1 } });
    for (const thread of ['1', '2', '3', '4']) await room.say('hi', 'ben', { group: true, thread });
    expect(told(room)).toEqual([
      'I take at most 1 message a minute from one person. Please send it again in 59 seconds.',
    ]);
    room.now += 29_000;
    await room.say('hi', 'ben', { thread: '5' });
    expect(told(room)).toHaveLength(1);
  });

  test('so is one of the whole tenant, of twenty at once', async () => {
    const room = await Room.open({ settings: { turnsPerDay: 0 } });
    await Promise.all(Array.from({ length: 20 }, (_, n) => room.say('hi', 'ben', { thread: `t${n}` })));
    expect(told(room)).toHaveLength(1);
    room.now += 60_000;
    await room.say('hi', 'ben', { thread: 'next' });
    expect(told(room)).toHaveLength(2);
    await room.say('hi', 'cy');
    expect(told(room)).toHaveLength(3);
  });

  test('a crash before the event: the message that comes again tells it', async () => {
    const room = await Room.open({ settings: { turnsPerDay: 0 } });
    const append = room.log.append.bind(room.log);
    room.log.append = () => Promise.reject(new Error('The process died'));
    await expect(room.say('hi', 'ben', { id: 'one' })).rejects.toThrow('died');
    room.log.append = append;
    expect((await room.say('hi', 'ben', { id: 'one' })).text).toMatch(/no messages for now/u);
    expect((await room.say('hi', 'ben', { thread: '2' })).text).toBe('');
  });

  test('a message that is taken writes nothing of this', async () => {
    const room = await Room.open({ settings: { messagesPerMinute: 5 } });
    room.tenants.noteTold = () => Promise.reject(new Error('Nobody asked'));
    await room.say('hi', 'ana');
    await room.say('/status', 'ana');
    expect(room.last.text).toContain('Model');
  });
});

describe('SPEC 9.2: five wrong codes in an hour from one person, wherever they are tried', () => {
  const claimable = async () => {
    const room = await Room.open({ access: 'list', owner: null });
    const before = (await room.tenants.load('t'))?.channels[0];
    if (!before) throw new Error('There is no channel');
    const claim = { codeHash: claimHash('good'), expiresAt: room.now + DAY_MS };
    await room.tenants.putChannel('t', { ...before, claim });
    return room;
  };
  const owner = async (room: Room) => (await room.tenants.load('t'))?.channels[0]?.owner;

  test('the sixth is not tried in another thread either, not even the right one', async () => {
    const room = await claimable();
    for (let n = 1; n <= 5; n++) expect((await room.say(`/start bad${n}`, 'ben', { thread: `${n}` })).text).toBe(WRONG);
    expect((await room.say('/start good', 'ben', { thread: '6' })).text).toBe(LOCKED);
    expect(await owner(room)).toBeUndefined();
    room.now += 3_600_000;
    expect((await room.say('/start good', 'ben', { thread: '7' })).text).toMatch(/yours now/u);
  });

  test('of twenty at once in as many threads five are tried, whichever the right one is', async () => {
    const room = await claimable();
    const tried: string[] = [];
    const claim = room.tenants.claim.bind(room.tenants);
    room.tenants.claim = (tenant, channel, attempt) => {
      tried.push(attempt.codeHash);
      return claim(tenant, channel, attempt);
    };
    const code = (n: number) => (n === 19 ? 'good' : `bad${n}`);
    await Promise.all(Array.from({ length: 20 }, (_, n) => room.say(`/start ${code(n)}`, 'ben', { thread: `t${n}` })));
    expect(tried).toHaveLength(5);
    expect(told(room).filter((text) => text === LOCKED)).toHaveLength(15);
  });

  test('the same try delivered again counts once, and who has the right code may repeat it as often as they like', async () => {
    const room = await claimable();
    for (let n = 0; n < 4; n++) await room.say('/start bad', 'ben', { id: 'same' });
    for (let n = 0; n < 7; n++) expect((await room.say('/start good', 'ben')).text).toMatch(/yours now/u);
    expect((await room.tenants.check(...BEN)).told?.claims).toHaveLength(1);
  });
});
