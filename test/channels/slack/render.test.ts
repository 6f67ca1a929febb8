import { describe, expect, test } from 'vitest';
import { render, renderWithin } from '../../../lib/channels/slack/render.ts';
import type { RichElement, RichPart } from '../../../lib/channels/slack/richText.ts';
import type { Outgoing } from '../../../lib/ports/chatApp.ts';
import { buttonsOf, refusedMessage } from '../../standins/slackRules.ts';

interface Body {
  text: string;
  user?: string;
  blocks: { type: string; elements: RichPart[] }[];
}

const bodyOf = (outgoing: Outgoing) => render(outgoing).map(({ body }) => body as unknown as Body);

/** Each part as its kind and its elements, these as `looks:words`. */
function drawn(markdown: string): string[] {
  const [body] = bodyOf({ markdown });
  return (body?.blocks[0]?.elements ?? []).map(
    ({ type, elements }) => `${type.replace('rich_text_', '')} ${elements.map(elementWords).join('|')}`,
  );
}

function elementWords({ text, url, style = {} }: RichElement): string {
  const looks = [...Object.keys(style), ...(url === undefined ? [] : [url])].join('+');
  return looks ? `${looks}:${text}` : text;
}

describe("Markdown in Slack's formatting (SPEC 13.1)", () => {
  test.each<[string, string, string[]]>([
    ['styles', 'a **b** _c_ ~~d~~ `e`', ['section a |bold:b| |italic:c| |strike:d| |code:e']],
    ['styles in styles', '**a _b_**', ['section bold:a |bold+italic:b']],
    ['a heading', '# Title\ntext', ['section bold:Title|\n\ntext']],
    ['code, with text around it', 'a\n\n```ts\nlet x;\n```\n\nb', ['section a', 'preformatted let x;', 'section b']],
    ['a quotation with code in it', '> a\n> ```\n> x\n> ```', ['quote a\n', 'preformatted x']],
    ['two quotations', '> a\n\ntext\n\n> b', ['quote a', 'section text', 'quote b']],
    ['a list', '- a\n  - b\n- [x] c', ['section • a\n  • b\n☑ c']],
    ['a link', '[x](https://x.org/a)', ['section https://x.org/a:x']],
    ['a bold link', '**[x](https://x.org/a)**', ['section bold+https://x.org/a:x']],
    ['names with underscores (case 83)', 'my_model_v2 2 * 3 * 4', ['section my_model_v2 2 * 3 * 4']],
    ['a narrow table', '| a | n |\n|--|--:|\n| x | 10 |', ['preformatted a   n\n─  ──\nx  10']],
  ])('%s', (_case, markdown, parts) => {
    expect(drawn(markdown)).toEqual(parts);
  });

  test('a wide table as lines', () => {
    const long = 'long '.repeat(9).trim();
    expect(drawn(`| Name | Why |\n|--|--|\n| a | ${long} |`)).toEqual([`section bold:Name|: a\n|bold:Why|: ${long}`]);
  });

  test('a code block that is cut in two is code in both pieces, nothing lost (SPEC 13.2)', () => {
    const code = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n');
    const pieces = renderWithin({ markdown: `\`\`\`\n${code}\n\`\`\`` }, 100);
    const parts = pieces.flatMap(({ body }) => (body as unknown as Body).blocks[0]?.elements ?? []);
    expect(new Set(parts.map(({ type }) => type))).toEqual(new Set(['rich_text_preformatted']));
    expect(parts.map(({ elements }) => elements[0]?.text.trimEnd()).join('\n')).toBe(code);
  });

  test('the text of notifications is escaped, and counts escaped', () => {
    const pieces = render({ markdown: '&'.repeat(3_000) });
    expect(pieces.length).toBe(5);
    for (const { body } of pieces) expect(refusedMessage(body)).toBeUndefined();
  });
});

describe('what model output cannot do (SPEC 13.4)', () => {
  test.each(['<!channel>', '<!here>', '<@U0BEN0001>', '<!subteam^S1>', '<#C0GENERAL>', '@channel'])(
    '%s is text',
    (markdown) => {
      const [body] = bodyOf({ markdown });
      expect(drawn(markdown)).toEqual([`section ${markdown}`]);
      expect(body?.text).not.toMatch(/[<>]/);
      expect(JSON.stringify(body)).not.toMatch(/"type":"(?:user|usergroup|broadcast|channel)"/);
    },
  );

  test('Slack’s own form of a link is words', () => {
    expect(drawn('<https://evil.com|bank.com>')).toEqual(['section https://evil.com|bank.com']);
  });

  test('a link that looks like another says where it leads', () => {
    expect(drawn('[https://bank.com](https://evil.com)')).toEqual([
      'section https://bank.com (|https://evil.com/:https://evil.com/|)',
    ]);
  });

  test('an address too long for a link is text', () => {
    const url = `https://x.org/${'a'.repeat(2_990)}`;
    expect(refusedMessage(bodyOf({ markdown: `[x](${url})` })[0] as object as Record<string, unknown>)).toBeUndefined();
  });
});

describe('choices (SPEC 11.5)', () => {
  test('are buttons that bring back their values, also when the words go out plain', () => {
    const choices = [
      { label: 'Undo', value: 'a:x:0' },
      { label: 'L'.repeat(100), value: 'a:x:1', style: 'danger' as const },
      { label: ' ', value: 'a:x:2' },
    ];
    const [piece] = render({ markdown: 'Cleared.', choices });
    const labels = ['Undo', `${'L'.repeat(74)}…`, '…'];
    for (const body of [piece?.body ?? {}, piece?.plain ?? {}]) {
      expect(refusedMessage(body)).toBeUndefined();
      expect(buttonsOf(body).map(({ text, value }) => [text, value])).toEqual(
        labels.map((text, n) => [text, `a:x:${n}`]),
      );
    }
  });
});
