import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as decide from '../../lib/domain/decide.ts';
import { contentOf, type Draft, type Event, eventOf, knownEvent } from '../../lib/domain/events.ts';
import { evolve, fold } from '../../lib/domain/evolve.ts';
import { owesWork, pending } from '../../lib/domain/pending.ts';
import { initialState, type State } from '../../lib/domain/state.ts';
import { decideClaim, decideEnd } from '../../lib/domain/turns.ts';
import { anyDraft, anyLog, EVENT_TYPES } from '../support/arbitraryEvents.ts';
import { base, logOf, NOON, stored } from '../support/given.ts';

describe('the fold of any log', () => {
  test('SPEC 2.4: the state carried step by step, through JSON, equals the fold from the first event', () => {
    const property = fc.property(anyLog, (drafts) => {
      let carried: State = initialState;
      for (const event of logOf(drafts)) carried = stored(evolve(carried, event));
      expect(carried).toStrictEqual(fold(stored(logOf(drafts))));
    });
    fc.assert(property, { numRuns: 400 });
  });

  test('DESIGN 2: no undefined is ever part of a state', () => {
    const property = fc.property(anyLog, (drafts) => {
      const state = fold(logOf(drafts));
      expect(state).toStrictEqual(stored(state));
    });
    fc.assert(property, { numRuns: 300 });
  });

  test('DESIGN 2: evolve changes neither the state nor the event that it is given', () => {
    const frozen = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
      return value;
    };
    const property = fc.property(anyLog, (drafts) => {
      let state: State = frozen(initialState);
      for (const event of logOf(drafts)) state = frozen(evolve(state, frozen(event)));
      expect(state.seq).toBe(drafts.length);
    });
    fc.assert(property, { numRuns: 200 });
  });

  test('DESIGN 2: every event of every type is well formed, and no message text enters the state but the goal', () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        const [event] = logOf([draft]);
        expect(event && knownEvent(event)).toEqual(event);
      }),
    );
    expect(EVENT_TYPES).toHaveLength(33);
    const secret = 'words that nobody should find again';
    const message = { type: 'message', data: { ...base(), content: { text: secret }, memory: 0, conversation: 0 } };
    expect(JSON.stringify(fold(logOf([message as Draft])))).not.toContain(secret);
  });

  test('DESIGN 2: a place that owes nothing offers nothing to claim, and one that owes something always does in the end', () => {
    const property = fc.property(anyLog, (drafts) => {
      const state = fold(logOf(drafts));
      const late = 10 ** 14;
      const claim = decideClaim(state, { now: late, turnId: 'x', options: {}, hintUntil: late + 90_000 });
      expect(claim !== undefined).toBe(owesWork(state));
      expect(pending(state, late).kind === 'none').toBe(!owesWork(state));
    });
    fc.assert(property, { numRuns: 300 });
  });
});

/** What people and one worker do, as decisions on whatever state there is. */
const intents: Record<string, (state: State, at: number) => Draft | undefined> = {
  message: (state) => decide.decideMessage(state, base(), { text: 'hi' }),
  clear: (state) => decide.decideClear(state, base()),
  undo: (state) => decide.decideUndo(state, base()),
  goal: (state) => decide.decideGoal(state, base(), 'whales'),
  new: (state) => decide.decideNew(state, base()),
  newWith: (state) => decide.decideNew(state, base(), { text: 'hello' }),
  goBack: (state) => decide.decideGoBack(state, base(), state.left?.leftAt ?? 0),
  plan: (state) => decide.decideOptions(state, base(), { mode: 'plan' }, {}),
  stop: (state) => decide.decideStop(state, base()),
  claim: (state, now) => decideClaim(state, { now, turnId: `t${state.seq}`, options: {}, hintUntil: now + 90_000 }),
  end: (state, now) => {
    const { id = '', attempt = 1 } = state.turn ?? {};
    return decideEnd(state, { turn: id, attempt }, { outcome: 'complete', text: 'ok', contextTokens: state.seq }, now);
  },
  deliver: ({ owed }) => owed && { type: 'reply.delivered', data: { turn: owed.turn, attempt: owed.attempt } },
};

const history = fc.array(fc.constantFrom(...Object.keys(intents)), { maxLength: 30 });

/** The log that these intents make, one after the other, a minute and a half apart. */
function logOfIntents(names: readonly string[]): { log: Event[]; states: State[] } {
  const states: State[] = [initialState];
  const log: Event[] = [];
  for (const name of names) {
    const state = states.at(-1) ?? initialState;
    const at = NOON + log.length * 90_000;
    const draft = intents[name]?.(state, at);
    if (!draft) continue;
    const event = { ...draft, seq: state.seq + 1, id: `id-${state.seq + 1}`, at } as Event;
    log.push(event);
    states.push(stored(evolve(state, event)));
  }
  return { log, states };
}

describe('any history of decisions', () => {
  test('SPEC 5.1, 5.2: after a clear the memory holds nothing from before, whatever a running turn adds', () => {
    const property = fc.property(history, history, (before, after) => {
      const { states } = logOfIntents([...before, 'message', 'clear']);
      const cleared = states.at(-1);
      expect(cleared?.memory).toEqual({ id: cleared?.seq, upTo: cleared?.seq, messages: 0 });
      const quiet = after.filter((name) => ['claim', 'end', 'deliver', 'stop', 'goal'].includes(name));
      const later = logOfIntents([...before, 'message', 'clear', ...quiet]).states.at(-1);
      expect(later?.memory).toEqual(cleared?.memory);
      expect(later?.reading).toBeUndefined();
    });
    fc.assert(property, { numRuns: 300 });
  });

  test('SPEC 5.5: clear and undo leave exactly the memory, the waiting messages and the reading from before', () => {
    const property = fc.property(history, (before) => {
      const { states } = logOfIntents([...before, 'message']);
      const was = states.at(-1);
      const undone = logOfIntents([...before, 'message', 'clear', 'undo']).states.at(-1);
      const pick = (state: State | undefined) => state && [state.memory, state.waiting, state.reading, state.goal];
      expect(pick(undone)).toEqual(pick(was));
    });
    fc.assert(property, { numRuns: 300 });
  });

  test('cases G 97: no two turns are open at once, and what waits is answered by one turn alone', () => {
    const property = fc.property(history, (names) => {
      const { log } = logOfIntents(names);
      const taken = log.flatMap((event) => {
        const begun = eventOf(event, 'turn.started');
        return begun?.data.attempt === 1 ? begun.data.messages : [];
      });
      expect(new Set(taken).size).toBe(taken.length);
      for (const { turn, waiting } of logOfIntents(names).states) {
        expect(waiting.filter((seq) => turn?.messages.includes(seq))).toEqual([]);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe('unknown and newer events (SPEC 2.5)', () => {
  const message = { type: 'message', data: { ...base(), content: { text: 'hi' }, memory: 0, conversation: 0 } };
  const at = { id: 'x', at: NOON };

  test('an unknown type moves only the seq', () => {
    const [first] = logOf([message as Draft]);
    const state = fold(first ? [first] : []);
    const unknown = { ...at, seq: 2, type: 'from.the.future', data: { anything: [1, { deep: true }] } };
    expect(knownEvent(unknown)).toBeUndefined();
    expect(fold(first ? [first, unknown] : [])).toEqual({ ...state, seq: 2 });
    expect(evolve(state, unknown as unknown as Event)).toEqual({ ...state, seq: 2 });
  });

  test('names of an object’s own machinery are no types', () => {
    for (const type of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const event = { ...at, seq: 1, type, data: {} };
      expect(knownEvent(event)).toBeUndefined();
      expect(evolve(initialState, event as unknown as Event).seq).toBe(1);
    }
  });

  test('fields of a newer version are kept', () => {
    const data = { ...message.data, later: { field: 1 }, content: { text: 'hi', mood: 'calm' } };
    expect(knownEvent({ ...at, ...message, data, seq: 1 })?.data).toEqual(data);
  });

  test('data that does not fit its type is passed over, not an error', () => {
    for (const data of [null, 'text', {}, { ...message.data, memory: 'first' }]) {
      const event = { ...at, seq: 1, type: 'message', data };
      expect(knownEvent(event)).toBeUndefined();
      expect(eventOf(event, 'message')).toBeUndefined();
      expect(fold([event])).toEqual({ ...initialState, seq: 1 });
    }
    expect(contentOf({ ...at, seq: 1, type: 'x', data: { content: { text: 5 } } })).toBeUndefined();
    expect(contentOf({ ...at, seq: 1, type: 'x', data: null })).toBeUndefined();
    expect(eventOf(undefined, 'message')).toBeUndefined();
  });
});
