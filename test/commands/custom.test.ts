import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandCustom, expandedLength, filledCommand, filledSkill } from '../../lib/commands/custom.ts';

describe('SPEC 10.2: expandCustom', () => {
  test.each([
    ['both placeholders, each time', 'a {{args}} b {{prompt}} c {{args}}', 'X', 'a X b X c X'],
    ['no argument text: an empty string (case L 137)', 'a [{{args}}]', '', 'a []'],
    ['no placeholder: behind a line ---', 'Be brief.', 'Why?', 'Be brief.\n---\nWhy?'],
    ['no placeholder, a file that ends with a line', 'Be brief.\n', 'a\nb', 'Be brief.\n---\na\nb'],
    ['neither placeholder nor argument: as it stands', ' Be brief. \n', '', ' Be brief. \n'],
    [
      'an escaped placeholder is the placeholder itself (case L 137)',
      'write \\{{args}}, got {{args}}',
      'X',
      'write {{args}}, got X',
    ],
    ['an escaped one alone is no placeholder', '\\{{prompt}}', 'X', '{{prompt}}\n---\nX'],
    ['an escaped one alone, no argument', '\\{{args}}', '', '{{args}}'],
    [
      'what was typed is never expanded again (case L 136)',
      '<{{args}}>',
      '{{args}} {{prompt}} \\{{args}} $1',
      '<{{args}} {{prompt}} \\{{args}} $1>',
    ],
    ['$& and the like mean nothing', '{{args}}{{args}}', "$& $` $' $$ $<a>", "$& $` $' $$ $<a>$& $` $' $$ $<a>"],
    ['$& in the template means nothing', '$& {{args}}', 'X', '$& X'],
    ['other braces are prose', '{{ args }} {args} {{Args}} {{x}}', '', '{{ args }} {args} {{Args}} {{x}}'],
    [
      'dashes and quotes of phones stay (SPEC 4.7, cases A 16, 17)',
      '{{args}}',
      '—fast “two words”',
      '—fast “two words”',
    ],
    ['lone surrogates stay', '\ud800{{args}}', '\udc00', '\ud800\udc00'],
  ])('%s', (_what, template, args, expected) => {
    expect(expandCustom(template, args)).toBe(expected);
  });

  const piece = fc.constantFrom('{{args}}', '{{prompt}}', '\\{{args}}', '\\', '{{', '}}', '$&', '\n', 'x', '---');
  const templates = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const argument = fc.oneof(fc.string(), templates);

  test('one pass: the argument is put in whole, as often as there are placeholders', () => {
    fc.assert(
      fc.property(templates, argument, (template, args) => {
        const count = [...template.matchAll(/(?<!\\)\{\{(?:args|prompt)\}\}/gu)].length;
        const mark = '\u0001';
        const shape = expandCustom(template, mark);
        expect(shape.split(mark)).toHaveLength((count || 1) + 1);
        if (args !== '') expect(expandCustom(template, args)).toBe(shape.replaceAll(mark, () => args));
      }),
    );
  });

  test('its length is known before it is made', () => {
    fc.assert(
      fc.property(templates, argument, (template, args) => {
        expect(expandedLength(template, args)).toBe(expandCustom(template, args).length);
      }),
    );
  });

  test('a template without a placeholder and an escape comes through byte for byte', () => {
    fc.assert(
      fc.property(fc.string(), (template) => {
        fc.pre(!template.includes('{{'));
        expect(expandCustom(template, '')).toBe(template);
        expect(expandCustom(template, 'x').startsWith(template)).toBe(true);
      }),
    );
  });
});

test('SPEC 10.3: the model reads the expansion, people see what was typed, by the canonical name', () => {
  const command = {
    name: 'deploy-prod',
    description: 'd',
    enabled: true,
    who: 'people',
    template: 'Go: {{args}}',
  } as const;
  expect(filledCommand(command, '/Deploy_Prod  now', 'now')).toEqual({
    text: 'Go: now',
    command: { name: 'deploy-prod', display: '/Deploy_Prod  now' },
  });
});

test('SPEC 4.5, 10.4: a typed skill goes as typed, behind its text', () => {
  const filled = filledSkill({ name: 'tone', description: 'd', text: 'Write short.\n' }, '/tone a mail');
  expect(filled.command).toEqual({ name: 'tone', display: '/tone a mail' });
  expect(filled.text).toMatch(/Write short\.\n<\/skill>\n\n\/tone a mail$/u);
});
