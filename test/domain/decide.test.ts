import { describe, expect, test } from 'vitest';
import {
  decideGoal,
  decideGoalClear,
  decideGoBack,
  decideMessage,
  decideNew,
  decideOptions,
  decideStop,
} from '../../lib/domain/decide.ts';
import type { OptionsChange } from '../../lib/domain/events.ts';
import { chatGoal } from '../../lib/domain/goal.ts';
import type { State } from '../../lib/domain/state.ts';
import * as g from '../support/given.ts';

const { base, cleared, draft, given, goalSet, message, started, stateAfter, stopAsked, turnEnded, turnStarted } = g;

const refused = (by: ReturnType<typeof base>, outcome: string, detail?: unknown) =>
  draft('command.ran', { ...by, outcome, ...(detail === undefined ? {} : { detail }) });
const options = (change: OptionsChange) => draft('options', { ...base(), options: change });

describe('a message', () => {
  test('DESIGN 3a: it carries the memory and the conversation that it belongs to', () => {
    const by = base();
    given(message(), cleared())
      .when((state) => decideMessage(state, by, { text: 'b' }))
      .appends(draft('message', { ...by, content: { text: 'b' }, memory: 2, conversation: 0 }));
  });

  test('SPEC 6.3: what waited for the first message goes along with it, in the same append, and only with it', () => {
    const by = base();
    const send = (state: State) => decideMessage(state, by, { text: 'a' });
    const plain = { ...by, content: { text: 'a' }, memory: 0, conversation: 0 };
    given(goalSet('whales'), options({ mode: 'plan' }))
      .when(send)
      .appends(draft('message', { ...plain, goal: 'whales', options: { mode: 'plan' } }));
    given(message(), goalSet('whales')).when(send).appends(draft('message', plain));
    given().when(send).appends(draft('message', plain));
  });
});

describe('the goal', () => {
  const by = base();

  test('SPEC 6.1: set, replaced and cleared', () => {
    given(goalSet('whales'))
      .when((state) => decideGoal(state, by, 'dolphins'))
      .appends(draft('goal', { ...by, goal: 'dolphins' }));
    given(goalSet('whales'), goalSet('dolphins')).holds((state) => expect(chatGoal(state)).toBe('dolphins'));
    given(goalSet('whales'))
      .when((state) => decideGoalClear(state, by))
      .appends(draft('goal', { ...by, goal: null }));
    given(goalSet('whales'), goalSet(null)).holds((state) => expect('goal' in state).toBe(false));
  });

  test('SPEC 6.1: over 500 code points it is refused with its length and nothing changes', () => {
    given(goalSet('whales'))
      .when((state) => decideGoal(state, by, '🐳'.repeat(501)))
      .appends(refused(by, 'too-long', { length: 501 }));
    given()
      .when((state) => decideGoal(state, by, '🐳'.repeat(500)))
      .appends(draft('goal', { ...by, goal: '🐳'.repeat(500) }));
  });

  test('without one there is nothing to clear; a button clears the goal that it names and no other', () => {
    given()
      .when((state) => decideGoalClear(state, by))
      .appends(refused(by, 'none'));
    given(goalSet('dolphins'))
      .when((state) => decideGoalClear(state, by, 'whales'))
      .appends(refused(by, 'other'));
  });

  test('SPEC 6.2: it survives /clear and a compaction; 6.3: /new drops it, waiting or in force', () => {
    given(goalSet('x'), message(), cleared(1)).holds((state) => expect(state.goal).toBe('x'));
    given(goalSet('x'), message(), turnStarted([2]), g.compacted(0, 2)).holds((state) => expect(state.goal).toBe('x'));
    given(goalSet('x'), started()).holds((state) => expect(state.goal).toBeUndefined());
    given(goalSet('x'), message(), started()).holds((state) => expect(state.goal).toBeUndefined());
  });
});

describe('/new and Go back', () => {
  test('SPEC 4.11: the settings stay; goal, plan mode and waiting messages go', () => {
    given(
      ...[options({ model: 'p/m', effort: 'high', mode: 'edit' }), options({ mode: 'plan' }), goalSet('x')],
      ...[message(), started()],
    ).holds((state) => {
      expect(state.options).toEqual({ model: 'p/m', effort: 'high', mode: 'edit' });
      expect(state.waiting).toEqual([]);
      expect(state.conversation).toBe(5);
      expect(state.left).toMatchObject({ goal: 'x', plan: true, leftAt: 5 });
    });
  });

  test('SPEC 4.11: it says how many were dropped, and brings a first message', () => {
    const by = base();
    given(message(), message())
      .when((state) => decideNew(state, by, { text: 'hello' }))
      .appends(draft('conversation.started', { ...by, dropped: 2, content: { text: 'hello' } }));
    given(message(), started('hello')).holds(({ waiting, memory }) => {
      expect(waiting).toEqual([2]);
      expect(memory).toEqual({ id: 2, upTo: 1, messages: 1, last: 2 });
    });
  });

  test('DESIGN 3a: one older by the app’s time than a message in the log is refused', () => {
    const late = base({ sentAt: g.NOON - 1 });
    given(message())
      .when((state) => decideNew(state, late))
      .appends(refused(late, 'late'));
  });

  test('SPEC 4.11: Go back brings back conversation, memory, goal, plan mode and reading', () => {
    const log = [
      ...[goalSet('x'), options({ mode: 'plan' }), message(), turnStarted([3])],
      ...[turnEnded([3], { contextTokens: 50 }), g.delivered(), started()],
    ];
    const before = stateAfter(...log.slice(0, -1));
    const by = base();
    given(...log)
      .when((state) => decideGoBack(state, by, 7))
      .holds((state) => {
        expect(state.memory).toEqual(before.memory);
        expect(state.goal).toBe('x');
        expect(state.options).toEqual({ mode: 'plan' });
        expect(state.reading).toEqual({ tokens: 50 });
        expect(state.conversation).toBe(0);
        expect(state.left?.leftAt).toBe(8);
      });
  });

  test('DESIGN 3a: it is refused while anything waits or runs, and when something else was left since', () => {
    const by = base();
    const back = (target: number) => (state: State) => decideGoBack(state, by, target);
    given(message(), started(), message()).when(back(2)).appends(refused(by, 'waiting'));
    given(message(), started(), message(), turnStarted([3]))
      .when(back(2))
      .appends(refused(by, 'answering'));
    given(message(), started(), g.compactAsked()).when(back(2)).appends(refused(by, 'compacting'));
    given(message(), started(), started()).when(back(2)).appends(refused(by, 'gone'));
    given(message()).when(back(2)).appends(refused(by, 'gone'));
  });

  test('SPEC 4.11: what a running turn still adds belongs to the conversation that it began in', () =>
    given(message(), turnStarted([1]), started(), turnEnded([1], { contextTokens: 9 })).holds((state) => {
      expect(state.reading).toBeUndefined();
      expect(state.memory.id).toBe(3);
    }));
});

describe('/stop', () => {
  const by = base();
  const stop = (state: State) => decideStop(state, by);

  test('SPEC 4.10: it names the running turn and the number of messages that it drops', () => {
    given(message(), turnStarted([1]), message(), message())
      .when(stop)
      .appends(draft('stop.asked', { ...by, turn: 't', dropped: 2 }));
    given(message())
      .when(stop)
      .appends(draft('stop.asked', { ...by, dropped: 1 }));
  });

  test('with nothing to stop it says so, and a second one that it is stopping', () => {
    given().when(stop).appends(refused(by, 'nothing'));
    given(message(), turnStarted([1]), turnEnded([1]), g.delivered())
      .when(stop)
      .appends(refused(by, 'nothing'));
    given(message(), turnStarted([1]), stopAsked('t'))
      .when(stop)
      .appends(refused(by, 'stopping'));
  });

  test('it ends a compaction that waits and a question that is open', () => {
    given(g.compactAsked())
      .when(stop)
      .holds(({ compactAsked }) => expect(compactAsked).toBeUndefined());
    given(message(), turnStarted([1]), g.questionAsked(), g.delivered())
      .when(stop)
      .holds(({ question }) => expect(question).toBeUndefined());
  });
});

describe('settings of a chat', () => {
  test('SPEC 7.3: null goes back to the default, what is not named stays', () =>
    given(options({ model: 'p/m', effort: 'low' }), options({ model: null, fast: true })).holds((state) =>
      expect(state.options).toEqual({ effort: 'low', fast: true }),
    ));

  test('SPEC 7.3: the mode before plan is kept while plan mode lasts', () => {
    given(options({ mode: 'edit' }), options({ mode: 'plan' })).holds((s) => expect(s.modeBeforePlan).toBe('edit'));
    given(options({ mode: 'edit' }), options({ mode: 'plan' }), options({ mode: 'plan' })).holds((s) =>
      expect(s.modeBeforePlan).toBe('edit'),
    );
    given(options({ mode: 'plan' })).holds((s) => expect(s.modeBeforePlan).toBeUndefined());
    given(options({ mode: 'edit' }), options({ mode: 'plan' }), options({ mode: 'ask' })).holds((s) =>
      expect(s.modeBeforePlan).toBeUndefined(),
    );
  });

  test('SPEC 7.6: a message that is sent along waits for a turn, in its memory', () => {
    const by = base();
    given(message(), cleared())
      .when((state) => decideOptions(state, by, { mode: 'plan' }, {}, { text: 'go' }))
      .appends(draft('options', { ...by, options: { mode: 'plan' }, content: { text: 'go' }, memory: 2 }));
  });

  test('SPEC 4.8: a turn keeps the settings that it began with', () =>
    given(message(), turnStarted([1], { options: { effort: 'low' } }), options({ effort: 'max' })).holds((state) => {
      expect(state.turn?.options).toEqual({ effort: 'low' });
      expect(state.options).toEqual({ effort: 'max' });
    }));
});
