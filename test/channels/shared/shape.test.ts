import { expect, test } from 'vitest';
import {
  anything,
  array,
  boolean,
  integer,
  matching,
  nothing,
  nullish,
  number,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  scalar,
  shaped,
  string,
} from '../../../lib/channels/shared/shape.ts';

test.each<[string, Shape<unknown>, unknown[], unknown[]]>([
  ['anything', anything, [undefined, null, {}, 'a'], []],
  ['boolean', boolean, [true, false], ['true', 0, null, undefined]],
  ['number', number, [0, -1.5], ['1', Number.NaN, Number.POSITIVE_INFINITY, null]],
  ['integer', integer, [0, -7, Number.MAX_SAFE_INTEGER], [1.5, 2 ** 53, '1', null]],
  ['string', string, ['', 'a'], [1, null, undefined, {}]],
  ['scalar', scalar, ['a', 1, false], [null, undefined, {}, []]],
  ['matching', matching(/^\d+$/), ['12'], ['a', 12, null]],
  ['oneOf', oneOf(['a', 1]), ['a', 1], ['b', '1', null]],
  ['optional', optional(string), [undefined, 'a'], [null, 1]],
  ['nullish', nullish(string), [undefined, null, 'a'], [1]],
  ['array', array(string), [[], ['a']], [{}, 'a', [1], null]],
  ['record', record(integer), [{}, { a: 1, b: 2 }], [[], { a: 'x' }, null]],
  ['object', object({ a: string }), [{ a: 'x' }, { a: 'x', more: 1 }], [{}, { a: 1 }, [], null, 'a']],
  ['nothing', array(nothing), [[]], [[undefined], [1], null]],
])('%s takes what it says and nothing else', (_name, shape, good, bad) => {
  for (const value of good) expect(shaped(shape, value)).toEqual({ ok: true, value });
  for (const value of bad) expect(shaped(shape, value)).toMatchObject({ ok: false });
});

test('the value is the one that was given', () => {
  const value = { id: 1, more: { deep: true } };
  const found = shaped(object({ id: integer }), value);
  expect(found.ok && found.value).toBe(value);
});

test('each fault is named by its path', () => {
  const shape = object({ id: integer, who: object({ name: string }), files: array(object({ id: string })) });
  expect(shaped(shape, { id: 'x', who: {}, files: [{ id: 'a' }, { id: 2 }] })).toEqual({
    ok: false,
    paths: ['id', 'who.name', 'files.1.id'],
  });
  expect(shaped(shape, null)).toEqual({ ok: false, paths: [''] });
});
