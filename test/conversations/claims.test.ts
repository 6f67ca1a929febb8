import { beforeEach, describe, expect, test } from 'vitest';
import { claimHash } from '../../lib/conversations/access.ts';
import { Room } from './room.ts';

const HOUR_MS = 3_600_000;
const MINE = 'This bot is yours now. Write to me as you like; /help lists what I can do.';
const WRONG = 'That code is not right. Check it, or ask for a new one.';
const LOCKED = 'Too many wrong codes. Try again in an hour.';

let room: Room;
beforeEach(async () => {
  room = await Room.open({ access: 'list', owner: null });
  await claimable('good');
});

/** The channel as it is connected, with a fresh code. */
async function claimable(code: string): Promise<void> {
  const before = (await room.tenants.load('t'))?.channels[0];
  if (!before) throw new Error('There is no channel');
  await room.tenants.putChannel('t', {
    ...before,
    claim: { codeHash: claimHash(code), expiresAt: room.now + 24 * HOUR_MS },
  });
}

const owner = async () => (await room.tenants.load('t'))?.channels[0]?.owner;
const outcomes = async (who: string) =>
  (await room.events(who)).map((event) => ('outcome' in event ? event.outcome : 'type' in event && event.type));

describe('SPEC 9.2: a channel is claimed with a one-time code', () => {
  test('the right code makes the owner, and stands in no log', async () => {
    expect((await room.say('/start good', 'ana')).text).toBe(MINE);
    expect(await owner()).toBe('ana');
    expect(await room.events('ana')).toEqual([{ type: 'command.ran', command: 'start', outcome: 'claimed' }]);
  });

  test('a used, a wrong and an expired code say so and change nothing', async () => {
    expect((await room.say('/start bad', 'ben')).text).toBe(WRONG);
    await room.say('/start good', 'ana');
    expect((await room.say('/start good', 'ben')).text).toBe('That code was used already. Ask for a new one.');
    await claimable('late');
    room.now += 24 * HOUR_MS;
    expect((await room.say('/start late', 'ben')).text).toBe('That code has expired. Ask for a new one.');
    expect(await owner()).toBe('ana');
  });

  test('five wrong tries in an hour from one person are the last in that hour, whatever stands between them', async () => {
    for (let n = 1; n <= 5; n++) {
      expect((await room.say(`/start bad${n}`, 'ben')).text).toBe(WRONG);
      await room.say('hello', 'ben');
      for (let k = 0; k < 40; k++) await room.say('/start bad', 'ben', { group: true });
      room.now += 10 * 60_000;
    }
    expect((await room.say('/start good', 'ben')).text).toBe(LOCKED);
    expect(await owner()).toBeUndefined();
    expect((await room.say('/start good', 'cy')).text).toBe(MINE);
    room.now += 15 * 60_000;
    await claimable('next');
    expect((await room.say('/start next', 'ben')).text).toBe(MINE);
  });

  test('of twenty at once five are tried', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => room.say(`/start bad${n}`, 'ben')));
    expect((await outcomes('ben')).toSorted()).toEqual([...Array(15).fill('locked'), ...Array(5).fill('wrong')]);
  });

  test('in a group nothing is claimed, and the code is not kept', async () => {
    expect((await room.say('/start good', 'ben', { group: true })).text).toMatch(/not set up yet/u);
    expect(await owner()).toBeUndefined();
    expect(JSON.stringify(await room.events('ben', true))).not.toContain('good');
  });

  test('a new code passes the channel on; the owner before keeps nothing of it (cases B 34)', async () => {
    await room.say('/start good', 'ana');
    await room.say('/people', 'ana');
    await claimable('next');
    expect(await owner()).toBe('ana');
    expect((await room.say('/start next', 'ben')).text).toBe(MINE);
    expect(await owner()).toBe('ben');
    expect((await room.say('/people', 'ana')).text).toMatch(/has to let you in/u);
    expect((await room.say('/start good', 'ana')).text).toBe(WRONG);
  });

  test('who was put out may still claim', async () => {
    await room.tenants.putPerson('t', 't.room', { id: 'ben', status: 'put-out', at: 1 });
    expect((await room.say('/start good', 'ben')).text).toBe(MINE);
    expect((await room.say('/people', 'ben')).text).toMatch(/^Only people you let in may write to me/u);
  });

  test('a deep link’s payload that is no code greets whoever may write, and counts as no try', async () => {
    const HELLO = 'Hello. Ask me anything; I answer here. /help lists what I can do.';
    await room.say('/start good', 'ana');
    await room.tenants.putPerson('t', 't.room', { id: 'ben', status: 'let-in' });
    for (const who of ['ana', 'ben']) {
      for (let n = 0; n < 7; n++) expect((await room.say('/start ref_abc', who)).text).toBe(HELLO);
      expect((await room.say('/start summer24', who)).text).toBe(HELLO);
      expect((await room.tenants.check('t', 't.room', who)).told?.claims ?? []).toEqual([]);
    }
    expect((await room.say('/start good', 'ben')).text).toBe('That code was used already. Ask for a new one.');
    expect((await room.say('/start ref_abc', 'cy')).text).toBe(WRONG);
  });

  test('while a code is out, who may write can claim with it, and a wrong one says so', async () => {
    await room.own('ana', 'anyone');
    await claimable('next');
    expect((await room.say('/start ref_abc', 'ben')).text).toMatch(/^Hello/u);
    for (let n = 0; n < 5; n++) expect((await room.say(`/start bad${n}`, 'ben')).text).toBe(WRONG);
    expect((await room.say('/start next', 'ben')).text).toBe(LOCKED);
    expect((await room.say('/start next', 'cy')).text).toBe(MINE);
  });
});
