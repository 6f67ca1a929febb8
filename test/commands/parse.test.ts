import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseGoalArg } from '../../lib/commands/arguments.ts';
import { nameKey, parseChatCommand } from '../../lib/commands/parse.ts';
import { editDistance, similarCommands } from '../../lib/commands/similar.ts';

describe('parseChatCommand (SPEC 3.1)', () => {
  test.each([
    ['/clear', 'clear', ''],
    ['/Clear', 'Clear', ''],
    ['/goal Speak of whales', 'goal', 'Speak of whales'],
    ['/goal   Speak of whales  ', 'goal', 'Speak of whales'],
    ['/plan\nbook a room\ninvite Ben', 'plan', 'book a room\ninvite Ben'],
    ['/goal\tx', 'goal', 'x'],
    [' /status', 'status', ''],
    ['\n\n/status', 'status', ''],
    ['\u00a0/status', 'status', ''],
    ['\u200b/status', 'status', ''],
    ['\ufeff/status', 'status', ''],
    ['/my-cmd_2:x y', 'my-cmd_2:x', 'y'],
    ['/анекдот', 'анекдот', ''],
    ['/Баланс сейчас', 'Баланс', 'сейчас'],
    ['/नमस्ते', 'नमस्ते', ''],
    ['/_', '_', ''],
    ['/1', '1', ''],
    ['/mycmd “two words” x', 'mycmd', '“two words” x'],
    ['/clear\u3000all', 'clear', 'all'],
  ])('%j is a command', (text, name, args) => expect(parseChatCommand(text)).toEqual({ name, args }));

  test.each([
    ...['', '/', '/ x', '//', '//x', '/usr/bin/x', '/usr/bin/env: not found, why?', '/etc/', '/README.md is empty'],
    ...[
      '/a.b',
      'fix /clear please',
      '1/2',
      'that is not /tmp/x',
      'Is /model or /plan better here?',
      '/clear!',
      '/clear,',
    ],
    ...[
      '`/clear`',
      '```\n/clear\n```',
      '> /clear',
      'text\n/clear',
      '/clear@acme_bot',
      '\\/clear',
      '／clear',
      '/🐳',
      '-/x',
    ],
  ])('%j is prose', (text) => expect(parseChatCommand(text)).toBeUndefined());

  test('cases A 7: a lone word after a slash is a command, known or not', () => {
    expect(parseChatCommand('/etc')).toEqual({ name: 'etc', args: '' });
  });

  test('it never throws, and what it reads can be put together again', () => {
    const property = fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[/ \n@a.:_-]{0,9}$/)),
      (text) => {
        const parsed = parseChatCommand(text);
        if (!parsed) return;
        expect(parsed.name).toMatch(/^[\p{L}\p{M}\p{N}_:-]+$/u);
        expect(parsed.args).toBe(parsed.args.trim());
        expect(text).toContain(`/${parsed.name}`);
        expect(text.trimEnd().endsWith(parsed.args)).toBe(true);
        expect(parseChatCommand(`/${parsed.name} ${parsed.args}`)).toEqual(parsed);
      },
    );
    fc.assert(property, { numRuns: 1_000 });
  });

  test('any name followed by white space and any words is that command with those words', () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9_:-]{1,12}$/);
    const blank = fc.constantFrom(' ', '\n', '\t', '  \n');
    const property = fc.property(name, blank, fc.string({ unit: 'grapheme' }), (command, between, words) => {
      expect(parseChatCommand(`/${command}${between}${words}`)).toEqual({ name: command, args: words.trim() });
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('SPEC 3.1: names match without regard to case, - and _', () => {
    expect(nameKey('My_Cmd')).toBe(nameKey('my-cmd'));
    expect(nameKey('a_b-c')).toBe('a-b-c');
  });
});

describe('parseGoalArg (SPEC 4.7)', () => {
  test.each(['', '  ', '\n'])('%j shows', (args) => expect(parseGoalArg(args)).toEqual({ kind: 'show' }));
  test.each(['clear', 'off', 'none', 'stop', 'remove', 'CLEAR', ' Off '])('%j clears', (args) =>
    expect(parseGoalArg(args)).toEqual({ kind: 'clear' }),
  );
  test.each(['clear the table', 'offline', '—fast “quoted”', 'stop!', 'a\nb'])('%j is a goal, byte for byte', (args) =>
    expect(parseGoalArg(args)).toEqual({ kind: 'set', goal: args }),
  );
});

describe('similarCommands (SPEC 4.6)', () => {
  const names = ['new', 'reset', 'stop', 'help', 'commands', 'start', 'clear', 'undo', 'goal', 'status', 'compact'];

  test.each([
    ['st', ['stop', 'start', 'status']],
    ['statsu', ['status']],
    ['clera', ['clear']],
    ['gaol', ['goal']],
    ['hlep', ['help']],
    ['neww', ['new']],
    ['nwe', ['new']],
    ['comp', ['compact']],
    ['COM', ['commands', 'compact']],
    ['s', []],
    ['xyz', []],
    ['imagine', []],
    ['goxx', []],
    ['clxxr', ['clear']],
    ['', []],
  ])('%j probably means %j', (typed, expected) => expect(similarCommands(typed, names)).toEqual(expected));

  test('those that begin with what was typed come first, then the nearest', () => {
    expect(similarCommands('stat', ['stop', 'start', 'status'])).toEqual(['status', 'start']);
    expect(similarCommands('my_cm', ['my-cmd'])).toEqual(['my-cmd']);
  });

  test('never farther than 1 edit for up to 4 characters, 2 for more; only of the names given; endless names are no slip', () => {
    const property = fc.property(
      fc.stringMatching(/^[a-e]{1,8}$/),
      fc.array(fc.stringMatching(/^[a-e]{1,8}$/)),
      (typed, all) => {
        for (const found of similarCommands(typed, all)) {
          expect(all).toContain(found);
          const near = editDistance(typed, found) <= (typed.length <= 4 ? 1 : 2);
          expect(near || (typed.length >= 2 && found.startsWith(typed))).toBe(true);
        }
      },
    );
    fc.assert(property, { numRuns: 300 });
    expect(similarCommands('a'.repeat(60_000), ['a'.repeat(60_001)])).toEqual([]);
  });
});

describe('editDistance', () => {
  const word = fc.stringMatching(/^[abc]{0,7}$/);

  test('an adjacent swap is one edit', () => {
    expect(editDistance('statsu', 'status')).toBe(1);
    expect(editDistance('ca', 'abc')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('kitten', 'sitting')).toBe(3);
  });

  test('it is 0 for equal words only, the same both ways, and between the difference and the longer of the lengths', () => {
    const property = fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b);
      expect(distance === 0).toBe(a === b);
      expect(editDistance(b, a)).toBe(distance);
      expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
    });
    fc.assert(property, { numRuns: 500 });
  });
});
