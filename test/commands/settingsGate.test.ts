import { expect, test } from 'vitest';
import type { Asker } from '../../lib/commands/gate.ts';
import { mayChange } from '../../lib/commands/gate.ts';
import type { OptionsChange } from '../../lib/domain/events.ts';

const CHANGES: OptionsChange[] = [
  ...([{ model: 'p/m' }, { effort: 'low' }, { fast: true }, { model: 'p/m', fast: true }] as const),
  ...([{ mode: 'trust' }, { mode: 'plan' }, { model: 'p/m', mode: 'ask' }, { voice: 'loud' }] as const),
];

/** Which of the changes this person may make. */
function allowed(scope: 'chat' | 'defaults', role: Asker['role'], group = false): OptionsChange[] {
  return CHANGES.filter((change) => mayChange(change, scope, { role, group }));
}

test('cases B 34, 35, 38: what may be changed goes by the person, the value and how far it reaches', () => {
  expect(allowed('chat', 'owner')).toEqual(CHANGES);
  expect(allowed('defaults', 'owner')).toEqual(CHANGES);
  expect(allowed('chat', 'let-in')).toEqual(CHANGES.slice(0, 4));
  expect(allowed('defaults', 'let-in')).toEqual([]);
  for (const role of ['guest', 'stranger'] as const) {
    expect(allowed('chat', role)).toEqual([]);
    expect(allowed('defaults', role)).toEqual([]);
  }
});

test('SPEC 4.3: nothing in a group', () => {
  for (const role of ['owner', 'let-in', 'guest'] as const) {
    expect([...allowed('chat', role, true), ...allowed('defaults', role, true)]).toEqual([]);
  }
});
