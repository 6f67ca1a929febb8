import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundaryOf } from '../../lib/domain/compaction.ts';

const WHOLE = { trigger: 'manual', preTokens: 84_213 };

test.each<[string, unknown, object]>([
  ['the one spelling', { compact_metadata: { trigger: 'manual', pre_tokens: 84_213 } }, WHOLE],
  ['the other spelling', { compactMetadata: { trigger: 'manual', preTokens: 84_213 } }, WHOLE],
  ['both in one', { compact_metadata: { trigger: 'manual', preTokens: 84_213 } }, WHOLE],
  ['one in each', { compact_metadata: { pre_tokens: 84_213 }, compactMetadata: { trigger: 'manual' } }, WHOLE],
  [
    'the first that can be read',
    { compact_metadata: { pre_tokens: '5' }, compactMetadata: { preTokens: 6 } },
    { preTokens: 6 },
  ],
  ['a word of another provider', { compactMetadata: { trigger: 'threshold' } }, { trigger: 'threshold' }],
  ['nothing before', { compactMetadata: { preTokens: 0 } }, { preTokens: 0 }],
  ['only the count', { compact_metadata: { trigger: null, pre_tokens: 7 } }, { preTokens: 7 }],
  ['only the trigger', { compact_metadata: { trigger: 'auto', pre_tokens: -1 } }, { trigger: 'auto' }],
  ['half a token', { compact_metadata: { pre_tokens: 1.5 } }, {}],
  ['more than can be counted', { compact_metadata: { pre_tokens: Number.POSITIVE_INFINITY } }, {}],
  ['words instead of a word', { compact_metadata: { trigger: 'You typed /compact' } }, {}],
  ['no metadata', undefined, {}],
  ['null', { compact_metadata: null, compactMetadata: null }, {}],
  ['text', 'compact_metadata', {}],
  ['a list', [{ compact_metadata: { pre_tokens: 1 } }], {}],
])('SPEC 8.2: a boundary with %s', (_case, metadata, expected) => {
  expect(boundaryOf(metadata)).toEqual(expected);
});

test('SPEC 8.2: whatever stands there, it is never an error', () => {
  const facts = fc.record({ trigger: fc.anything(), pre_tokens: fc.anything(), preTokens: fc.anything() });
  const metadata = fc.oneof(
    fc.anything(),
    fc.record({ compact_metadata: facts }),
    fc.record({ compactMetadata: facts }),
  );
  fc.assert(
    fc.property(metadata, (value) => {
      const { trigger = 'auto', preTokens = 0, ...rest } = boundaryOf(value);
      expect(rest).toEqual({});
      expect(trigger).toMatch(/^[\w-]+$/);
      expect(preTokens).toBeGreaterThanOrEqual(0);
    }),
  );
});
