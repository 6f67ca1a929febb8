import { describe, expect, test } from 'vitest';
import { render, renderWithin } from '../../../lib/channels/telegram/render.ts';
import type { Outgoing } from '../../../lib/ports/chatApp.ts';

interface Body {
  text: string;
  entities?: { type: string; offset: number; length: number; url?: string; language?: string }[];
  reply_markup?: { inline_keyboard: { text: string; callback_data: string }[][] };
}

function bodies(outgoing: Outgoing, limit = 4096): Body[] {
  return renderWithin(outgoing, limit).map((piece) => piece.body as unknown as Body);
}

/** The text of one piece, and its entities as `type:words`. */
function drawn(markdown: string): { text: string; marks: string[] } {
  const [{ text, entities = [] } = { text: '' }] = bodies({ markdown });
  const marks = entities.map(({ type, offset, length, url, language }) =>
    [type, text.slice(offset, offset + length), url ?? language].filter(Boolean).join(':'),
  );
  return { text, marks };
}

describe("Markdown in Telegram's formatting (SPEC 13.1)", () => {
  test.each<[string, string, string, string[]]>([
    ['styles', 'a **b** _c_ ~~d~~ `e`', 'a b c d e', ['bold:b', 'italic:c', 'strikethrough:d', 'code:e']],
    ['a heading', '# Title\ntext', 'Title\n\ntext', ['bold:Title']],
    ['bold in a heading', '## a **b**', 'a b', ['bold:a b']],
    ['code with its language', '```ts\nlet x;\n```', 'let x;', ['pre:let x;:ts']],
    ['bold around code', '**a `b` c**', 'a b c', ['bold:a ', 'bold: c', 'code:b']],
    ['a link around code', '[`f`](https://x.org/f)', 'f', ['text_link:f:https://x.org/f']],
    ['an image', '![A cat](https://x.org/c.png)', 'A cat', ['text_link:A cat:https://x.org/c.png']],
    ['an image in a link', '[![CI](https://x.org/b.svg)](https://x.org/ci)', 'CI', ['text_link:CI:https://x.org/ci']],
    ['a reference', '[a][r] and [b]\n\n[r]: https://x.org', 'a and [b]', ['text_link:a:https://x.org/']],
    ['a quotation in a quotation', '> a\n>> b', 'a\nb', ['blockquote:a\nb']],
    ['paragraphs of a quotation', '> a\n>\n> b', 'a\n\nb', ['blockquote:a\n\nb']],
    ['a line that is broken by HTML', 'a<br>b<br/>c <BR />', 'a\nb\nc', []],
    ['a cell that is', '| x |\n|---|\n| a<br>b |', 'x: a\nb', ['bold:x']],
    ['HTML', 'a <b>x</b> &lt;', 'a <b>x</b> <', []],
    ['names with underscores (case 83)', 'my_model_v2', 'my_model_v2', []],
    ['a rule', 'a\n\n---\n\nb', 'a\n\n———\n\nb', []],
    ['a footnote', 'a[^1]\n\n[^1]: b', 'a[1]\n\n[1] b', []],
  ])('%s', (_case, markdown, text, marks) => {
    expect(drawn(markdown)).toEqual({ text, marks });
  });

  test('lists: nested, numbered, of tasks', () => {
    const markdown = '- a\n  - b\n    more\n- [x] done\n- [ ] open\n\n3. three\n4. four\n   - x';
    const text = '• a\n  • b\n    more\n☑ done\n☐ open\n\n3. three\n4. four\n   • x';
    expect(drawn(markdown)).toEqual({ text, marks: [] });
  });

  test('a narrow table in columns, wide characters counted as two', () => {
    const { text, marks } = drawn('| Name | n |\n|:--|--:|\n| **日本** | 7 |\n| x | 10 |');
    expect(text).toBe('Name   n\n────  ──\n日本   7\nx     10');
    expect(marks).toEqual([`pre:${text}`]);
  });

  test('a wide table, or one with links, as lists', () => {
    const wide = `| Name | Why |\n|--|--|\n| a | ${'long '.repeat(9).trim()} |\n| b | |`;
    expect(drawn(wide)).toEqual({
      text: `Name: a\nWhy: ${'long '.repeat(9).trim()}\n\nName: b`,
      marks: ['bold:Name', 'bold:Why', 'bold:Name'],
    });
    expect(drawn('| A |\n|--|\n| [x](https://x.org) |')).toEqual({
      text: 'A: x',
      marks: ['bold:A', 'text_link:x:https://x.org/'],
    });
  });

  test('only the entities that take effect are sent, links before styles', () => {
    const [body] = bodies({ markdown: `${'**b** '.repeat(150)}[x](https://x.org)` });
    expect(body?.entities).toHaveLength(100);
    expect(body?.entities?.at(-1)?.type).toBe('text_link');
  });

  test.each([
    ['quotations', '>'.repeat(20_000)],
    ['lists', '- '.repeat(20_000)],
    ['brackets', '['.repeat(20_000)],
    ['emphasis', '*a '.repeat(10_000)],
  ])('thousands of opened %s take no longer than a few seconds', (_case, markdown) => {
    const before = performance.now();
    expect(render({ markdown }).length).toBeGreaterThan(0);
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});

describe('what model output cannot do (SPEC 13.4)', () => {
  test.each([
    ['a link that looks like another', '[https://bank.com](https://evil.com)', 'https://bank.com (https://evil.com/)'],
    ['without a scheme', '[www.bank.com/login](https://evil.com)', 'www.bank.com/login (https://evil.com/)'],
    ['hidden in formatting', '[**bank**.com](https://evil.com)', 'bank.com (https://evil.com/)'],
    ['with invisible characters', '[bank\u200b.com](https://evil.com)', 'bank\u200b.com (https://evil.com/)'],
    ['another alphabet', '[bаnk.com](https://bank.com)', 'bаnk.com (https://bank.com/)'],
    ['a name in front of the host', '[here](https://bank.com@evil.com)', 'here (https://bank.com@evil.com)'],
    ['a ping by id', '[Ben](tg://user?id=222)', 'Ben (tg://user?id=222)'],
    ['a script', '[x](javascript:alert)', 'x (javascript:alert)'],
    ['mail', '[mail us](mailto:a@b.org)', 'mail us (a@b.org)'],
    ['a long image', '![](data:image/png;base64,AAAA)', '🖼'],
  ])('%s', (_case, markdown, text) => {
    const { text: shown, marks } = drawn(markdown);
    expect(shown).toBe(text);
    for (const mark of marks) expect(mark).toMatch(/^(bold:|text_link:https:\/\/(evil|bank)\.com\/:)/);
  });

  test('an honest address stays a link', () => {
    expect(drawn('[bank.com](https://www.bank.com/a)').marks).toEqual(['text_link:bank.com:https://www.bank.com/a']);
    expect(drawn('https://bank.com/a').marks).toEqual(['text_link:https://bank.com/a:https://bank.com/a']);
  });

  test('a name mentions nobody, nor does a command reach another bot', () => {
    const { text, marks } = drawn('Ask @ben_smith, **@zoe_1**, mail a@b.org, `@code_er`, tap /ban@some_bot or /clear');
    expect(text).toBe('Ask @\u2060ben_smith, @\u2060zoe_1, mail a@b.org, @code_er, tap /ban@\u2060some_bot or /clear');
    expect(marks).toEqual(['bold:@\u2060zoe_1', 'code:@code_er']);
    const [piece] = render({ markdown: '`@code_er`' });
    expect(piece?.plain.text).toBe('@\u2060code_er');
  });

  test('a cut cannot make a mention of what was none', () => {
    const pieces = bodies({ markdown: `${'x'.repeat(16)}@ben_smith` }, 16);
    expect(pieces.map(({ text }) => text)).toEqual(['x'.repeat(16), '@\u2060ben_smith']);
  });
});

describe('splitting (SPEC 13.2)', () => {
  const texts = (markdown: string, limit: number) => bodies({ markdown }, limit).map(({ text }) => text);

  test('at blocks first, then sentences, then words', () => {
    expect(texts('One two three.\n\nFour five six.', 20)).toEqual(['One two three.', 'Four five six.']);
    expect(texts('One two. Three four. Five six.', 22)).toEqual(['One two. Three four.', 'Five six.']);
    expect(texts('one two three four five', 16)).toEqual(['one two three', 'four five']);
  });

  test('a heading stays with its text', () => {
    expect(texts('First words.\n\n# Head\n\nText of it.', 28)).toEqual(['First words.', 'Head\n\nText of it.']);
  });

  test('code is closed and opened again, its indentation kept', () => {
    const pieces = bodies({ markdown: '```py\nif a:\n    b()\n    c()\n```' }, 16);
    expect(pieces).toMatchObject([
      { text: 'if a:\n    b()', entities: [{ type: 'pre', language: 'py', offset: 0, length: 13 }] },
      { text: '    c()', entities: [{ type: 'pre', language: 'py', offset: 0, length: 7 }] },
    ]);
  });

  test('bold across a cut goes on (case 82)', () => {
    expect(bodies({ markdown: '**one two three four five**' }, 16)).toMatchObject([
      { text: 'one two three', entities: [{ type: 'bold', offset: 0, length: 13 }] },
      { text: 'four five', entities: [{ type: 'bold', offset: 0, length: 9 }] },
    ]);
  });

  test('counts code points and cuts no combined emoji (case 79)', () => {
    expect(texts('🎉'.repeat(4096), 4096)).toHaveLength(1);
    expect(texts(`${'a'.repeat(4095)}🎉`, 4096)).toHaveLength(1);
    expect(texts(`${'a'.repeat(4092)}👨‍👩‍👧`, 4096)).toEqual(['a'.repeat(4092), '👨‍👩‍👧']);
    expect(texts(`${'a'.repeat(15)}e\u0301`, 16)).toEqual(['a'.repeat(15), 'e\u0301']);
  });
});

describe('buttons', () => {
  const choice = (label: string, value = 'a:x:0') => ({ label, value });

  test('short ones share a row, long ones have their own', () => {
    const choices = ['Start', 'Keep planning', 'A rather long label of a button', 'OK'].map((label) => choice(label));
    const [body] = bodies({ markdown: 'x', choices });
    const rows = body?.reply_markup?.inline_keyboard.map((row) => row.map(({ text }) => text));
    expect(rows).toEqual([['Start', 'Keep planning'], ['A rather long label of a button'], ['OK']]);
  });

  test('values count in bytes (case 52); one that does not fit is left out', () => {
    const choices = [choice('fits', 'я'.repeat(32)), choice('does not', 'я'.repeat(33))];
    const [body] = bodies({ markdown: 'x', choices });
    expect(body?.reply_markup?.inline_keyboard.flat().map(({ text }) => text)).toEqual(['fits']);
  });

  test('a long text with buttons is split, with the buttons on the last piece (case 80)', () => {
    const pieces = bodies({ markdown: 'word '.repeat(1_000), choices: [choice('Start')] });
    expect(pieces.map(({ reply_markup }) => reply_markup !== undefined)).toEqual([false, true]);
  });
});
