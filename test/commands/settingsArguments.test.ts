import { describe, expect, test } from 'vitest';
import { parseEffortArg, parseModeArg, parseModelArg, parseSwitch, plainValue } from '../../lib/commands/arguments.ts';
import type { ModelFacts } from '../../lib/commands/command.ts';
import { isFreer, modeBeforePlan, nearestEffort } from '../../lib/domain/settings.ts';
import { initialState } from '../../lib/domain/state.ts';

describe('values and switches as they were meant (SPEC 4.7)', () => {
  test.each([
    ['sonnet —fast', 'sonnet --fast'],
    ['sonnet –fast', 'sonnet -fast'],
    ['gpt‑5', 'gpt-5'],
    ['“high”', 'high'],
    ['‘high’', 'high'],
    [' „on“ ', 'on'],
    ['"', '"'],
    ['', ''],
  ])('cases A 16, 17: %j is %j', (typed, value) => expect(plainValue(typed)).toBe(value));

  test.each(['on', 'yes', 'TRUE', '1', 'enable', '“on”'])('%j is on', (typed) => expect(parseSwitch(typed)).toBe(true));
  test.each(['off', 'No', 'false', '0', 'disable'])('%j is off', (typed) => expect(parseSwitch(typed)).toBe(false));
  test('nothing toggles; anything else is no switch', () => {
    expect(parseSwitch('  ')).toBe('toggle');
    for (const typed of ['maybe', 'onn', 'toString', '2']) expect(parseSwitch(typed)).toBeUndefined();
  });
});

describe('effort (SPEC 4.7)', () => {
  test.each([
    ['low', 'low'],
    ['HI', 'high'],
    ['med', 'medium'],
    ['ma', 'max'],
    ['“high”', 'high'],
  ] as const)('%j is %s', (typed, effort) => expect(parseEffortArg(typed)).toEqual({ effort, asked: effort }));

  test.each(['default', 'auto', 'd', 'Auto'])('%j is the default', (typed) =>
    expect(parseEffortArg(typed)).toEqual({ effort: null }),
  );

  test.each(['m', 'x', 'highest', ''])('%j is none', (typed) => expect(parseEffortArg(typed)).toBeUndefined());

  test('a provider with fewer levels gets the nearest; of two, the lower', () => {
    expect(parseEffortArg('max', ['low', 'medium', 'high'])).toEqual({ effort: 'high', asked: 'max' });
    expect(parseEffortArg('low', ['high'])).toEqual({ effort: 'high', asked: 'low' });
    expect(nearestEffort('medium', ['high', 'low'])).toBe('low');
    expect(nearestEffort('medium', [])).toBe('medium');
  });
});

const model = (name: string): ModelFacts => {
  const [provider = '', ...rest] = name.split('/');
  return { name, provider, model: rest.join('/'), contextWindow: 1, efforts: ['low'], fast: false };
};
const MODELS = [
  'main/claude-sonnet-5',
  'main/claude-haiku-5',
  'other/claude-haiku-5',
  'other/gpt-5',
  'solo/gemini',
].map(model);

describe('/model NAME (SPEC 4.2)', () => {
  test.each([
    ['main/claude-sonnet-5', 'main/claude-sonnet-5'],
    ['claude-sonnet-5', 'main/claude-sonnet-5'],
    ['Claude-Sonnet-5', 'main/claude-sonnet-5'],
    ['claude-s', 'main/claude-sonnet-5'],
    ['other/c', 'other/claude-haiku-5'],
    ['solo', 'solo/gemini'],
    ['“gpt–5”', 'other/gpt-5'],
  ])('%j is %s', (typed, name) =>
    expect(parseModelArg(typed, MODELS)).toEqual({ kind: 'set', model: name, fast: false }),
  );

  test('nothing shows, default and auto go back, a provider with several is opened', () => {
    expect(parseModelArg('', MODELS)).toEqual({ kind: 'show' });
    for (const typed of ['default', 'auto'])
      expect(parseModelArg(typed, MODELS)).toEqual({ kind: 'set', model: null, fast: false });
    expect(parseModelArg('Other', MODELS)).toEqual({ kind: 'provider', provider: 'other' });
  });

  test.each(['—fast', '–fast', '--fast', '-fast'])('cases A 16: a phone’s %j is the flag', (flag) =>
    expect(parseModelArg(`gpt-5 ${flag}`, MODELS)).toEqual({ kind: 'set', model: 'other/gpt-5', fast: true }),
  );

  test('what several have is not guessed; what none has is not either', () => {
    expect(parseModelArg('claude-haiku-5', MODELS)).toEqual({
      ...{ kind: 'unread', typed: 'claude-haiku-5', match: 'claude-haiku-5' },
    });
    expect(parseModelArg('sonnet', MODELS)).toEqual({ kind: 'unread', typed: 'sonnet', match: 'sonnet' });
    expect(parseModelArg('llama', MODELS)).toEqual({ kind: 'unread', typed: 'llama' });
    expect(parseModelArg('--fast', MODELS)).toEqual({ kind: 'unread', typed: '' });
  });
});

describe('modes (SPEC 7.5)', () => {
  test.each([
    ['trust', 'trust'],
    ['Full trust', 'trust'],
    ['full', 'trust'],
    ['edit freely', 'edit'],
    ['p', 'plan'],
    ['au', 'auto'],
  ])('%j is %s', (typed, mode) => expect(parseModeArg(typed)).toBe(mode));

  test('default is the default; auto is a mode', () => {
    expect(parseModeArg('default')).toBeNull();
    expect(parseModeArg('Def')).toBeNull();
    expect(parseModeArg('auto')).toBe('auto');
  });

  test.each(['a', 'free', ''])('%j is none', (typed) => expect(parseModeArg(typed)).toBeUndefined());

  test('only the way up to edit, auto and trust is freer', () => {
    const ups = [
      ...(['edit', 'auto', 'trust'] as const).flatMap((to) => [['plan', to] as const, ['ask', to] as const]),
      ...([
        ['edit', 'auto'],
        ['edit', 'trust'],
        ['auto', 'trust'],
      ] as const),
    ];
    const modes = ['plan', 'ask', 'edit', 'auto', 'trust'] as const;
    const freer = modes.flatMap((from) => modes.filter((to) => isFreer(from, to)).map((to) => [from, to] as const));
    expect(new Set(freer.map(String))).toEqual(new Set(ups.map(String)));
  });

  test('SPEC 7.3: the mode before plan is the last one there, else the default unless that is plan, else ask', () => {
    expect(modeBeforePlan({ ...initialState, modeBeforePlan: 'auto' }, { mode: 'edit' })).toBe('auto');
    expect(modeBeforePlan(initialState, { mode: 'edit' })).toBe('edit');
    expect(modeBeforePlan(initialState, { mode: 'plan' })).toBe('ask');
    expect(modeBeforePlan(initialState, {})).toBe('ask');
  });
});
