import { beforeEach, describe, expect, test } from 'vitest';
import type { Draft } from '../../lib/domain/events.ts';
import { compactAsked, delivered, turnEnded, turnStarted } from '../support/given.ts';
import { Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});

async function running(): Promise<void> {
  const { waiting, memory } = await room.state();
  await room.work(turnStarted([...waiting], { memory }));
}

async function done(): Promise<void> {
  const { turn } = await room.state();
  await room.work(turnEnded(turn?.messages ?? [], { memory: turn?.memory.id ?? 0 }) as Draft);
  await room.work(delivered());
}

async function talk(text: string): Promise<void> {
  await room.say(text);
  await running();
  await done();
}

const types = async () => (await room.events()).map((event) => ('type' in event ? event.type : ''));

describe('a press that is refused just now (SPEC 11.1)', () => {
  test.each([
    ['a message waits', () => room.say('two'), 'I cannot go back while a message of yours waits for its answer.'],
    ['an answer is written', () => room.say('two').then(running), 'I cannot go back while I am answering.'],
    [
      'a summary is to be written',
      () => room.work(compactAsked()),
      'I cannot go back while I am summing this conversation up.',
    ],
  ])('SPEC 4.11: Go back while %s changes nothing and works later', async (_name, busy, why) => {
    await talk('one');
    const shown = { ...(await room.say('/new')) };
    await busy();
    const before = (await types()).length;
    const refused = await room.press('Go back', 'ana', shown);
    expect(room.whispers.at(-1)).toBe(`${why} Try again when I am done, or write /resume then.`);
    expect(refused.labels).toEqual(['Go back']);
    expect(await types()).toHaveLength(before);
    const { turn, waiting } = await room.state();
    if (!turn && waiting.length > 0) await running();
    if ((await room.state()).turn) await done();
    else await room.say('/stop');
    expect((await room.press('Go back', 'ana', shown)).text).toContain('You are back in the conversation from before.');
    expect((await types()).at(-1)).toBe('conversation.resumed');
  });

  test('SPEC 4.2: so is a pick of /resume’s list, and of /retry from a did-you-mean', async () => {
    await talk('whales');
    await room.say('/new');
    await talk('dolphins');
    const list = { ...(await room.say('/resume')) };
    const meant = { ...(await room.say('/rety')) };
    await room.say('more');
    await running();
    expect((await room.press('whales · just now', 'ana', list)).labels).toEqual(list.labels);
    expect(room.whispers.at(-1)).toContain('I am still answering.');
    expect((await room.press('/retry', 'ana', meant)).labels).toEqual(meant.labels);
    expect(room.whispers.at(-1)).toContain('I am still answering.');
    await done();
    await room.press('/retry', 'ana', meant);
    expect((await types()).at(-1)).toBe('message');
    await running();
    await done();
    expect((await room.press('whales · just now', 'ana', list)).text).toContain('You are back in “whales”.');
  });

  test('SPEC 2.3: delivered again when it could be done, that press has no other effect; another one does it', async () => {
    await talk('one');
    const shown = { ...(await room.say('/new')) };
    await room.say('two');
    await room.press('Go back', 'ana', shown, 'p1');
    const why =
      'I cannot go back while a message of yours waits for its answer. Try again when I am done, or write /resume then.';
    expect(room.whispers.at(-1)).toBe(why);
    await running();
    await room.press('Go back', 'ana', shown, 'p2');
    await done();
    const before = await types();
    await room.press('Go back', 'ana', shown, 'p1');
    expect(room.whispers.at(-1)).toBe(why);
    await room.press('Go back', 'ana', shown, 'p2');
    expect(room.whispers.at(-1)).toContain('I cannot go back while I am answering.');
    expect(await types()).toEqual(before);
    await room.press('Go back', 'ana', shown, 'p3');
    expect((await types()).at(-1)).toBe('conversation.resumed');
  });

  test('a refusal for good takes the choices away', async () => {
    await talk('one');
    const shown = { ...(await room.say('/new')) };
    await talk('two');
    await room.say('/new');
    expect((await room.press('Go back', 'ana', shown)).labels).toEqual([]);
    expect(room.whispers.at(-1)).toBe(
      'That conversation is no longer the one before this. /resume lists earlier ones.',
    );
    expect((await types()).at(-1)).toBe('command.ran');
  });
});
