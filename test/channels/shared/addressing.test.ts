import { describe, expect, test } from 'vitest';
import { readAddressing, withoutAddress } from '../../../lib/channels/shared/addressing.ts';
import { pressedChoice } from '../../../lib/channels/shared/press.ts';
import { actionValue } from '../../../lib/conversations/replies.ts';

describe('our name in a message (SPEC 3.2)', () => {
  const ours = (typed: string, mentioned: boolean, namesUs: boolean) => ({ kind: 'ours', typed, mentioned, namesUs });

  test.each([
    ['/new@acme_bot', ours('/new', false, true)],
    ['/NEW@Acme_Bot\ntwo lines', ours('/NEW\ntwo lines', false, true)],
    [' /clear@acme_bot', ours(' /clear', false, true)],
    ['\u200b/clear@acme_bot', ours('\u200b/clear', false, true)],
    ['@acme_bot /status', ours('/status', true, true)],
    ['@acme_bot /status@acme_bot x', ours('/status x', true, true)],
    ['@acme_bot, /status', ours('/status', true, true)],
    ['@acme_bot hello  there', ours('hello  there', true, false)],
    ['  @ACME_BOT\u00a0hi', ours('hi', true, false)],
    ['@acme_bot', ours('', true, false)],
    ['@acme_bots hi', ours('@acme_bots hi', false, false)],
    ['@other_bot hi', ours('@other_bot hi', false, false)],
    ['hi @acme_bot', ours('hi @acme_bot', false, false)],
    ['/usr/bin/env: not found', ours('/usr/bin/env: not found', false, false)],
    ['/a@acme_bot.com', ours('/a@acme_bot.com', false, false)],
    [' keep\tmy  blanks \n', ours(' keep\tmy  blanks \n', false, false)],
    ['fix /clear@other_bot please', ours('fix /clear@other_bot please', false, false)],
  ])('%j', (text, expected) => {
    expect(readAddressing(text, 'acme_bot')).toEqual(expected);
  });

  test.each(['/status@other_bot', ' /status@other_bot now', '/анекдот@other_bot', '@acme_bot /x@other_bot'])(
    '%j is for another bot',
    (text) => {
      expect(readAddressing(text, 'acme_bot')).toEqual({ kind: 'other-bot' });
    },
  );

  test('a bot without a name is never named', () => {
    expect(readAddressing('@ hi', undefined)).toEqual(ours('@ hi', false, false));
    expect(readAddressing('/x@acme_bot', undefined)).toEqual({ kind: 'other-bot' });
  });
});

test.each([
  ['@acme_bot hello  there', 'hello  there'],
  ['@acme_bot: hi', 'hi'],
  ['@acme_bot, hi, you', 'hi, you'],
  ['@acme_bot :) hi', ':) hi'],
  ['@acme_bot:) hi', ':) hi'],
  ['ask @acme_bot', 'ask @acme_bot'],
  ['@acme_bot', '@acme_bot'],
  ['@other_bot hi', '@other_bot hi'],
  ['@acme_bot /x@other_bot', '@acme_bot /x@other_bot'],
])('SPEC 3.2: an address at the beginning is not among the words that the model reads: %j', (text, words) => {
  expect(withoutAddress(text, readAddressing(text, 'acme_bot'))).toBe(words);
});

describe('what a button carries', () => {
  test('comes back as it was written (SPEC 11.1)', () => {
    const action = 'Ab_-567890123456789012_4';
    expect(pressedChoice(actionValue(action, 24))).toEqual({ action, choice: 24 });
    expect(Buffer.byteLength(actionValue(action, 24))).toBeLessThanOrEqual(64);
  });

  test.each([
    '',
    'a::0',
    'a:x:',
    'a:x:-1',
    'a:x:1e3',
    'a:x:0\n',
    'b:x:0',
    'a:x y:0',
    `a:${'x'.repeat(25)}:0`,
    'a:x:0:0',
  ])('%j is not ours (SPEC 11.2)', (value) => {
    expect(pressedChoice(value)).toEqual({ action: '', choice: 0 });
  });
});
