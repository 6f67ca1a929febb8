import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../lib/commands/registry.ts';
import type { Draft } from '../../lib/domain/events.ts';
import type { State } from '../../lib/domain/state.ts';
import { questionAsked, turnStarted } from '../support/given.ts';
import { Room } from './room.ts';

const HERE = COMMANDS.filter(({ chat }) => chat && !chat.withoutMessages);
const OWNERS = HERE.filter(({ chat }) => chat?.who === 'owner').map(({ name }) => name);
const IN_GROUPS = HERE.filter(({ chat }) => chat?.groups).map(({ name }) => name);
/** Words of ours that nobody outside knows. */
const INTERNAL = /undefined|null|NaN|\[object|owner-only|private-only|stranger|\bseq\b|\blease|\bturn\b/u;

async function running(room: Room, who: string): Promise<void> {
  await room.say('a long question', who);
  const { waiting, memory } = await room.state(who);
  await room.work(turnStarted([...waiting], { memory }), who);
}

/** What goes on when the command comes. */
const SITUATIONS: Record<string, (room: Room, who: string) => Promise<void>> = {
  'before a conversation': async () => {},
  'while a message waits': async (room, who) => void (await room.say('hi', who)),
  'in mid-turn': running,
  'while a question is open': async (room, who) => {
    await running(room, who);
    await room.work(questionAsked() as Draft, who);
  },
  'after a clear': async (room, who) => {
    await room.say('hi', who);
    await room.say('/clear', who);
  },
  'in a new conversation': async (room, who) => {
    await room.say('hi', who);
    await room.say('/new', who);
  },
};

/** These end a turn, or what it asks; all others leave both alone (SPEC 4.8, 7.2). */
const ENDS_TURN = new Set(['stop', 'cancel']);
const CLOSES_QUESTION = new Set(['stop', 'cancel', 'clear', 'new', 'review']);

function expectSteady(name: string, before: State, after: State): void {
  expect(after.turn?.id).toBe(before.turn?.id);
  if (!ENDS_TURN.has(name)) expect(after.turn?.stopAsked).toBe(before.turn?.stopAsked);
  if (!CLOSES_QUESTION.has(name)) expect(after.question).toEqual(before.question);
}

describe.each(Object.entries(SITUATIONS))('SPEC 4: %s', (_situation, begin) => {
  test.each(HERE.map(({ name }) => name))(
    '/%s makes one event and one plain answer, for the owner and for people',
    async (name) => {
      for (const who of ['ana', 'ben']) {
        const room = await Room.open();
        await begin(room, who);
        const [before, events] = [await room.state(who), await room.events(who)];
        const { text, file } = await room.say(`/${name}`, who);
        const added = (await room.events(who)).slice(events.length);
        expect(added).toHaveLength(1);
        const after = await room.state(who);
        const isMessage = after.waiting.includes(after.seq);
        if (!isMessage && file === undefined) expect(text).not.toBe('');
        expect(text).not.toMatch(INTERNAL);
        expectSteady(name, before, after);
        const isOwners = OWNERS.includes(name) && who !== 'ana';
        if (isOwners) expect(text).toBe('Only the owner of this bot can do that.');
        else expect(added[0]).toMatchObject(isMessage ? {} : { command: name });
      }
    },
  );
});

describe.each(HERE.map(({ name }) => name))('SPEC 4.3, 4.9, 9.3: /%s', (name) => {
  test('in a group it works on the sender’s own conversation, or says where it does', async () => {
    const room = await Room.open();
    for (const who of ['ana', 'ben']) {
      const { text } = await room.say(`/${name}`, who, { group: true });
      if (IN_GROUPS.includes(name)) expect(text).not.toMatch(/private chat/u);
      else expect(text).toBe('That works in a private chat with me.');
      expect(await room.events(who, true)).toHaveLength(1);
    }
  });

  test('a stranger hears once that the owner has to let them in; nothing is done', async () => {
    const room = await Room.open({ access: 'list' });
    expect((await room.say(`/${name}`, 'eve')).text).toMatch(/^The owner of this bot has to let you in/u);
    expect((await room.say(`/${name}`, 'eve')).text).toBe('');
    expect(await room.events('eve')).toMatchObject([{ type: 'stranger.refused' }]);
  });
});

describe('SPEC 11.1, 11.2: choices of every command that shows some', () => {
  const SHOWING = [
    '/clear',
    '/new',
    '/goal whales',
    '/model',
    '/effort',
    '/fast maybe',
    '/mode',
    '/settings',
    '/resume',
    '/people',
    '/statsu',
  ];

  test.each(SHOWING)('%s: a foreign press, a late one and one after /cancel do nothing, and say so', async (typed) => {
    const room = await Room.open();
    await room.say('hi', 'ana');
    await room.say('/new', 'ana');
    await room.say('let me in', 'ben');
    await room.tenants.putPerson('t', 't.room', { id: 'ben', status: 'let-in', name: 'Ben' });
    await room.say('hello');
    const shown = await room.say(typed);
    const [label = ''] = shown.labels;
    const count = async () => (await room.events()).length;
    const before = await count();
    await room.press(label, 'ben', shown);
    expect(room.whispers.at(-1)).toBe('This button is for somebody else.');
    room.now += 600_000;
    await room.press(label, 'ana', shown);
    expect(room.whispers.at(-1)).toBe('This button no longer works. Send the command again.');
    expect(await count()).toBe(before);
    await room.say('hello again');
    const again = await room.say(typed);
    await room.say('/cancel');
    await room.press(again.labels[0] ?? '', 'ana', again);
    expect(room.whispers.at(-1)).toBe('This was cancelled.');
  });
});
