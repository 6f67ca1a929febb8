import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TeamsAddress } from '../../../lib/channels/teams/address.ts';
import { teams } from '../../../lib/channels/teams/index.ts';
import type { Channel, Incoming, IncomingPress, Outgoing, Piece, Responder } from '../../../lib/ports/chatApp.ts';
import { buttonsOf, direct, GENERAL, TeamsStandIn } from '../../standins/teams.ts';
import { cardFault, cardWords, type Params } from '../../standins/teamsRules.ts';
import { at } from './channel.ts';

const ANA = '29:1ana';
const PRIVATE: TeamsAddress = { chat: ANA, channel: direct(ANA) };
const IN_THREAD: TeamsAddress = { chat: GENERAL, thread: '1789999999000', group: true };
const OPTIONS = { timeoutMs: 2_000 };
const UNDO = { choices: [{ label: 'Undo', value: 'a:x1:0' }] };

let standIn: TeamsStandIn;
let channel: Channel;
beforeEach(async () => {
  standIn = await TeamsStandIn.start();
  channel = at(standIn);
  await teams.sender(channel).post({ chat: ANA }, piece('first'), OPTIONS);
});
afterEach(() => standIn.close());

function piece(markdown: string, more: Partial<Outgoing> = {}): Piece {
  const [first] = teams.render({ markdown, ...more });
  if (!first) throw new Error('Nothing was rendered');
  return first;
}

const readOne = (activity: Params): Incoming | undefined =>
  teams.read(new TextEncoder().encode(JSON.stringify(activity)), channel, Date.now())[0];

/** A press of Undo on a card that was just sent there. */
async function pressed(to = PRIVATE, way: 'invoke' | 'submit' = 'invoke') {
  await teams.sender(channel).post(to, piece('Cleared.', UNDO), OPTIONS);
  const message = standIn.messages.at(-1);
  const press = message && readOne(standIn.pressOf(message, 'Undo', ANA, way));
  if (!message || press?.kind !== 'press') throw new Error('No press was read');
  const responder = teams.responder?.(channel, press);
  return { message, press, responder: responder as Responder };
}

/** The answer in words, after the checks that Teams makes of it. */
function answerOf(responder: Responder): { words: string; isCard: boolean } {
  const { status, body } = responder.answer();
  expect([status, body?.statusCode]).toEqual([200, 200]);
  const isCard = body?.type === 'application/vnd.microsoft.card.adaptive';
  if (isCard) expect(cardFault(body?.value as Params)).toBeUndefined();
  else expect(body).toMatchObject({ type: 'application/vnd.microsoft.activity.message', value: /./ });
  return { isCard, words: isCard ? cardWords(body?.value as Params) : String(body?.value) };
}

const edit = (responder: Responder, press: IncomingPress, markdown: string, more: Partial<Outgoing> = {}) =>
  responder.edit(press.to, responder.pressedMessage(press) ?? '', piece(markdown, { inPlace: true, ...more }), OPTIONS);

test('what the press says of its card is believed in a private chat alone; else the card is to be drawn again', async () => {
  const [mine, open] = [await pressed(), await pressed(IN_THREAD)];
  const wordless = { ...mine.press, message: {} };
  const sender = teams.sender(channel);
  expect([mine.press, open.press, wordless].map((press) => sender.mustRedraw?.(press))).toEqual([false, true, true]);
  expect(open.responder.mustRedraw?.(open.press)).toBe(true);
});

describe('a press is answered in the HTTP response', () => {
  test('with the new card, to which the message is changed for everybody as well', async () => {
    const { responder, press, message } = await pressed();
    await responder.answerPress(press);
    expect(await edit(responder, press, 'Undone.')).toMatchObject({ kind: 'sent' });
    expect(answerOf(responder)).toEqual({ isCard: true, words: 'Undone.' });
    expect(message.history).toEqual(['Cleared.', 'Undone.']);
    expect(buttonsOf(message.activity)).toEqual([]);
  });

  test('with the new card though the change for everybody fails', async () => {
    const { responder, press } = await pressed();
    standIn.fail({ kind: 'error', status: 429, retryAfterS: 9 }, { kind: 'put' });
    expect(await edit(responder, press, 'Undone.', UNDO)).toMatchObject({ kind: 'refused' });
    expect(answerOf(responder)).toEqual({ isCard: true, words: 'Undone.' });
  });

  test.each([
    ['a private chat, whose card loses its buttons', PRIVATE, 0],
    ['a thread, whose card stays', IN_THREAD, 1],
  ])('with a short text to the presser alone: in %s', async (_case, to, buttons) => {
    const { responder, press, message } = await pressed(to);
    const count = standIn.messages.length;
    await Promise.all([responder.answerPress(press, 'Too *late*.'), responder.removeChoices(press)]);
    expect(answerOf(responder)).toEqual({ isCard: false, words: 'Too *late*.' });
    expect(standIn.messages).toHaveLength(count);
    expect(buttonsOf(message.activity)).toHaveLength(buttons);
  });

  test('a text is cut to what a person reads at a glance', async () => {
    const { responder, press } = await pressed();
    await responder.answerPress(press, 'x'.repeat(500));
    expect(answerOf(responder).words).toHaveLength(200);
  });

  test('with its card without buttons, where what was pressed is answered by a message of its own', async () => {
    const { responder, press, message } = await pressed();
    await Promise.all([responder.answerPress(press), responder.removeChoices(press)]);
    await responder.post(press.to, piece('Status.'), OPTIONS);
    expect(answerOf(responder)).toEqual({ isCard: true, words: 'Cleared.' });
    expect(buttonsOf(message.activity)).toEqual([]);
    expect(standIn.visible(direct(ANA)).at(-1)).toBe('Status.');
  });

  test('with something in any case: an empty answer counts as a failure', async () => {
    const { responder } = await pressed(IN_THREAD);
    expect(answerOf(responder)).toEqual({ isCard: false, words: 'Your choice was taken.' });
  });

  test('what is edited elsewhere is no answer', async () => {
    const { responder, press } = await pressed();
    await responder.edit(press.to, standIn.messages[0]?.id ?? '', piece('Elsewhere.', { inPlace: true }), OPTIONS);
    expect(answerOf(responder).words).toBe('Your choice was taken.');
  });
});

test('nothing else is: a message, a press of an older client', async () => {
  expect((await pressed(PRIVATE, 'submit')).responder).toBeUndefined();
  const message = readOne(standIn.payloads.direct('hi', ANA));
  expect(message && teams.responder?.(channel, message)).toBeUndefined();
});
