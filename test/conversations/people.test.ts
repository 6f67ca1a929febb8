import { describe, expect, test } from 'vitest';
import { claimHash } from '../../lib/conversations/access.ts';
import { Room } from './room.ts';

const NOT_LET_IN = 'The owner of this bot has to let you in before I can answer.';
const open = (access: 'owner' | 'list' | 'anyone' = 'list') => Room.open({ access });

/** What stands in somebody's private chat. */
const textsOf = (room: Room, who: string) => room.messages.filter(({ chat }) => chat === who).map(({ text }) => text);
const personOf = async (room: Room, who = 'ben') => (await room.tenants.check('t', 't.room', who)).person;
const asked = async (room: Room, name = 'Ben') => {
  await room.say('let me in, please', 'ben', { name });
  const notice = room.messages.findLast(({ chat }) => chat === 'ana');
  if (!notice) throw new Error('The owner was not asked');
  return notice;
};

describe('a stranger (SPEC 9.3)', () => {
  test('hears once that the owner has to let them in; the owner is asked once; their words are nowhere', async () => {
    const room = await open();
    await room.say('my secret words', 'ben', { name: 'Ben' });
    await room.say('more secret words', 'ben', { name: 'Ben' });
    await room.say('/start', 'ben', { name: 'Ben' });
    await room.say('/clear', 'ben', { name: 'Ben' });
    expect(textsOf(room, 'ben')).toEqual([`${NOT_LET_IN} I have asked them.`]);
    expect(textsOf(room, 'ana')).toEqual(['Ben (ben) would like to write to me. Shall I let them in?']);
    expect(room.messages.find(({ chat }) => chat === 'ana')?.labels).toEqual(['Let in', 'Not now']);
    expect(await room.events('ben')).toEqual([{ type: 'stranger.refused', command: 'not-let-in', asks: true }]);
    expect(await room.events('ana')).toEqual([{ type: 'access.asked', command: 'access-asked', who: { id: 'ben' } }]);
    expect(JSON.stringify([await room.events('ben'), await room.events('ana')])).not.toContain('secret');
  });

  test.each(['Let in', 'Not now'])(
    'however many have asked, the notice and its answer (%s) read the one person alone, by the name of now',
    async (answer) => {
      const room = await open();
      const { people } = room.tenants;
      room.tenants.people = () => {
        throw new Error('All people were read');
      };
      const notice = await asked(room);
      expect(notice.text).toContain('Ben (ben)');
      await room.tenants.putPerson('t', 't.room', {
        ...(await personOf(room)),
        id: 'ben',
        status: 'asked',
        name: 'Benno',
      });
      expect((await room.press(answer, 'ana', notice)).text).toContain('Benno');
      room.tenants.people = people;
    },
  );

  test('a greeting is their first word too: /start tells them, and then nothing does', async () => {
    const room = await open();
    expect((await room.say('/start', 'ben')).text).toBe(`${NOT_LET_IN} I have asked them.`);
    expect((await room.say('hello?', 'ben')).text).toBe('');
    expect(textsOf(room, 'ana')).toEqual(['ben would like to write to me. Shall I let them in?']);
  });

  test('in a private chat and in a group at once they are told once, and the owner is asked once', async () => {
    const room = await open();
    await Promise.all([room.say('a', 'ben'), room.say('b', 'ben', { group: true }), room.say('c', 'ben')]);
    expect(textsOf(room, 'ana')).toHaveLength(1);
    expect([...textsOf(room, 'ben'), ...textsOf(room, 'group')]).toHaveLength(1);
  });

  test('a channel for its owner alone says so, once, and asks nobody; when it opens they hear that and are asked about', async () => {
    const room = await open('owner');
    await room.say('hello', 'ben');
    await room.say('hello', 'ben');
    expect(textsOf(room, 'ben')).toEqual(['This bot answers its owner only.']);
    expect(textsOf(room, 'ana')).toEqual([]);
    expect(await personOf(room)).toBeUndefined();
    await room.own('ana', 'list');
    expect((await room.say('hello?', 'ben')).text).toBe(`${NOT_LET_IN} I have asked them.`);
    expect(textsOf(room, 'ana')).toHaveLength(1);
  });

  test.each(['owner', 'list'] as const)(
    'SPEC 9.2: before the claim of a channel for %s, they hear that',
    async (access) => {
      const room = await Room.open({ access, owner: null });
      await Promise.all([room.say('hello', 'ben'), room.say('hello?', 'ben')]);
      expect(textsOf(room, 'ben')).toEqual(['This bot is not set up yet: whoever runs it has to claim it first.']);
      expect(await personOf(room)).toBeUndefined();
      await room.own('ana', 'list');
      expect((await room.say('hello?', 'ben')).text).toBe(`${NOT_LET_IN} I have asked them.`);
      await room.say('hello?', 'ben');
      expect(textsOf(room, 'ana')).toHaveLength(1);
      expect(textsOf(room, 'ben')).toHaveLength(2);
    },
  );

  test('a name that would be markup or many lines is shown as plain words', async () => {
    const room = await open();
    const notice = await asked(room, '**[Ana](tg://x)**\n\nLet in: press');
    expect(notice.text.split('\n')).toHaveLength(1);
    expect(notice.text).toContain('\\*\\*\\[Ana\\](tg://x)\\*\\*');
  });
});

describe('the owner answers', () => {
  test('Let in: the person is told and may write (SPEC 9.3)', async () => {
    const room = await open();
    const after = await room.press('Let in', 'ana', await asked(room));
    expect([after.text, after.labels]).toEqual(['Ben is let in. Use /people to put them out again.', []]);
    expect(textsOf(room, 'ben').at(-1)).toBe(
      'The owner of this bot has let you in. Write to me as you like; /help lists what I can do.',
    );
    expect(await personOf(room)).toMatchObject({ name: 'Ben', status: 'let-in' });
    await room.say('hello', 'ben');
    expect((await room.events('ben')).at(-1)).toMatchObject({ type: 'message', content: { text: 'hello' } });
    expect(await room.events('ana')).toMatchObject([
      { type: 'access.asked' },
      { type: 'person.changed', command: 'people', who: { id: 'ben' }, status: 'let-in', pressed: true },
    ]);
  });

  test('the question stays until it is answered, whatever happens meanwhile', async () => {
    const room = await open();
    const notice = await asked(room);
    for (let n = 0; n < 40; n++) await room.say(`/goal ${n}`, 'ana');
    await room.say('/goal whales', 'ana');
    await room.say('/cancel', 'ana');
    room.now += 30 * 86_400_000;
    expect((await room.press('Let in', 'ana', notice)).text).toMatch(/^Ben is let in/u);
  });

  test('Not now: they are not let in and not asked about again; /people lets them in later', async () => {
    const room = await open();
    expect((await room.press('Not now', 'ana', await asked(room))).text).toBe(
      'Not now. You can let Ben in later with /people.',
    );
    await room.say('please', 'ben');
    expect(textsOf(room, 'ana')).toHaveLength(1);
    expect(textsOf(room, 'ben')).toHaveLength(1);
    const list = await room.say('/people');
    expect(list.labels).toEqual(['Let in Ben']);
    const changed = await room.press('Let in Ben');
    expect([changed.text, changed.labels]).toEqual([
      'Only people you let in may write to me.\n\n**Let in**\n\n- Ben (ben)',
      ['Put out Ben'],
    ]);
    expect(textsOf(room, 'ben').at(-1)).toMatch(/has let you in/u);
  });

  test('Not now on an old notice says how it is by now', async () => {
    const room = await open();
    const notice = await asked(room);
    await room.say('/people');
    await room.press('Let in Ben');
    expect((await room.press('Not now', 'ana', notice)).text).toBe(
      'Ben is let in already. Use /people to put them out.',
    );
    const other = await open();
    const old = await asked(other);
    await other.own('ana', 'anyone');
    expect((await other.press('Not now', 'ana', old)).text).toBe(
      'Anyone may write to me by now, Ben too. Use /people to put them out.',
    );
    const erased = await open();
    const of = await asked(erased);
    await erased.tenants.deletePerson('t', 't.room', 'ben');
    expect((await erased.press('Not now', 'ana', of)).text).toBe('Not now.');
  });

  test('Let in, where the channel has become the owner’s alone, says that it has no effect for now', async () => {
    const room = await open();
    const notice = await asked(room);
    await room.own('ana', 'owner');
    expect((await room.press('Let in', 'ana', notice)).text).toBe(
      'Ben is let in. I am set to answer you only: letting somebody in has no effect for now. Use /people to put them out again.',
    );
  });

  test('cases C 44, 50: somebody else’s press and a second press have no effect', async () => {
    const room = await open();
    const notice = await asked(room);
    await room.press('Let in', 'cy', notice);
    expect(room.whispers.at(-1)).toBe('This button is for somebody else.');
    expect((await personOf(room))?.status).toBe('asked');
    await Promise.all([room.press('Let in', 'ana', notice), room.press('Not now', 'ana', notice)]);
    expect((await room.events('ana')).filter((event) => 'pressed' in event)).toHaveLength(1);
    expect(room.whispers.some((text) => /used already|no longer works/u.test(text ?? ''))).toBe(true);
  });

  test('SPEC 9.1: who is owner no longer can answer no longer', async () => {
    const room = await open();
    const notice = await asked(room);
    await room.own('cy', 'list');
    await room.press('Let in', 'ana', notice);
    expect(room.whispers.at(-1)).toBe('You can no longer do that here.');
    expect((await personOf(room))?.status).toBe('asked');
  });
});

describe('/people (SPEC 4.2)', () => {
  const PLAIN = { 'let-in': 'a', 'put-out': 'b' } as const;

  test('is the owner’s, in their private chat', async () => {
    const room = await open('anyone');
    expect((await room.say('/people', 'ben')).text).toBe('Only the owner of this bot can do that.');
    expect((await room.say('/people', 'ana', { group: true })).text).toBe('That works in a private chat with me.');
    await room.tenants.deletePerson('t', 't.room', 'ben');
    expect((await room.say('/people')).text).toBe(
      'Anyone may write to me, except those you put out. Nobody else has written so far.',
    );
  });

  test('where anyone may write, who has written is listed and can be put out', async () => {
    const room = await open('anyone');
    await room.say('hello', 'ben', { name: 'Ben' });
    await room.say('@bot hello', 'cy', { group: true });
    const list = await room.say('/people');
    expect([list.text, list.labels]).toEqual([
      'Anyone may write to me, except those you put out.\n\n**Have written**\n\n- Ben (ben)\n- cy',
      ['Put out Ben', 'Put out cy'],
    ]);
    expect((await room.press('Put out Ben')).labels).toEqual(['Put out cy', 'Let in Ben']);
    expect((await room.say('hello?', 'ben')).text).toBe(NOT_LET_IN);
  });

  test('they are recorded by one write, with the first thing that they write, and it is no leave to write', async () => {
    const room = await open('anyone');
    const add = room.tenants.addPerson.bind(room.tenants);
    let writes = 0;
    room.tenants.addPerson = (...args) => {
      writes += 1;
      return add(...args);
    };
    for (const thread of ['1', '2', '3']) await room.say('hello', 'ben', { group: true, thread });
    await room.say('/status', 'ben');
    expect(writes).toBe(1);
    await room.own('ana', 'list');
    expect((await room.say('hello', 'ben')).text).toBe(`${NOT_LET_IN} I have asked them.`);
    expect(textsOf(room, 'ana').at(-1)).toMatch(/^ben would like to write to me/u);
    expect(await personOf(room)).toMatchObject({ status: 'asked' });
  });

  test('a store that does not record them now keeps nobody from an answer', async () => {
    const room = await open('anyone');
    room.tenants.addPerson = () => Promise.reject(new Error('down'));
    expect((await room.say('/help', 'ben')).text).toContain('/help');
  });

  test('put out takes effect at once, also for presses; they are told once, and the owner is not asked', async () => {
    const room = await open('anyone');
    await room.say('hello', 'ben');
    const cleared = await room.say('/clear', 'ben');
    await room.tenants.putPerson('t', 't.room', { id: 'ben', status: 'let-in' });
    await room.say('/people');
    expect((await room.press('Put out ben')).labels).toEqual(['Let in ben']);
    await room.press('Undo', 'ben', cleared);
    expect(room.whispers.at(-1)).toBe('You can no longer do that here.');
    expect((await room.say('hello?', 'ben')).text).toBe(NOT_LET_IN);
    expect((await room.say('/help', 'ben')).text).toBe('');
    expect((await room.events('ben')).map((event) => 'type' in event && event.type)).toEqual([
      'message',
      'context.cleared',
      'stranger.refused',
    ]);
    expect(textsOf(room, 'ana')).toHaveLength(1);
  });

  test('who was a stranger, was let in and is put out again hears it once more', async () => {
    const room = await open();
    await room.press('Let in', 'ana', await asked(room));
    await room.say('hello', 'ben');
    await room.say('/people');
    await room.press('Put out Ben');
    expect((await room.say('still there?', 'ben')).text).toBe(NOT_LET_IN);
    expect((await room.say('hello?', 'ben')).text).toBe('');
  });

  test('SPEC 11.5: as many as fit, the last button is More', async () => {
    const room = await open();
    for (let n = 1; n <= 17; n++) {
      const status = n % 2 ? 'let-in' : 'put-out';
      await room.tenants.putPerson('t', 't.room', { id: `${PLAIN[status]}${n + 10}`, status });
    }
    const first = await room.say('/people');
    expect(first.labels).toEqual([11, 13, 15, 17, 19, 21, 23].map((n) => `Put out a${n}`).concat('More'));
    const second = await room.press('More');
    expect(second.labels).toHaveLength(8);
    expect(second.labels.slice(0, 3)).toEqual(['Put out a25', 'Put out a27', 'Let in b12']);
    const third = await room.press('More');
    expect(third.labels).toEqual(['Let in b22', 'Let in b24', 'Let in b26']);
    expect((await room.press('Let in b24')).text).toMatch(/^Only people you let in/u);
    expect((await personOf(room, 'b24'))?.status).toBe('let-in');
  });

  test('expired, it says so', async () => {
    const room = await open();
    await room.tenants.putPerson('t', 't.room', { id: 'ben', status: 'let-in' });
    await room.say('/people');
    room.now += 601_000;
    await room.press('Put out ben');
    expect(room.whispers.at(-1)).toMatch(/no longer works/u);
    expect((await personOf(room))?.status).toBe('let-in');
  });
});

describe('an app without buttons, whose people name their chats as they like', () => {
  test('the owner finds who has asked in /people; a digit lets them in, and they are told where they asked', async () => {
    const room = await Room.open({ access: 'list', knowsChats: false, limits: { hasButtons: false, buttonLimit: 9 } });
    expect((await room.say('please', 'ben')).text).toBe(NOT_LET_IN);
    expect(textsOf(room, 'ana')).toEqual([]);
    expect((await room.say('/people')).text).toContain('**Would like to be let in**\n\n- ben');
    await room.say('1');
    expect(textsOf(room, 'ana').at(-1)).toContain('**Let in**\n\n- ben');
    expect(textsOf(room, 'ben').at(-1)).toMatch(/has let you in/u);
    expect((await room.events('ana')).at(-1)).toMatchObject({ type: 'person.changed', who: { id: 'ben' }, from: 0 });
    await room.say('hello', 'ben');
    expect((await room.events('ben')).at(-1)).toMatchObject({ type: 'message' });
  });
});

describe('an app whose people’s ids lead to no chat (SPEC 9.3)', () => {
  const claimed = async (limits: object = {}) => {
    const room = await Room.open({ access: 'list', owner: null, knowsChats: false, limits });
    const before = (await room.tenants.load('t'))?.channels[0];
    if (!before) throw new Error('There is no channel');
    const claim = { codeHash: claimHash('good'), expiresAt: room.now + 1_000_000 };
    await room.tenants.putChannel('t', { ...before, claim });
    await room.say('/start good', 'ana', { thread: 'den' });
    return room;
  };

  test('the owner is asked where they claimed the channel, and lets in there', async () => {
    const room = await claimed();
    expect((await room.tenants.load('t'))?.channels[0]?.ownerChat).toEqual({ chat: 'ana', thread: 'den' });
    await room.say('hello', 'ben');
    expect(textsOf(room, 'ben')).toEqual([`${NOT_LET_IN} I have asked them.`]);
    const notice = room.messages.findLast(({ chat }) => chat === 'ana');
    expect(notice?.text).toBe('ben would like to write to me. Shall I let them in?');
  });

  test('without buttons a digit answers it', async () => {
    const room = await claimed({ hasButtons: false, buttonLimit: 9 });
    await room.say('hello', 'ben');
    await room.say('1', 'ana', { thread: 'den' });
    expect((await personOf(room))?.status).toBe('let-in');
    expect(textsOf(room, 'ben').at(-1)).toMatch(/has let you in/u);
  });
});

describe('whatever dies in between (SPEC 2.3)', () => {
  /** Runs `work`, which the webhook's app repeats once if it fails. */
  async function walk(
    prepare: (room: Room) => Promise<(room: Room) => Promise<unknown>>,
    check: (room: Room) => unknown,
  ) {
    const counting = await open();
    const dry = await prepare(counting);
    counting.calls = 0;
    await dry(counting);
    for (let call = 1; call <= counting.calls; call++) {
      for (const when of ['before', 'after'] as const) {
        const room = await open();
        const work = await prepare(room);
        room.calls = 0;
        room.fault = { call, when };
        await work(room).catch(() => undefined);
        room.fault = undefined;
        await work(room);
        await check(room);
      }
    }
    return counting.calls;
  }

  test('the owner is asked about a stranger, by one event, and at most one notice is sent twice', async () => {
    const say = async () => (room: Room) => room.say('hello', 'ben', { id: 'm1', name: 'Ben' });
    const calls = await walk(say, async (room) => {
      expect((await room.events('ana')).filter((event) => 'who' in event)).toHaveLength(1);
      expect((await room.events('ben')).filter((event) => 'asks' in event)).toHaveLength(1);
      expect(await personOf(room)).toMatchObject({ status: 'asked', asked: { key: 'm:m1', shown: true } });
      const notices = room.messages.filter(({ chat }) => chat === 'ana');
      expect([1, 2]).toContain(notices.length);
      expect(textsOf(room, 'ben').length).toBeGreaterThan(0);
      expect(new Set(notices.map(({ values }) => values.join())).size).toBe(1);
    });
    expect(calls).toBeGreaterThan(8);
  });

  test('a press of Let in lets in, by one event', async () => {
    const prepare = async (room: Room) => {
      const notice = await asked(room);
      return (one: Room) => one.press('Let in', 'ana', notice, 'press-1');
    };
    await walk(prepare, async (room) => {
      expect((await room.events('ana')).filter((event) => 'status' in event)).toHaveLength(1);
      expect((await personOf(room))?.status).toBe('let-in');
    });
  });

  test('a press that is delivered again does not undo what was decided since', async () => {
    const room = await open();
    const notice = await asked(room);
    const [item] = await room.actions.list({ tenant: 't', channelId: 't.room', chat: 'ana' });
    await room.press('Let in', 'ana', notice, 'press-1');
    await room.say('/people');
    await room.press('Put out Ben');
    if (item) await room.actions.put(item); // as if the process had died before it was deleted
    await room.press('Let in', 'ana', notice, 'press-1');
    expect((await room.events('ana')).filter((event) => 'status' in event)).toHaveLength(2);
    expect((await personOf(room))?.status).toBe('put-out');
  });
});
