import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escaped, escapedLength } from '../../../lib/channels/discord/markdown.ts';
import { render } from '../../../lib/channels/discord/render.ts';
import { drawMarkdown } from '../../../lib/channels/shared/markdown.ts';
import { isBlank } from '../../../lib/channels/shared/rich.ts';
import { shownText } from '../../standins/discord.ts';
import { refusedMessage } from '../../standins/discordRules.ts';
import { markdown, seen } from '../arbitraries.ts';

const contentOf = (text: string) => render({ markdown: text }).map(({ body }) => String(body.content));

test('SPEC 13.1: people read the words as they were drawn, whatever is in them', () => {
  fc.assert(
    fc.property(markdown, (text) => {
      const { text: drawn } = drawMarkdown(text);
      fc.pre(!isBlank(drawn) && drawn.length < 600);
      expect(seen(contentOf(text).map(shownText).join(''))).toBe(seen(drawn));
    }),
    { numRuns: 2_000 },
  );
});

test('SPEC 13.1: escaped text is shown as it is, and is as long as it was counted at most', () => {
  const odd = fc.constantFrom(
    '*',
    '_',
    '`',
    '~',
    '|',
    '\\',
    '<',
    '>',
    '@',
    '#',
    '-',
    ':',
    '[',
    ']',
    '(',
    ' ',
    '\n',
    'a',
    '1.',
  );
  const text = fc
    .array(fc.oneof(odd, fc.string({ unit: 'grapheme' })), { maxLength: 40 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (words) => {
      expect(shownText(escaped(words))).toBe(words);
      expect(escaped(words).length).toBeLessThanOrEqual(escapedLength(words));
    }),
    { numRuns: 3_000 },
  );
});

describe('SPEC 13.1: Discord’s own formatting', () => {
  test.each([
    ['bold, italics, strike', '**a** *b* ~~c~~ ***d***', '**a** *b* ~~c~~ *\u2060**d***'],
    ['styles side by side', '**a***b*', '**a**\u2060*b*'],
    ['headings up to three', '# a\n\n### b\n\n#### c', '# a\n\n### b\n\n**c**'],
    ['a quotation', '> a\n>\n> b\n\nc', '> a\n> \n> b\n\nc'],
    ['code in a line', '`a_b` and `` x`y ``', '`a_b` and ``x`y``'],
    ['a block of code', '```ts\nlet x = 1;\n```', '```ts\nlet x = 1;\n```'],
    ['ticks in a block', '````\n```\n````', '```\n``\u2060`\u2060\n```'],
    ['a list', '- a\n- b\n  - c', '• a\n• b\n  • c'],
    ['a small table', '| a | b |\n|---|---|\n| 1 | 2 |', '```\na  b\n─  ─\n1  2\n```'],
    ['a link', '[here](https://example.com/a_b(c))', '[here](<https://example.com/a%5Fb%28c%29>)'],
    ['an address', 'see https://example.com/a_b', 'see <https://example.com/a_b>'],
  ])('%s', (_case, text, content) => {
    expect(contentOf(text)).toEqual([content]);
  });
});

describe('SPEC 13.4: hazards', () => {
  test.each([
    ['everybody', '@everyone @here', '\\@everyone \\@here'],
    ['people, roles, channels', '<@1> <@&2> <#3>', '\\<\\@1> \\<\\@&2> \\<#3>'],
    ['an emoji and a time', ':wave: \\<t:1:R>', '\\:wave: \\<t\\:1:R>'],
    [
      'a look-alike',
      '[https://good.example](https://evil.example)',
      'https\\://good.example (<https://evil.example/>)',
    ],
    ['a script', '[x](javascript:alert(1))', 'x (javascript:alert(1))'],
    ['small print', '\\-# a', '\\-# a'],
    ['a spoiler', '||a||', '\\|\\|a\\|\\|'],
  ])('%s', (_case, text, content) => {
    expect(contentOf(text)).toEqual([content]);
  });

  test('no piece can mention anybody, or show a preview', () => {
    for (const { body, plain } of render({ markdown: `@everyone ${'word '.repeat(900)}`, onlyFor: '1' })) {
      expect(body).toMatchObject({ allowed_mentions: { parse: [] }, flags: 68 });
      expect(plain).toMatchObject({ allowed_mentions: { parse: [] }, flags: 68 });
    }
  });
});

describe('SPEC 13.2: pieces', () => {
  test('a block of code that is cut in two is closed and opened again', () => {
    const pieces = contentOf(`\`\`\`ts\n${'let x_y = `1`;\n'.repeat(300)}\`\`\``);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) expect(piece).toMatch(/^```ts\n[\s\S]+\n```$/);
  });

  test('marks that would make a piece too long make it two', () => {
    const text = Array.from({ length: 200 }, (_, n) => `[link ${n}](https://example.com/${n})`).join(' ');
    const pieces = contentOf(text);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(2_000);
    expect(seen(pieces.map(shownText).join(''))).toBe(seen(drawMarkdown(text).text));
    for (const piece of pieces) expect(piece).toContain('](<https://example.com/');
  });
});

describe('SPEC 11.5: choices', () => {
  const choices = (count: number, label = 'Choice') =>
    Array.from({ length: count }, (_, n) => ({ label: `${label} ${n}`, value: `a:x:${n}` }));

  test('five in a row, up to 25', () => {
    const [piece] = render({ markdown: 'Which?', choices: choices(30) });
    const rows = piece?.body.components as { components: object[] }[];
    expect(rows.map(({ components }) => components.length)).toEqual([5, 5, 5, 5, 5]);
    expect(refusedMessage(piece?.body ?? {})).toBeUndefined();
  });

  test('a style, a long and an empty label', () => {
    const [piece] = render({
      markdown: 'Sure?',
      choices: [
        { label: '🎉'.repeat(60), value: 'a:x:0', style: 'danger' },
        { label: ' ', value: 'a:x:1', style: 'primary' },
      ],
    });
    expect(piece?.body.components).toMatchObject([{ components: [{ style: 4 }, { style: 1, label: '…' }] }]);
    expect(refusedMessage(piece?.body ?? {})).toBeUndefined();
  });

  test('a value that no button holds is left out (case 52)', () => {
    const [piece] = render({ markdown: 'x', choices: [{ label: 'a', value: 'x'.repeat(101) }, ...choices(1)] });
    expect(piece?.body.components).toMatchObject([{ components: [{ custom_id: 'a:x:0' }] }]);
  });
});
