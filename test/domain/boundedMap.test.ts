import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BoundedMap } from '../../lib/domain/boundedMap.ts';

/** The same as a list, oldest first. */
class Model {
  entries: [string, number][] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): number | undefined {
    const entry = this.entries.find(([one]) => one === key);
    if (entry) this.entries = [...this.entries.filter((one) => one !== entry), entry];
    return entry?.[1];
  }

  set(key: string, value: number): void {
    this.delete(key);
    this.entries = [...this.entries, [key, value] as [string, number]].slice(-this.#limit);
  }

  delete(key: string): void {
    this.entries = this.entries.filter(([one]) => one !== key);
  }
}

describe('a bounded map', () => {
  test('what was used longest ago goes, and using the newest again changes nothing', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect([map.get('a'), map.get('a')]).toEqual([1, 1]);
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2]);
  });

  test('a key that is set again takes nobody else’s room', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('b', 3);
    expect([map.get('a'), map.get('b')]).toEqual([1, 3]);
  });

  test('after any calls it holds what a list of the newest would', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const step = fc.oneof(
      fc.record({ call: fc.constant('set' as const), key, value: fc.nat(9) }),
      fc.record({ call: fc.constantFrom('get' as const, 'delete' as const), key, value: fc.constant(0) }),
    );
    const property = fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 40 }), (limit, steps) => {
      const [map, model] = [new BoundedMap<string, number>(limit), new Model(limit)];
      for (const { call, key: at, value } of steps) {
        if (call === 'set') {
          map.set(at, value);
          model.set(at, value);
        } else expect(map[call](at)).toBe(model[call](at));
        expect(map.size).toBe(model.entries.length);
      }
      for (const [at, value] of model.entries) expect(map.get(at)).toBe(value);
    });
    fc.assert(property, { numRuns: 500 });
  });
});
