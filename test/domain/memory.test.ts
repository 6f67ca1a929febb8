import { describe, expect, test } from 'vitest';
import { decideClear, decideOptions, decideUndo } from '../../lib/domain/decide.ts';
import { contextStart, historyFrom, undoableClear, visibleTo } from '../../lib/domain/memory.ts';
import type { Turn } from '../../lib/domain/state.ts';
import * as g from '../support/given.ts';

const { cleared, compacted, delivered, given, message, restored, started, stateAfter, turnEnded, turnStarted } = g;

type Drafts = Parameters<typeof stateAfter>;

/** The seqs that a turn which begins after this log would see. */
function seen(...drafts: Drafts): number[] {
  const state = stateAfter(...drafts);
  const { memory, waiting } = state;
  const turn: Turn = {
    ...{ id: 'next', attempt: 1, leaseUntil: 1, kind: 'answer', messages: waiting, memory, options: {} },
    ...{ start: state.seq + 1, answers: waiting.at(-1) ?? 0, steps: 0, parts: [], tries: 1 },
  };
  const from = historyFrom(turn);
  return visibleTo(
    turn,
    g.logOf(drafts).filter(({ seq }) => seq >= from),
  ).map(({ seq }) => seq);
}

/** One message answered by turn `t`: seqs n, n+1 (begun), n+2 (ended), n+3 (delivered). */
const answered = (n: number, memory = 0, upTo = 0) => [
  message('hi', { memory }),
  turnStarted([n], { memory: { id: memory, upTo, messages: 1 } }),
  turnEnded([n], { memory }),
  delivered(),
];

describe('/clear', () => {
  test('SPEC 5.1: the memory starts after the clear, and everything stays in the log', () =>
    given(...answered(1), cleared()).holds((state) => {
      expect(contextStart(state)).toBe(5);
      expect(state.memory).toEqual({ id: 5, upTo: 5, messages: 0 });
    }));

  test('SPEC 5.2: a turn that begins after a clear sees nothing from before', () => {
    expect(seen(...answered(1), message('again'))).toEqual([1, 3, 5]);
    expect(seen(...answered(1), cleared(), message('new', { memory: 5 }))).toEqual([6]);
  });

  test('SPEC 5.3: goal, mode and model survive', () => {
    const options = g.draft('options', { ...g.base(), options: { mode: 'edit', model: 'p/m' } });
    given(g.goalSet('whales'), options, message(), cleared()).holds((state) => {
      expect(state.goal).toBe('whales');
      expect(state.options).toEqual({ mode: 'edit', model: 'p/m' });
    });
  });

  test('SPEC 5.4: with nothing since the last clear it clears nothing', () => {
    const again = g.base();
    const intent = (state: Parameters<typeof decideClear>[0]) => decideClear(state, again);
    const nothing = g.draft('command.ran', { ...again, outcome: 'nothing' });
    given().when(intent).appends(nothing);
    given(...answered(1), cleared())
      .when(intent)
      .appends(nothing);
    given(...answered(1), cleared(), g.shown())
      .when(intent)
      .appends(nothing);
  });

  test('SPEC 5.6: messages that wait are dropped, with their number', () => {
    const now = g.base();
    given(message('a'), message('b'))
      .when((state) => decideClear(state, now))
      .appends(g.draft('context.cleared', { ...now, dropped: 2 }));
    given(message('a'), message('b'), cleared(2)).holds(({ waiting }) => expect(waiting).toEqual([]));
  });

  test('DESIGN 3a: one that is older by the app’s time than a message in the log is refused', () => {
    const late = g.base({ sentAt: g.NOON - 1 });
    given(message('newer', { sentAt: g.NOON }))
      .when((state) => decideClear(state, late))
      .appends(g.draft('command.ran', { ...late, outcome: 'late' }));
  });

  test('SPEC 8.4: the reading starts empty, and undo brings the old one back', () => {
    const log = [
      message(),
      turnStarted([1]),
      turnEnded([1], { contextTokens: 700, model: 'p/m' }),
      delivered(),
    ] as const;
    given(...log).holds(({ reading }) => expect(reading).toEqual({ tokens: 700, model: 'p/m' }));
    given(...log, cleared()).holds(({ reading }) => expect(reading).toBeUndefined());
    given(...log, cleared(), restored(5)).holds(({ reading }) =>
      expect(reading).toEqual({ tokens: 700, model: 'p/m' }),
    );
  });
});

describe('memory by attribution', () => {
  const running = [message('old'), turnStarted([1]), cleared()] as const;

  test('SPEC 5.6: what a turn that ran at a clear still adds is no part of the new memory', () => {
    expect(seen(...running, turnEnded([1]), delivered(), message('new', { memory: 3 }))).toEqual([6]);
  });

  test('SPEC 5.5: undo brings it back, with the answer that ended meanwhile', () => {
    expect(seen(...running, turnEnded([1]), delivered(), restored(3), message('more'))).toEqual([1, 4, 7]);
  });

  test('DESIGN 3a: the reading of a turn changes its own memory alone', () => {
    const log = [...running, turnEnded([1], { contextTokens: 900 }), delivered()] as const;
    given(...log).holds(({ reading }) => expect(reading).toBeUndefined());
    given(...log, restored(3)).holds(({ reading }) => expect(reading).toEqual({ tokens: 900 }));
  });

  test('SPEC 5.5, 8.1: a turn that was compacted for itself alone reads another memory, whose reading is not the one that comes back', () => {
    const step = (n: number, contextTokens: number) =>
      g.draft('step', { turn: 't', attempt: 1, memory: 0, n, text: '', calls: [], contextTokens });
    const log = [g.message(), g.turnStarted([1]), step(1, 90_000), cleared(), g.compacted(0, 3, { said: 'so' })];
    const ended = g.turnEnded([1], { contextTokens: 800 });
    given(...log, step(2, 700), ended).holds(({ clear, turn }) => {
      expect(clear?.reading).toEqual({ tokens: 90_000 });
      expect(turn).toBeUndefined();
    });
    given(...log, step(2, 700), restored(4)).holds(({ reading, memory, turn }) => {
      expect(reading).toEqual({ tokens: 90_000 });
      expect(memory).toEqual({ id: 0, upTo: 0, messages: 1, last: 1 });
      expect(turn?.memory).toMatchObject({ id: 0, upTo: 3, summary: 5 });
    });
    const again = g.compacted(0, 6, { said: 'so' });
    given(...log, step(2, 700), restored(4), again, step(3, 600)).holds(({ reading, memory, turn }) => {
      expect(reading).toEqual({ tokens: 600 });
      expect(memory).toMatchObject({ upTo: 6, summary: 8 });
      expect(turn?.memory).toMatchObject({ upTo: 6, summary: 8 });
    });
  });

  test('DESIGN 3a: Go back brings back the reading of a turn that ended after /new', () => {
    const log = [message(), turnStarted([1]), started(), turnEnded([1], { contextTokens: 900 }), delivered()] as const;
    given(...log).holds(({ reading, left }) => {
      expect(reading).toBeUndefined();
      expect(left?.reading).toEqual({ tokens: 900 });
    });
  });

  test('SPEC 5.5, 5.6: a compaction of a memory that is no longer in force changes nothing: undo gives back what was', () => {
    const compacting = turnStarted([], { kind: 'compact', memory: { id: 0, upTo: 0, messages: 1 }, turn: 'c' });
    const done = compacted(0, 1, { turn: 'c' });
    const log = [...answered(1), g.compactAsked(), compacting, cleared(), done] as const;
    given(...log).holds(({ memory, reading, clear }) => {
      expect(memory).toEqual({ id: 7, upTo: 7, messages: 0 });
      expect(reading).toBeUndefined();
      expect(clear?.memory).toEqual({ id: 0, upTo: 0, messages: 1, last: 1 });
    });
    given(...log, g.delivered({ turn: 'c' }), restored(7)).holds(({ memory }) => {
      expect(memory).toEqual({ id: 0, upTo: 0, messages: 1, last: 1 });
    });
  });

  test('SPEC 8.4: after a compaction on request the reading is unknown, until the next turn gives one', () => {
    const compacting = turnStarted([], { kind: 'compact', memory: { id: 0, upTo: 0, messages: 1 }, turn: 'c' });
    const log = [...answered(1), g.compactAsked(), compacting, compacted(0, 4, { turn: 'c' })];
    const gone = g.delivered({ turn: 'c' });
    given(...log, gone).holds(({ reading }) => expect(reading).toEqual({ tokens: 0, compacted: true }));
    const next = [
      message('next'),
      turnStarted([9], { turn: 'n', memory: { id: 0, upTo: 4, summary: 7, messages: 1 } }),
      turnEnded([9], { turn: 'n', contextTokens: 80 }),
    ] as const;
    given(...log, gone, ...next).holds(({ reading }) => expect(reading).toEqual({ tokens: 80 }));
  });

  test('SPEC 8.2, 8.5: after a compaction a turn sees the summary’s event first, then only what comes after it', () => {
    const compacting = turnStarted([], { kind: 'compact', memory: { id: 0, upTo: 0, messages: 1 }, turn: 'c' });
    const log = [
      ...answered(1),
      g.compactAsked(),
      compacting,
      compacted(0, 4, { turn: 'c' }),
      g.delivered({ turn: 'c' }),
    ];
    expect(seen(...log, message('next'))).toEqual([7, 9]);
  });
});

describe('/undo', () => {
  test('SPEC 5.5: exactly the memory from before, and the messages that waited', () => {
    const before = stateAfter(message('a'), message('b'));
    given(message('a'), message('b'), cleared(2), restored(3, 2)).holds((state) => {
      expect(state.memory).toEqual(before.memory);
      expect(state.waiting).toEqual([1, 2]);
      expect(undoableClear(state)).toBeUndefined();
    });
  });

  test('SPEC 5.5: a message since makes it too late; commands and turns that end do not', () => {
    const now = g.base();
    const intent = (state: Parameters<typeof decideUndo>[0]) => decideUndo(state, now);
    given(...answered(1), cleared(), message('new', { memory: 5 }))
      .when(intent)
      .appends(g.draft('command.ran', { ...now, outcome: 'too-late' }));
    given(message(), turnStarted([1]), cleared(), turnEnded([1]), delivered(), g.shown(), g.goalSet('x'))
      .when(intent)
      .appends(g.draft('context.restored', { ...now, clear: 3, restored: 0 }));
  });

  test('SPEC 5.5: without a clear there is nothing to undo', () => {
    const now = g.base();
    given(message())
      .when((state) => decideUndo(state, now))
      .appends(g.draft('command.ran', { ...now, outcome: 'nothing' }));
  });

  test('SPEC 5.5: when the newest clear was undone, an older one that a message followed is too late', () => {
    const now = g.base();
    const log = [message(), cleared(1), message('b', { memory: 2 }), cleared(1), restored(4, 1)];
    given(...log)
      .when((state) => decideUndo(state, now))
      .appends(g.draft('command.ran', { ...now, outcome: 'too-late' }));
  });

  test('DESIGN 3a: a press of Undo takes back the clear that it names and no other', () => {
    const now = g.base();
    const press = (target: number) => (state: Parameters<typeof decideUndo>[0]) => decideUndo(state, now, target);
    const log = [message(), cleared(1), message('b', { memory: 2 }), cleared(1)];
    given(...log)
      .when(press(2))
      .appends(g.draft('command.ran', { ...now, outcome: 'other' }));
    given(...log)
      .when(press(4))
      .appends(g.draft('context.restored', { ...now, clear: 4, restored: 1 }));
    given(...log, restored(4, 1))
      .when(press(4))
      .appends(g.draft('command.ran', { ...now, outcome: 'nothing' }));
  });
});

describe('what a turn sees', () => {
  test('SPEC 4.11: the first message that came with /new stays in the conversation that it began', () => {
    const log = [...answered(1), started('hello')];
    expect(seen(...log)).toEqual([5]);
    const after = [turnStarted([5], { memory: { id: 5, upTo: 4, messages: 1 } }), turnEnded([5], { memory: 5 })];
    expect(seen(...log, ...after, delivered(), message('more', { memory: 5 }))).toEqual([5, 7, 9]);
  });

  test('SPEC 7.6: a message that came with a change of settings stays in its memory', () => {
    const plan = decideOptions(stateAfter(), g.base(), { mode: 'plan' }, {}, { text: 'do it' });
    const log = [plan, turnStarted([1]), turnEnded([1]), delivered()] as const;
    expect(seen(...log, message('more'))).toEqual([1, 3, 5]);
  });

  test('SPEC 4.10: messages that /stop dropped reach no provider later', () => {
    const log = [message('a'), turnStarted([1]), message('dropped'), g.stopAsked('t', 1)] as const;
    const ended = turnEnded([1], { outcome: 'stopped', text: 'half' });
    expect(seen(...log, ended, delivered(), message('next'))).toEqual([1, 5, 7]);
    expect(seen(message('dropped'), g.stopAsked(undefined, 1), message('next'))).toEqual([3]);
  });

  test('cases G 97: a message that came during a turn stands behind it, and is answered in the next', () => {
    const log = [message('a'), turnStarted([1]), message('b'), turnEnded([1]), delivered()] as const;
    expect(seen(...log)).toEqual([1, 3, 4]);
  });

  test('SPEC 8.2: what was summarised away stays away, also when a message that waited before it has to be read', () => {
    const drafts = [...answered(1), message('waits'), message('later')];
    const memory = { id: 0, upTo: 5, messages: 3 };
    const turn = {
      ...{ id: 'n', attempt: 1, leaseUntil: 1, kind: 'answer' as const, messages: [1], memory },
      options: {},
    };
    const begun = { ...turn, start: 9, answers: 1, steps: 0, parts: [], tries: 1 };
    expect(historyFrom(begun)).toBe(1);
    expect(visibleTo(begun, g.logOf(drafts)).map(({ seq }) => seq)).toEqual([1]);
  });

  test('SPEC 5.2: a turn that began before the clear keeps the memory that it began with', () => {
    const drafts = [...answered(1), message('b'), turnStarted([5], { turn: 'u' }), cleared()];
    const state = stateAfter(...drafts);
    const log = g.logOf(drafts);
    if (!state.turn) throw new Error('No turn runs');
    expect(visibleTo(state.turn, log).map(({ seq }) => seq)).toEqual([1, 3, 5, 6]);
  });
});
