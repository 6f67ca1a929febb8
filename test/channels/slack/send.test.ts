import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openToken, sealToken } from '../../../lib/channels/shared/sealed.ts';
import type { SlackAddress } from '../../../lib/channels/slack/address.ts';
import { slack } from '../../../lib/channels/slack/index.ts';
import type { Channel, Incoming, IncomingPress, Outgoing, Piece, Sender } from '../../../lib/ports/chatApp.ts';
import {
  ANA,
  BEN,
  buttonsOf,
  directChannel,
  GENERAL,
  type Message,
  SlackStandIn,
  tooMany,
} from '../../standins/slack.ts';
import { at, encode } from './channel.ts';

const THREAD = '1789999999.000100';
const DIRECT: SlackAddress = { chat: ANA, channel: directChannel(ANA), message: '1790000000.000100' };
const IN_THREAD: SlackAddress = { chat: GENERAL, thread: THREAD, message: '1790000000.000200', group: true };
const OPTIONS = { timeoutMs: 5_000 };

let standIn: SlackStandIn;
let channel: Channel;
let sender: Sender;
beforeEach(async () => {
  standIn = await SlackStandIn.start();
  standIn.addChannel(directChannel(ANA));
  standIn.addChannel(GENERAL, ['U0CONCHBT', ANA, BEN]);
  channel = at(standIn);
  sender = slack.sender(channel);
});
afterEach(() => standIn.close());

function piece(markdown: string, more: Partial<Outgoing> = {}): Piece {
  const [first] = slack.render({ markdown, ...more });
  if (!first) throw new Error('Nothing was rendered');
  return first;
}

const UNDO = { choices: [{ label: 'Undo', value: 'a:x1:0' }] };

function readOne(payload: Record<string, unknown>): Incoming {
  const [one] = slack.read(encode(payload), channel, Date.now());
  if (!one) throw new Error('Nothing was read');
  return one;
}

/** Where the answer to a slash command of Ana goes. */
function commandAddress(where: string): SlackAddress {
  const read = readOne(standIn.command('help', ANA, where));
  if (read.kind !== 'message') throw new Error('No command was read');
  return read.to;
}

function pressOn(message: Message | undefined, user = ANA): IncomingPress {
  const read = message && readOne(standIn.press(message, 'Undo', user));
  if (read?.kind !== 'press') throw new Error('No press was read');
  return read;
}

const newest = () => standIn.messages.at(-1);
const methods = () => standIn.calls.map(({ method }) => method);

describe('where a message goes (SPEC 13.7)', () => {
  test('to a private chat, without previews, as it was written', async () => {
    const sent = await sender.post(DIRECT, piece('**hi** <!here>'), OPTIONS);
    expect(sent).toEqual({ kind: 'sent', id: `${directChannel(ANA)}:${newest()?.ts}` });
    const text = { type: 'text', text: 'hi', style: { bold: true } };
    expect(standIn.calls).toEqual([
      {
        method: 'chat.postMessage',
        params: {
          channel: directChannel(ANA),
          text: 'hi &lt;!here&gt;',
          blocks: [
            {
              type: 'rich_text',
              elements: [{ type: 'rich_text_section', elements: [text, { type: 'text', text: ' <!here>' }] }],
            },
          ],
          ...{ parse: 'none', unfurl_links: false, unfurl_media: false },
        },
      },
    ]);
  });

  test('to its thread', async () => {
    await sender.post(IN_THREAD, piece('hi'), OPTIONS);
    expect(standIn.messages).toMatchObject([{ channel: GENERAL, thread: THREAD, history: ['hi'] }]);
  });

  test('to a person who has not written yet, by their id', async () => {
    const to = slack.privateChat(BEN);
    expect(to).toEqual({ chat: BEN });
    await sender.post({ chat: BEN }, piece('hi'), OPTIONS);
    expect(standIn.visible(directChannel(BEN))).toEqual(['hi']);
  });

  test('a command in a channel is answered to the person alone, and even where the bot is no member', async () => {
    standIn.addChannel('C0ELSEWHERE', [ANA]);
    const to = commandAddress('C0ELSEWHERE');
    expect(await sender.post(to, piece('hi', { onlyFor: ANA }), OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(newest()).toMatchObject({ channel: 'C0ELSEWHERE', onlyFor: ANA });
    expect(methods()).toEqual(['response_url']);
  });

  test('a command in a private chat of two others is answered there, to the person alone', async () => {
    standIn.addChannel('D0OTHERS01', [ANA, BEN]);
    await sender.post(commandAddress('D0OTHERS01'), piece('hi', { onlyFor: ANA }), OPTIONS);
    expect(newest()).toMatchObject({ channel: 'D0OTHERS01', onlyFor: ANA });
  });

  test('an answer of the assistant to a command goes to the private chat with the bot', async () => {
    standIn.addChannel('D0OTHERS01', [ANA, BEN]);
    await sender.post(commandAddress('D0OTHERS01'), piece('an answer'), OPTIONS);
    expect(standIn.visible(directChannel(ANA))).toEqual(['an answer']);
  });

  test('after five uses of the response URL it still is for the person alone', async () => {
    const to = commandAddress(GENERAL);
    for (let n = 0; n < 6; n++) await sender.post(to, piece(`answer ${n}`, { onlyFor: ANA }), OPTIONS);
    expect(standIn.messages.map(({ onlyFor }) => onlyFor)).toEqual(Array.from({ length: 6 }, () => ANA));
    expect(methods().slice(-2)).toEqual(['response_url', 'chat.postEphemeral']);
  });

  test('for one person in a thread; where nobody has written in it yet, in the channel (SPEC 4.3)', async () => {
    await sender.post(IN_THREAD, piece('hi', { onlyFor: ANA }), OPTIONS);
    expect(newest()).toMatchObject({ onlyFor: ANA, thread: THREAD });
    const first = { ...IN_THREAD, thread: '1790000000.000200' };
    await sender.post(first, piece('hi', { onlyFor: ANA }), OPTIONS);
    expect(newest()?.thread).toBeUndefined();
  });

  test('in a private chat nothing is for one person alone: nobody else reads it', async () => {
    await sender.post(DIRECT, piece('hi', { onlyFor: ANA }), OPTIONS);
    expect(newest()?.onlyFor).toBeUndefined();
  });
});

describe('how a call went (SPEC 13.6)', () => {
  const post = () => sender.post(IN_THREAD, piece('hi'), OPTIONS);

  test('too many calls: refused, with the wait that Slack asks for', async () => {
    standIn.fail(tooMany(7));
    expect(await post()).toEqual({ kind: 'refused', retryAfterMs: 7_000, reason: 'ratelimited' });
    expect(standIn.messages).toEqual([]);
  });

  test.each([
    ['account_inactive', 'channel'],
    ['token_revoked', 'channel'],
    ['invalid_auth', 'channel'],
    ['missing_scope', 'channel'],
    ['channel_not_found', 'chat'],
    ['not_in_channel', 'chat'],
    ['is_archived', 'chat'],
    ['restricted_action', 'chat'],
  ])('%s: the %s takes nothing any more', async (error, scope) => {
    standIn.fail({ kind: 'error', error });
    expect(await post()).toEqual({ kind: 'dead', scope, reason: error });
  });

  test.each([
    ['internal_error', { kind: 'unknown' }],
    ['fatal_error', { kind: 'unknown' }],
    ['team_added_to_org', { kind: 'refused', retryAfterMs: 30_000 }],
  ])('%s', async (error, expected) => {
    standIn.fail({ kind: 'error', error });
    expect(await post()).toMatchObject(expected);
  });

  test.each([
    ['a 500 of something in between', { kind: 'error', error: '', status: 500 } as const, { kind: 'unknown' }],
    ['a reset before it took effect', { kind: 'reset', effect: false } as const, { kind: 'unknown' }],
    ['a reset after it took effect', { kind: 'reset', effect: true } as const, { kind: 'unknown' }],
  ])('%s may have arrived', async (_case, failure, expected) => {
    standIn.fail(failure);
    expect(await post()).toMatchObject(expected);
  });

  test.each([true, false])('no answer in time, took effect: %s', async (effect) => {
    standIn.fail({ kind: 'hang', effect });
    const result = await sender.post(IN_THREAD, piece('hi'), { timeoutMs: 200 });
    expect(result).toEqual({ kind: 'unknown', reason: 'timeout' });
    expect(standIn.messages).toHaveLength(effect ? 1 : 0);
  });

  test.each(['invalid_blocks', 'msg_blocks_too_long', 'msg_too_long'])(
    '%s: the same words go out plain, with their buttons (SPEC 13.1)',
    async (error) => {
      standIn.fail({ kind: 'error', error });
      expect(await sender.post(DIRECT, piece('**hi**', UNDO), OPTIONS)).toMatchObject({ kind: 'sent' });
      expect(standIn.visible(directChannel(ANA))).toEqual(['hi']);
      expect(buttonsOf({ blocks: newest()?.blocks })).toHaveLength(1);
      expect(JSON.stringify(newest()?.blocks)).not.toContain('rich_text');
    },
  );

  test('in a channel that is archived or that the bot left, nothing is tried twice', async () => {
    standIn.archive(GENERAL);
    expect(await post()).toMatchObject({ kind: 'dead', scope: 'chat', reason: 'is_archived' });
    standIn.addChannel(GENERAL, [ANA]);
    expect(await post()).toMatchObject({ kind: 'dead', scope: 'chat', reason: 'not_in_channel' });
    expect(standIn.calls).toHaveLength(2);
  });

  test('no result tells the token (SPEC 14.2)', async () => {
    const away = slack.sender({ ...channel, apiRoot: 'http://127.0.0.1:65530' });
    const results = [await away.post(DIRECT, piece('hi'), OPTIONS), await post()];
    expect(results[0]).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(results)).not.toContain('xoxb');
  });
});

describe('edits', () => {
  test('change a message and take its buttons away', async () => {
    const sent = await sender.post(DIRECT, piece('one', UNDO), OPTIONS);
    const id = sent.kind === 'sent' ? sent.id : '';
    expect(await sender.edit(DIRECT, id, piece('*two*'), OPTIONS)).toEqual({ kind: 'sent', id });
    expect(newest()).toMatchObject({ history: ['one', 'two'] });
    expect(buttonsOf({ blocks: newest()?.blocks })).toEqual([]);
  });

  test('with the same text are harmless (case 94)', async () => {
    const sent = await sender.post(DIRECT, piece('one'), OPTIONS);
    const id = sent.kind === 'sent' ? sent.id : '';
    expect(await sender.edit(DIRECT, id, piece('one'), OPTIONS)).toEqual({ kind: 'sent', id });
  });

  test('of a message that was deleted say so, so that it is opened anew', async () => {
    const gone = await sender.edit(DIRECT, `${directChannel(ANA)}:1.1`, piece('one'), OPTIONS);
    expect(gone).toEqual({ kind: 'missing', reason: 'message_not_found' });
  });
});

describe('presses', () => {
  test('too late: a short private answer, and the buttons go (SPEC 11.2)', async () => {
    await sender.post(DIRECT, piece('Cleared.', UNDO), OPTIONS);
    const pressed = pressOn(newest());
    await sender.answerPress(pressed, 'Too late. '.repeat(40));
    expect(newest()).toMatchObject({ onlyFor: ANA, text: expect.stringMatching(/^.{1,200}$/) });
    await sender.removeChoices(pressed);
    expect(standIn.messages[0]).toMatchObject({ history: ['Cleared.', 'Cleared.'] });
    expect(buttonsOf({ blocks: standIn.messages[0]?.blocks })).toEqual([]);
  });

  test('on a card of 3,000 characters the buttons go too (case 55)', async () => {
    const text = 'x&'.repeat(1_200).slice(0, 1_000).padEnd(1_000, 'y');
    for (const one of slack.render({ markdown: `${text}\n\n${'word '.repeat(590)}`, ...UNDO })) {
      await sender.post(DIRECT, one, OPTIONS);
    }
    const before = newest();
    await sender.removeChoices(pressOn(before));
    expect(buttonsOf({ blocks: before?.blocks })).toEqual([]);
    expect(before?.history[1]).toBe(before?.history[0]);
  });

  test('SPEC 11.1: are left alone once an earlier press has changed the message', async () => {
    await sender.post(DIRECT, piece('Cleared.', UNDO), OPTIONS);
    const before = pressOn(newest());
    await sender.edit(DIRECT, sender.pressedMessage(before) ?? '', piece('Undone.'), OPTIONS);
    await sender.removeChoices(before, 'changed');
    expect(newest()?.history).toEqual(['Cleared.', 'Undone.']);
  });

  test('that is answered without words needs no call', async () => {
    await sender.post(DIRECT, piece('Cleared.', UNDO), OPTIONS);
    await sender.answerPress(pressOn(newest()));
    expect(methods()).toEqual(['chat.postMessage']);
  });

  test('on a message for one person outside its thread still are about the thread, and edit that message', async () => {
    const first = { ...IN_THREAD, thread: '1790000000.000200' };
    await sender.post(first, piece('Left.', { ...UNDO, onlyFor: ANA }), OPTIONS);
    const only = newest();
    const pressed = pressOn(only);
    expect(pressed.to).toMatchObject({ chat: GENERAL, thread: first.thread, group: true });
    const id = sender.pressedMessage(pressed) ?? '';
    expect(await sender.edit(pressed.to, id, piece('Back.'), OPTIONS)).toEqual({ kind: 'sent', id });
    expect(only).toMatchObject({ history: ['Left.', 'Back.'] });
    expect(methods()).toEqual(['chat.postEphemeral', 'response_url']);
  });

  test('on a message for one person take it away, since Slack does not tell what it holds', async () => {
    await sender.post(IN_THREAD, piece('Left.', { ...UNDO, onlyFor: ANA }), OPTIONS);
    await sender.removeChoices(pressOn(newest()));
    expect(standIn.messages).toEqual([]);
  });

  test('in a private chat are about the same place as what was written there (SPEC 11.1)', async () => {
    await sender.post(DIRECT, piece('Cleared.', UNDO), OPTIONS);
    const to: SlackAddress = pressOn(newest()).to;
    const { chat, channel: where, thread, group } = to;
    expect({ chat, where, thread, group }).toEqual({ chat: ANA, where: directChannel(ANA) });
  });
});

describe('the response URL (SPEC 14.2)', () => {
  test('stands sealed in the log, and opens with this channel’s secret alone', () => {
    const { token } = commandAddress(GENERAL);
    expect(JSON.stringify(token)).not.toContain('hooks');
    expect(openToken(channel.secrets.signingSecret ?? '', String(token))).toContain('/hooks/');
    expect(openToken('another secret', String(token))).toBeUndefined();
    expect(openToken(channel.secrets.signingSecret ?? '', 'AAAA')).toBeUndefined();
  });

  test('that is none of Slack’s is never called, whoever signed it', async () => {
    const token = sealToken(channel.secrets.signingSecret ?? '', 'http://169.254.169.254/latest');
    const to: SlackAddress = { ...IN_THREAD, token };
    await sender.post(to, piece('hi', { onlyFor: ANA }), OPTIONS);
    expect(methods()).toEqual(['chat.postEphemeral']);
  });
});
