import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawMarkdown } from '../../../lib/channels/shared/markdown.ts';
import { escaped, escapedLength } from '../../../lib/channels/teams/markdown.ts';
import { render, renderWithin } from '../../../lib/channels/teams/render.ts';
import type { Outgoing } from '../../../lib/ports/chatApp.ts';
import { buttonsOf, cardIn, cardWords, fieldsOf, type Params, refusedActivity } from '../../standins/teamsRules.ts';
import { kindsIn, shownText, strangeIn } from '../../standins/teamsText.ts';
import { markdown, seen } from '../arbitraries.ts';

const textsOf = (text: string) => render({ markdown: text }).map(({ body }) => String(body.text));
const bodiesOf = (outgoing: Outgoing) => render(outgoing).map(({ body }) => body);
const choices = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ label: `Choice ${n}`, value: `a:x:${n}` }));

/** The runs of a card's text, as `looks:words`, its paragraphs apart. */
function runsOf(body: Params | undefined): string[] {
  const blocks = (cardIn(body ?? {})?.body ?? []) as { inlines?: Params[] }[];
  const looks = ({ type: _type, text, ...look }: Params) =>
    [Object.keys(look).join('+'), text].filter(Boolean).join(':');
  return blocks.flatMap(({ inlines }) => (inlines ? [inlines.map(looks).join('|')] : []));
}

describe('Markdown as Teams shows it (SPEC 13.1)', () => {
  test.each<[string, string, string]>([
    ['styles', 'a **b** _c_ ~~d~~ `e`', 'a **b** *c* ~~d~~ `e`'],
    ['styles beside each other', '**a**_b_', '**a**\u2060*b*'],
    ['a style that ends with a sign', '**Note:** this', '**Note:** this'],
    ['a heading', '# Title\ntext', '**Title**\n\ntext'],
    ['code', 'a\n\n```ts\nlet x = `1`;\n```\n\nb', 'a\n\n```\nlet x = `1`;\n```\n\n\nb'],
    ['code with a fence in it', '````\n```\n````', '````\n```\n````\n'],
    ['ticks in code', '`` a`b ``', '``a`b``'],
    ['a quotation, and what follows', '> a\n> b\n\nc', '> a  \n> b\n\nc'],
    ['a quotation, and a list', '> a\n\n1. b', '> a\n\n1\\. b'],
    ['a list', '- a\n  - b\n- [x] c', '• a  \n\u00a0\u00a0• b  \n☑ c'],
    ['numbers', '1. a\n2. b', '1\\. a  \n2\\. b'],
    ['a link', '[x](https://x.org/a_(b))', '[x](https://x.org/a%5F%28b%29)'],
    ['an address', 'see https://x.org/a_b', 'see [https\\://x.org/a\\_b](https://x.org/a%5Fb)'],
    ['names with underscores (case 83)', 'my_model_v2 2 * 3 * 4', 'my\\_model\\_v2 2 \\* 3 \\* 4'],
    ['a narrow table', '| a | n |\n|--|--:|\n| x | 10 |', '```\na   n\n─  ──\nx  10\n```\n'],
  ])('%s', (_case, text, expected) => {
    expect(textsOf(text)).toEqual([expected]);
  });

  test('people read the words as they were drawn, whatever is in them', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const pieces = textsOf(text);
        const drawn = drawMarkdown(text).text;
        expect(seen(pieces.map(shownText).join(''))).toBe(seen(drawn) || '…');
        expect(pieces.flatMap(strangeIn)).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  });

  test('escaped text is shown as it is, in no formatting, and is as long as it was counted at most', () => {
    const signs = fc.constantFrom(...'\\`*_{}[]()#+-.!|~<>&=:@/"\'1 \n\tax'.split(''));
    fc.assert(
      fc.property(
        fc.array(signs, { maxLength: 60 }).map((all) => all.join('')),
        (text) => {
          expect(seen(shownText(escaped(text)))).toBe(seen(text));
          expect(new Set([...kindsIn(escaped(text)), 'root', 'paragraph', 'text', 'break'])).toEqual(
            new Set(['root', 'paragraph', 'text', 'break']),
          );
          expect(escaped(text).length).toBeLessThanOrEqual(escapedLength(text));
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe('hazards (SPEC 13.4)', () => {
  test.each([
    ['a mention', '<at>Ben</at> <at id="0">all</at>', '&lt;at&gt;Ben&lt;/at&gt; &lt;at id="0"&gt;all&lt;/at&gt;'],
    ['HTML', '<img src=x onerror=y> &amp;lt;', '&lt;img src=x onerror=y&gt; &amp;lt;'],
    ['a look-alike', '[https://a.com](https://b.com)', 'https\\://a.com ([https\\://b.com/](https://b.com/))'],
    ['a script', '[x](javascript:alert(1))', 'x (javascript:alert(1))'],
    ['a place of a quotation', '<quoted messageId="1"/>', '&lt;quoted messageId="1"/&gt;'],
    [
      'an address behind a “!”, which would be an image',
      'see!https://x.org/',
      'see\\![https\\://x.org/](https://x.org/)',
    ],
    ['an image, which clients would fetch', '![x](https://x.org/a.png)', '[x](https://x.org/a.png)'],
  ])('%s', (_case, text, expected) => {
    expect(textsOf(text)).toEqual([expected]);
  });

  test('no message has entities, so nobody is mentioned; a card opens no address', () => {
    const text = '<at>Ben</at> [x](https://evil.example)';
    const all = JSON.stringify([render({ markdown: text }), render({ markdown: text, choices: choices(2) })]);
    expect(all).not.toMatch(/entities|OpenUrl|selectAction|"url"/);
  });
});

describe('choices (SPEC 11.5)', () => {
  test('stand in a card with the text, which no mark can change', () => {
    const [body, ...more] = bodiesOf({ markdown: '# A *b*\n\n`c` [x](https://x.org/) **d_e_**', choices: choices(2) });
    expect(more).toEqual([]);
    expect(runsOf(body)).toEqual(['weight:A |weight+italic:b', 'fontType:c| |x (https://x.org/)| |weight:d_e_']);
    expect(buttonsOf(body ?? {})).toEqual([
      { title: 'Choice 0', data: { press: 'a:x:0' } },
      { title: 'Choice 1', data: { press: 'a:x:1' } },
    ]);
    expect(body).toMatchObject({ summary: 'A b c x d_e_' });
  });

  test('bring the card’s words along, since a press does not tell them', () => {
    const [body] = bodiesOf({ markdown: 'Which *one*?', choices: choices(1) });
    expect(fieldsOf(body ?? {})).toEqual({ shown: 'Which one?' });
  });

  test('no more than six, with labels that fit', () => {
    const long = { label: '🎉'.repeat(60), value: 'a:x:0', style: 'danger' as const };
    const [body] = bodiesOf({ markdown: 'x', choices: [long, { label: ' ', value: 'a:x:1' }, ...choices(9)] });
    expect(buttonsOf(body ?? {})).toHaveLength(6);
    expect(cardIn(body ?? {})?.actions).toMatchObject([{ style: 'destructive' }, { title: '…' }, {}, {}, {}, {}]);
    expect(refusedActivity(body ?? {})).toBeUndefined();
  });

  test('under a long text only its end stands in the card', () => {
    const bodies = bodiesOf({ markdown: 'word '.repeat(5_000), choices: choices(1) });
    expect(bodies.map((body) => cardIn(body) !== undefined)).toEqual([...bodies.slice(1).map(() => false), true]);
    expect(cardWords(cardIn(bodies.at(-1) ?? {}) ?? {}).length).toBeLessThanOrEqual(4_000);
  });

  test('a text of many looks is a card without them, rather than one that is too large', () => {
    const [body] = bodiesOf({ markdown: '**a** *b* '.repeat(390), choices: choices(6) }).slice(-1);
    expect(refusedActivity(body ?? {})).toBeUndefined();
    expect(runsOf(body)).toHaveLength(1);
  });

  test('any text makes a card that Teams takes', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const bodies = bodiesOf({ markdown: text, choices: choices(6) });
        expect(bodies.map((body) => refusedActivity(body))).toEqual(bodies.map(() => undefined));
      }),
      { numRuns: 500 },
    );
  });

  test('what takes the place of a card is a card: clients go on showing it where it becomes a text', () => {
    const [body] = bodiesOf({ markdown: 'Undone.', inPlace: true });
    expect(runsOf(body)).toEqual(['Undone.']);
    expect(buttonsOf(body ?? {})).toEqual([]);
  });
});

describe('pieces (SPEC 13.2)', () => {
  test('a block of code that is cut in two is closed and opened again', () => {
    const code = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n');
    const pieces = renderWithin({ markdown: `\`\`\`\n${code}\n\`\`\`` }, 100).map(({ body }) => String(body.text));
    expect(pieces.length).toBeGreaterThan(3);
    for (const piece of pieces) expect(piece).toMatch(/^```\n[\s\S]+\n```\n$/);
    expect(pieces.map(shownText).join('\n').replaceAll('\n\n', '\n')).toBe(code);
  });

  test('a message stays far under what Teams takes, whatever it is made of', () => {
    for (const sign of ['&', '漢', '🎉', '`', '\n']) {
      for (const body of bodiesOf({ markdown: `${sign}x`.repeat(30_000) })) {
        expect(refusedActivity(body)).toBeUndefined();
      }
    }
  });
});
