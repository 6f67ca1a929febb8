import fc from 'fast-check';

/** Real bodies in which one value was put in another's place. */
export function bodiesLike(bodies: unknown[]): fc.Arbitrary<unknown> {
  const strange = fc.oneof(fc.constantFrom(null, '', 0, -1, 1.5, 1e300, [], {}, true, '\ud800'), fc.jsonValue());
  return fc.tuple(fc.constantFrom(...bodies), fc.nat(), strange).map(([body, at, value]) => {
    let left = at % JSON.stringify(body).length;
    return JSON.parse(JSON.stringify(body), (_key, old) => (left-- === 0 ? value : old));
  });
}

/** Text that is rich in what breaks renderers. */
const fragments = fc.constantFrom(
  ...['**', '*', '_', '`', '```', '```ts\n', '\n', '\n\n', ' ', '- ', '1. ', '> ', '# ', '| a | b |\n|---|---|\n| 1 |'],
  ...[
    '[x](',
    'https://example.com',
    ')',
    '[https://a.com](https://b.com)',
    '<b>',
    '&amp;',
    '@ben_smith',
    '/ban@some_bot',
  ],
  ...[
    '👨‍👩‍👧',
    '🎉',
    'é',
    '\u2028',
    '\u200b',
    '~~',
    '- [x] ',
    '![a](b)',
    '[^1]',
    '\\',
    '<@U123>',
    '@everyone',
    '\ud800',
    '\0',
  ],
);
export const markdown = fc
  .array(fc.oneof({ weight: 3, arbitrary: fragments }, fc.string({ unit: 'grapheme' }), fc.lorem({ maxCount: 9 })), {
    maxLength: 60,
  })
  .map((parts) => parts.join(''));

/** What can be seen of a text: white space at a cut may be dropped, invisible characters may be put in. */
export const seen = (text: string) => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, '');
