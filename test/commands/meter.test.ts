import { describe, expect, test } from 'vitest';
import type { ReplyContext } from '../../lib/commands/command.ts';
import { contextLine } from '../../lib/commands/meter.ts';
import * as g from '../support/given.ts';

const { compactAsked, compacted, cleared, delivered, message, restored, stateAfter, turnEnded, turnStarted } = g;
type Drafts = Parameters<typeof stateAfter>;

function line(drafts: Drafts, contextWindow: number | undefined = 200_000): string {
  return contextLine({ state: stateAfter(...drafts), chat: { contextWindow } as ReplyContext['chat'] });
}

/** One message, answered with this much read and written, tokens. */
const answered = (contextTokens?: number): Drafts => [
  message(),
  turnStarted([1]),
  turnEnded([1], contextTokens === undefined ? {} : { contextTokens }),
  delivered(),
];
const memory = { id: 0, upTo: 0, messages: 1 };
const compactedOnRequest: Drafts = [
  compactAsked(),
  turnStarted([], { kind: 'compact', memory, turn: 'c' }),
  compacted(0, 4, { turn: 'c' }),
];

describe('the reading (SPEC 8.1, 8.4)', () => {
  test('SPEC 8.1: as a number of the window, and a share of it', () => {
    expect(line(answered(84_212))).toBe('84.2k of 200k (42%)');
    expect(line(answered(950), 1_048_576)).toBe('950 of 1M (0%)');
    expect(contextLine({ state: stateAfter(...answered(950)), chat: {} as ReplyContext['chat'] })).toBe('950');
  });

  test('cases K 121: the size of the last step, never a sum over turns', () => {
    const again: Drafts = [
      message(),
      turnStarted([5], { turn: 'u' }),
      turnEnded([5], { turn: 'u', contextTokens: 90_000 }),
    ];
    expect(line([...answered(84_212), ...again])).toBe('90k of 200k (45%)');
  });

  test('SPEC 8.4: a new chat, and one after a clear, is empty; undo brings the old reading back', () => {
    expect(line([])).toBe('0 of 200k (0%)');
    expect(line([...answered(84_212), cleared()])).toBe('0 of 200k (0%)');
    expect(line([...answered(84_212), cleared(), restored(5)])).toBe('84.2k of 200k (42%)');
  });

  test('cases K 122: after a compaction on request it is compacted, not the old number, until a turn measures it', () => {
    const log = [...answered(84_212), ...compactedOnRequest];
    expect(line(log)).toBe('compacted (0%), known again after the next answer');
    const next: Drafts = [
      message(),
      turnStarted([8], { turn: 'u', memory: stateAfter(...log).memory }),
      turnEnded([8], { turn: 'u', contextTokens: 9_000 }),
    ];
    expect(line([...log, ...next])).toBe('9k of 200k (5%)');
  });

  test('cases K 122: where nothing was measured, it is not 0%', () => {
    expect(line(answered())).toBe('known after the next answer');
    expect(line([message()])).toBe('known after the next answer');
  });
});
