import { describe, expect, test } from 'vitest';
import { linkView } from '../../../lib/channels/shared/links.ts';
import { drawMarkdown } from '../../../lib/channels/shared/markdown.ts';
import { isQuickToRead } from '../../../lib/channels/shared/markdownCost.ts';

const CHARS = 90_000;
const filled = (unit: string) => unit.repeat(Math.ceil(CHARS / unit.length));
/** Of this thread alone: other tests run beside it. */
const cpuMs = () => process.threadCpuUsage().user / 1000;

describe('SPEC 13.1: no answer holds the process up, however it is written', () => {
  test.each([
    ...[
      '*a_ ',
      '**a** ',
      '[',
      '![',
      '[a](',
      '[a](b) ',
      '`a` ',
      '<a:b>',
      '\\*',
      '&amp;',
      '~~a~~ ',
      '[^1] ',
      'www.',
      'a@',
    ],
    ...[
      '- a\n',
      '1. a\n',
      '- [ ] a\n',
      '> a\n',
      '> a\n\n',
      '- > a\n',
      'a\n\n',
      '# a\n',
      'a  \n',
      '```\n```\n',
      '[^1]: a\n',
    ],
    ...['- *a_ *b_\n', '> > > > a\n\n', '1. 1. 1. a\n', 'The quick brown fox jumps. '],
  ])('of %j', (unit) => {
    const before = cpuMs();
    for (const text of [filled(unit), `|a|\n|-|\n${filled(`|${unit.trim()}|\n`)}`]) {
      expect(drawMarkdown(text).text).not.toBe('');
    }
    expect(cpuMs() - before).toBeLessThan(1_500);
  });

  test.each([
    ['list', '- a\n'.repeat(3_990)],
    ['marks in one block', '*a_ '.repeat(700)],
    ['quotations', '> a\n\n'.repeat(570)],
    ['a label', `[${'a'.repeat(1_990)}](https://x.test/)\n\n`.repeat(40)],
  ])('nor one that is just short enough to be read: %s', (_what, text) => {
    expect(isQuickToRead(text)).toBe(true);
    const before = cpuMs();
    drawMarkdown(text);
    expect(cpuMs() - before).toBeLessThan(1_500);
  });

  test('what takes too long is shown as it is written; long answers of the usual kind are drawn', () => {
    expect(drawMarkdown(filled('*a_ '))).toEqual({ text: filled('*a_ '), spans: [], borders: [] });
    const usual =
      '## A title\n\nSome **bold** words, a [link](https://x.test/) and `code_it`.\n\n- **one**: a\n- **two**: b\n\n';
    const code = '```ts\nconst a_b = [1, 2];\nfor (const x of a_b) f(x * 2);\n```\n\n';
    expect(isQuickToRead((usual + code).repeat(250))).toBe(true);
  });
});

test('SPEC 13.4: a label of a link that is too long to look through is spelled out', () => {
  const before = cpuMs();
  expect(linkView('a'.repeat(CHARS), 'https://x.test/')).toEqual({
    ...{ kind: 'spelled', shown: 'https://x.test/', url: 'https://x.test/' },
  });
  expect(cpuMs() - before).toBeLessThan(500);
});
