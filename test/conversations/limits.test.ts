import { describe, expect, test } from 'vitest';
import { dayOf } from '../../lib/conversations/usage.ts';
import type { TenantSettings } from '../../lib/ports/tenants.ts';
import { turnEnded, turnStarted } from '../support/given.ts';
import { Room } from './room.ts';

const open = (settings: TenantSettings, more: object = {}) => Room.open({ settings, ...more });
const types = async (room: Room, who = 'ana') =>
  (await room.events(who)).map((event) => ('type' in event ? event.type : ''));

describe('messages a minute for one person (SPEC 9.4)', () => {
  test('one too many is told when it opens again, once; nothing of it is kept', async () => {
    const room = await open({ messagesPerMinute: 2 });
    await room.say('one');
    await room.say('two');
    expect((await room.say('three')).text).toBe(
      'I take at most 2 messages a minute from one person. Please send it again in 58 seconds.',
    );
    expect((await room.say('four')).text).toBe('');
    expect(await types(room)).toEqual(['message', 'message', 'limit.reached']);
    expect(JSON.stringify(await room.events())).not.toMatch(/three|four/u);
    room.now += 57_000;
    await room.say('five');
    expect((await types(room)).at(-1)).toBe('message');
    expect((await room.state()).waiting).toEqual([1, 2, 4]);
  });

  test('told again after a minute, not before', async () => {
    const room = await open({ messagesPerMinute: 1 });
    await room.say('one');
    room.now += 29_000;
    await room.say('told');
    room.now += 29_000;
    await room.say('taken');
    expect((await room.say('not told again')).text).toBe('');
    room.now += 30_000;
    expect((await room.say('told again')).text).toMatch(/at most 1 message a minute.*in \d+ seconds/u);
  });

  test('of twenty at once no more get in than are allowed, whichever is first', async () => {
    const room = await open({ messagesPerMinute: 3 });
    await Promise.all(Array.from({ length: 20 }, (_, n) => room.say(`m${n}`)));
    expect((await types(room)).toSorted()).toEqual(['limit.reached', 'message', 'message', 'message']);
  });

  test('a message of its own each: /retry, /new with a message, a pick of Send as a message; commands are free', async () => {
    const room = await open({ messagesPerMinute: 1 });
    const unknown = await room.say('/imagine a cat');
    await room.say('one');
    await room.work(turnStarted([2]));
    await room.work(turnEnded([2]));
    expect((await room.say('/retry')).text).toMatch(/at most 1 message/u);
    await room.say('/new hello');
    await room.press('Send as a message', 'ana', unknown);
    expect(room.whispers.at(-1)).toMatch(/at most 1 message a minute/u);
    expect((await room.say('/help')).text).toContain('/help');
    room.now += 60_000;
    await room.press('Send as a message', 'ana', unknown);
    expect((await room.events()).at(-1)).toMatchObject({ type: 'message', content: { text: '/imagine a cat' } });
    expect((await types(room)).filter((type) => type === 'message' || type === 'conversation.started')).toHaveLength(2);
  });

  test('a press past it is answered privately, and its choices stay open', async () => {
    const room = await open({ messagesPerMinute: 1 });
    const unknown = await room.say('/imagine a cat');
    await room.say('one');
    await room.press('Send as a message', 'ana', unknown);
    expect(room.whispers).toEqual([
      'I take at most 1 message a minute from one person. Please send it again in 59 seconds.',
    ]);
    expect(await types(room)).toEqual(['command.ran', 'message']);
    room.now += 60_000;
    await room.press('Send as a message', 'ana', unknown);
    expect(await types(room)).toEqual(['command.ran', 'message', 'message']);
  });

  test('each person has their own', async () => {
    const room = await open({ messagesPerMinute: 1 });
    await room.say('one');
    await room.say('one', 'ben');
    expect(await types(room, 'ben')).toEqual(['message']);
  });

  const ANA = { tenant: 't', channelId: 't.room', person: 'ana' };

  test('a person has one limit, wherever they write: of many at once in two places no more get in', async () => {
    const room = await open({ messagesPerMinute: 3 });
    const say = (n: number) => room.say(`m${n}`, 'ana', { group: n % 2 === 0 });
    await Promise.all(Array.from({ length: 20 }, (_, n) => say(n)));
    const all = [...(await room.events('ana')), ...(await room.events('ana', true))];
    expect(all.filter((event) => 'type' in event && event.type === 'message')).toHaveLength(3);
    expect((await room.usage.rate(ANA)).length).toBe(3);
  });

  test('the same message delivered again counts once', async () => {
    const room = await open({ messagesPerMinute: 2 });
    await Promise.all(Array.from({ length: 4 }, () => room.say('one', 'ana', { id: 'same' })));
    await room.say('two');
    expect(await types(room)).toEqual(['message', 'message']);
  });

  test('SPEC 2.3: a crash between the count and the append counts it once', async () => {
    const room = await open({ messagesPerMinute: 1 });
    const append = room.log.append.bind(room.log);
    room.log.append = async () => {
      throw new Error('The process died');
    };
    await expect(room.say('one', 'ana', { id: 'one' })).rejects.toThrow('died');
    room.log.append = append;
    await room.say('one', 'ana', { id: 'one' });
    expect(await types(room)).toEqual(['message']);
  });

  test('commands are not counted, and without a limit nothing is', async () => {
    const room = await open({ messagesPerMinute: 1 });
    for (const command of ['/help', '/status', '/clear']) await room.say(command);
    expect(await room.usage.rate(ANA)).toEqual([]);
    const free = await open({});
    free.usage.rate = () => Promise.reject(new Error('Nobody asked'));
    await free.say('x');
    expect(await types(free)).toEqual(['message']);
  });
});

describe('turns and tokens a day (SPEC 9.4)', () => {
  test('past them nothing is taken until the next day, in UTC', async () => {
    const room = await open({ turnsPerDay: 2, tokensPerDay: 1_000 });
    const day = dayOf(room.now);
    await room.say('one');
    await room.usage.add('t', day, { turns: 2 });
    const { text } = await room.say('two');
    expect(text).toMatch(
      /^This bot gives at most 2 answers a day, and today’s are used up\. Please send it again in \d+ hours\.$/u,
    );
    room.now += 86_400_000;
    await room.say('three');
    await room.usage.add('t', dayOf(room.now), { inputTokens: 900, outputTokens: 100 });
    expect((await room.say('four')).text).toMatch(/^What this bot may read and write in a day is used up/u);
    expect(await types(room)).toEqual(['message', 'limit.reached', 'message', 'limit.reached']);
  });

  test('the counters are read only where such a limit is set', async () => {
    const read = async (settings: TenantSettings) => {
      const room = await open(settings);
      let reads = 0;
      const before = room.usage.read.bind(room.usage);
      room.usage.read = (...args) => {
        reads += 1;
        return before(...args);
      };
      await room.say('one');
      return reads;
    };
    expect(await read({ messagesPerMinute: 5, turnsAtOnce: 2 })).toBe(0);
    expect(await read({ turnsPerDay: 5 })).toBe(1);
    expect(await read({ tokensPerDay: 5 })).toBe(1);
  });
});

test.each(['turnsAtOnce', 'turnsPerDay', 'tokensPerDay', 'messagesPerMinute'] as const)(
  'a limit of 0 allows none: %s (SPEC 9.4)',
  async (limit) => {
    const room = await open({ [limit]: 0 });
    expect((await room.say('hello')).text).toBe('This bot takes no messages for now. Whoever runs it can change that.');
    expect((await room.say('/status')).text).toContain('Model');
    expect(await types(room)).toEqual(['limit.reached', 'command.ran']);
  },
);

describe('messages that wait', () => {
  test('past 200 none is taken, and the person is told once a minute; /new begins anew', async () => {
    const room = await Room.open();
    for (let n = 0; n < 203; n++) await room.say(`m${n}`);
    expect((await room.state()).waiting).toHaveLength(200);
    const words =
      '200 messages wait for an answer already, so I have not taken this one. Please send it again when they are answered.';
    expect(room.messages.map(({ text }) => text)).toEqual([words]);
    expect(JSON.stringify(await room.events())).not.toContain('m200');
    room.now += 61_000;
    expect((await room.say('once more')).text).toBe(words);
    await room.say('/new hello');
    expect((await room.state()).waiting).toHaveLength(1);
  });
});
