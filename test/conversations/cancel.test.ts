import { beforeEach, describe, expect, test } from 'vitest';
import type { Draft } from '../../lib/domain/events.ts';
import { questionAsked, turnStarted } from '../support/given.ts';
import { Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});

async function running(): Promise<void> {
  await room.say('a long question');
  const { waiting, memory } = await room.state();
  await room.work(turnStarted([...waiting], { memory }));
}

const lastEvent = async () => (await room.events()).at(-1);

describe('/cancel (SPEC 4.2)', () => {
  test('closes this person’s open choices in this chat, and says so', async () => {
    await room.say('/goal whales');
    const goal = room.last;
    expect((await room.say('/cancel')).text).toBe('Cancelled. The choice above no longer works.');
    expect(await lastEvent()).toMatchObject({
      type: 'choices.closed',
      command: 'cancel',
      closes: [expect.any(String)],
    });
    await room.press('Clear goal', 'ana', goal);
    expect(room.whispers.at(-1)).toBe('This was cancelled.');
    expect(room.messages.find(({ id }) => id === goal.id)?.labels).toEqual([]);
    expect((await room.state()).goal).toBe('whales');
    expect((await room.say('/cancel')).text).toBe('Nothing is running.');
  });

  test('SPEC 11.4: what is cancelled is no open choice where numbers pick one', async () => {
    const typed = await Room.open({ limits: { hasButtons: false } });
    await typed.say('/goal whales');
    await typed.say('/cancel');
    await typed.say('/goal');
    await typed.say('1');
    expect((await typed.state()).goal).toBeUndefined();
  });

  test('SPEC 11.2: of a press and /cancel at once one wins; a press that won says so again later', async () => {
    await room.say('/goal whales');
    const goal = room.last;
    await Promise.all([room.press('Clear goal', 'ana', goal), room.say('/cancel')]);
    const cleared = (await room.state()).goal === undefined;
    await room.press('Clear goal', 'ana', goal).catch(() => undefined);
    expect((await room.state()).goal).toBe(cleared ? undefined : 'whales');
  });

  test('with nothing open it is /stop', async () => {
    expect((await room.say('/cancel')).text).toBe('Nothing is running.');
    await running();
    expect((await room.say('/cancel')).text).toBe('I stop this answer.');
    expect(await lastEvent()).toMatchObject({ type: 'stop.asked', command: 'cancel', turn: 't', dropped: 0 });
  });

  test('closes a pending question', async () => {
    await running();
    await room.work(questionAsked() as Draft);
    expect((await room.say('/cancel')).text).toBe('Cancelled. I do not wait for an answer any more.');
    expect((await room.state()).question).toBeUndefined();
  });

  test('choices of another person, and those that have expired, are not its own', async () => {
    await room.say('/goal whales', 'ben');
    await room.say('/goal whales');
    room.now += 601_000;
    expect((await room.say('/cancel')).text).toBe('Nothing is running.');
  });
});

test('SPEC 4.2: /ask is only where messages do not arrive by themselves', async () => {
  expect((await room.say('/ask why?')).text).toMatch(/^There is no command \/ask/u);
  expect((await room.say('/help')).text).not.toContain('/ask');
  const silent = await Room.open({ limits: { deliversMessages: false } });
  expect((await silent.say('/help')).text).toContain('/ask');
  expect((await silent.say('/ask')).text).toBe('Write your message after /ask.');
  await silent.say('/ask why?', 'ana', { group: true });
  expect((await silent.events('ana', true)).at(-1)).toMatchObject({ type: 'message', content: { text: 'why?' } });
});
