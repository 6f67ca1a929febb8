import { describe, expect, test } from 'vitest';
import type { Mode } from '../../lib/domain/events.ts';
import { DELIVERY_TRIES, HINT_GUARD_MS, LEASE_MS, TAKEOVER_GRACE_MS, TURN_TRIES } from '../../lib/domain/limits.ts';
import { owesWork, pending } from '../../lib/domain/pending.ts';
import { decideAnswer } from '../../lib/domain/questions.ts';
import { initialState } from '../../lib/domain/state.ts';
import { fence, holding, mayAsk, TRIED_TOO_OFTEN } from '../../lib/domain/turns.ts';
import * as g from '../support/given.ts';

const { claim, delivered, end, given, message, NOON, questionAsked, stateAfter, stopAsked, turnEnded, turnStarted } = g;

const HELD = { turn: 't', attempt: 1 };
const complete = { outcome: 'complete', text: 'It rains.' } as const;
const LEASE_END = NOON + 60_000;

describe('pending', () => {
  test('DESIGN 2: nothing is owed by an empty place, nor by one that only ran a command', () => {
    expect(pending(initialState, NOON)).toEqual({ kind: 'none' });
    given(g.shown()).holds((state) => expect(pending(state, NOON)).toEqual({ kind: 'none' }));
  });

  test('DESIGN 3: what waits is begun; a held turn is looked at again 5 s after its lease, not before', () => {
    given(message()).holds((state) => expect(pending(state, NOON)).toEqual({ kind: 'start' }));
    given(message(), turnStarted([1])).holds((state) => {
      const until = LEASE_END + TAKEOVER_GRACE_MS;
      expect(pending(state, until - 1)).toEqual({ kind: 'held', until });
      expect(pending(state, until)).toEqual({ kind: 'takeover' });
    });
  });

  test('DESIGN 3, Replies: a reply that is owed comes before a message that waits', () => {
    const log = [message(), turnStarted([1]), message('b'), turnEnded([1])] as const;
    given(...log).holds((state) => {
      expect(pending(state, LEASE_END + TAKEOVER_GRACE_MS - 1).kind).toBe('held');
      expect(pending(state, LEASE_END + TAKEOVER_GRACE_MS)).toEqual({ kind: 'deliver' });
    });
    given(...log, delivered()).holds((state) => expect(pending(state, NOON)).toEqual({ kind: 'start' }));
  });

  test('DESIGN 3, Waits: a turn that waits for its provider is held until then, and nobody’s before', () => {
    const yielded = g.draft('turn.yielded', { ...HELD, notBefore: NOON + 9_000, reason: 'wait' });
    given(message(), turnStarted([1]), yielded).holds((state) => {
      expect(pending(state, NOON)).toEqual({ kind: 'held', until: NOON + 9_000 });
      expect(pending(state, NOON + 9_000)).toEqual({ kind: 'takeover' });
    });
  });

  test('SPEC 4.10: /stop ends such a wait at once', () => {
    const yielded = g.draft('turn.yielded', { ...HELD, notBefore: NOON + 600_000, reason: 'wait' });
    given(message(), turnStarted([1]), yielded, stopAsked('t')).holds((state) =>
      expect(pending(state, NOON)).toEqual({ kind: 'takeover' }),
    );
  });

  test('DESIGN 3, Outbox: a held place still owes work, so that the sweeper sees the event', () => {
    given(message(), turnStarted([1]), message('b')).holds((state) => expect(owesWork(state)).toBe(true));
    given(message(), turnStarted([1]), turnEnded([1]), delivered()).holds((state) =>
      expect(owesWork(state)).toBe(false),
    );
  });
});

describe('claim', () => {
  test('DESIGN 3, Claim: a turn takes all that waits, its memory and its settings, under a lease of 60 s from now', () =>
    given(message('a'), message('b'))
      .when(claim({ options: { model: 'p/m' } }), { now: NOON })
      .appends(
        g.draft('turn.started', {
          ...{ turn: 't2', attempt: 1, leaseUntil: NOON + LEASE_MS, kind: 'answer', messages: [1, 2], tries: 1 },
          ...{ memory: { id: 0, upTo: 0, messages: 2, last: 2 }, options: { model: 'p/m' } },
        }),
      ));

  test('DESIGN 3, Claim: a held turn is not taken, and after lease + 5 s with a higher attempt', () => {
    const log = [message(), turnStarted([1])] as const;
    given(...log)
      .when(claim(), { now: LEASE_END + TAKEOVER_GRACE_MS - 1 })
      .appends();
    const now = LEASE_END + TAKEOVER_GRACE_MS;
    given(...log)
      .when(claim(), { now })
      .appends(turnStarted([1], { attempt: 2, leaseUntil: now + LEASE_MS, tries: 2 }));
  });

  test('DESIGN 3, Hints: nothing is claimed unless the hint is surely invisible for 5 s more', () => {
    const almost = NOON + HINT_GUARD_MS;
    given(message())
      .when(claim({ hintUntil: almost - 1 }), { now: NOON })
      .appends();
    given(message())
      .when(claim({ hintUntil: almost }), { now: NOON })
      .holds(({ turn }) => expect(turn?.id).toBe('t2'));
  });

  test('DESIGN 3, Waits: after 5 claims without progress the turn ends as failed and says so, unasked by a provider', () => {
    const now = LEASE_END + TAKEOVER_GRACE_MS;
    const log = [message(), turnStarted([1], { tries: TURN_TRIES, attempt: 5 })] as const;
    given(...log)
      .when(claim(), { now })
      .appends(
        turnEnded([1], {
          ...{ attempt: 6, leaseUntil: now + LEASE_MS, outcome: 'failed', text: '', notice: TRIED_TOO_OFTEN },
        }),
      );
    given(message(), turnStarted([1], { tries: TURN_TRIES - 1, attempt: 4 }))
      .when(claim(), { now })
      .appends(turnStarted([1], { tries: TURN_TRIES, attempt: 5, leaseUntil: now + LEASE_MS }));
  });

  test('DESIGN 3, Waits: progress begins the counting anew', () => {
    const step = g.draft('step', { turn: 't', attempt: 5, memory: 0, n: 1, text: '', calls: [] });
    given(message(), turnStarted([1], { tries: 5, attempt: 5 }), step).holds(({ turn }) => expect(turn?.tries).toBe(0));
  });

  test('DESIGN 3, Stop: the successor of a dead holder closes a stopped turn', () => {
    const now = LEASE_END + TAKEOVER_GRACE_MS;
    given(message(), turnStarted([1]), stopAsked('t'))
      .when(claim(), { now })
      .appends(turnEnded([1], { attempt: 2, leaseUntil: now + LEASE_MS, outcome: 'stopped', text: '' }));
  });

  test('SPEC 4.10: it closes the turn with what its steps said, once it has read that', () => {
    const now = LEASE_END + TAKEOVER_GRACE_MS;
    const step = (n: number) => g.draft('step', { turn: 't', attempt: 1, memory: 0, n, text: 'I look.', calls: [] });
    const said = { text: 'I look.', lastStepAt: 7 };
    const log = [message(), turnStarted([1]), step(1), stopAsked('t')] as const;
    given(...log)
      .when(claim({ said: { steps: 1, ...said } }), { now })
      .appends(turnEnded([1], { attempt: 2, leaseUntil: now + LEASE_MS, outcome: 'stopped', ...said }));
    const lacking = [claim(), claim({ said: { steps: 0, text: '' } })];
    for (const without of lacking)
      given(...log)
        .when(without, { now })
        .appends();
  });

  test('DESIGN 3, Replies: a delivery is taken with a higher attempt, which counts as a try', () => {
    const now = LEASE_END + TAKEOVER_GRACE_MS;
    const taken = g.draft('delivery.taken', { turn: 't', attempt: 2, leaseUntil: now + LEASE_MS });
    const log = [message(), turnStarted([1]), turnEnded([1])] as const;
    given(...log)
      .when(claim(), { now })
      .appends(taken);
    given(...log, taken).holds(({ owed }) =>
      expect(owed).toMatchObject({ attempt: 2, tries: 1, event: 3, answers: 1 }),
    );
    expect(DELIVERY_TRIES).toBe(10);
  });

  test('nothing to do: nothing is claimed', () => given(g.shown()).when(claim()).appends());
});

describe('fence', () => {
  const renewed = g.draft('turn.renewed', { ...HELD, leaseUntil: NOON + 90_000 });

  test('DESIGN 3, Claim: every append is fenced by turn and attempt', () => {
    const state = stateAfter(message(), turnStarted([1], { attempt: 2 }));
    expect(fence(state, { turn: 't', attempt: 2 }, renewed)).toEqual({ draft: renewed });
    expect(fence(state, { turn: 't', attempt: 1 }, renewed)).toEqual({ lost: true });
    expect(fence(state, { turn: 'u', attempt: 2 }, renewed)).toEqual({ lost: true });
    expect(fence(initialState, HELD, renewed)).toEqual({ lost: true });
  });

  test('DESIGN 3, Replies: the claim goes on from the turn to its delivery, and ends with it', () => {
    const log = [message(), turnStarted([1]), turnEnded([1])] as const;
    expect(holding(stateAfter(...log), HELD)).toMatchObject({ turn: 't', attempt: 1 });
    expect(holding(stateAfter(...log), { turn: 't', attempt: 2 })).toBeUndefined();
    expect(holding(stateAfter(...log, delivered()), HELD)).toBeUndefined();
  });

  test('DESIGN 3, Stop: after stop.asked no step, tool, question or compaction of that turn is appended', () => {
    const state = stateAfter(message(), turnStarted([1]), stopAsked('t'));
    const step = g.draft('step', { ...HELD, memory: 0, n: 1, text: '', calls: [] });
    const started = g.draft('tool.started', { ...HELD, memory: 0, n: 1, calls: ['c'] });
    for (const barred of [step, started, questionAsked(), g.compacted(0, 1)]) {
      expect(fence(state, HELD, barred)).toEqual({ stopped: true });
    }
    expect(fence(state, HELD, renewed)).toEqual({ draft: renewed });
    const ended = turnEnded([1], { outcome: 'stopped' });
    expect(fence(state, HELD, ended)).toEqual({ draft: ended });
  });

  test('a renewal moves the lease of the turn, and of the delivery that it became', () => {
    given(message(), turnStarted([1]), renewed).holds(({ turn }) => expect(turn?.leaseUntil).toBe(NOON + 90_000));
    given(message(), turnStarted([1]), turnEnded([1]), renewed).holds(({ owed }) =>
      expect(owed?.leaseUntil).toBe(NOON + 90_000),
    );
  });
});

describe('the end of a turn', () => {
  test('DESIGN 3, Replies: it leaves a delivery owed under the same claim and a lease of 60 s', () => {
    given(message(), turnStarted([1]))
      .when(end(complete), { now: NOON })
      .appends(turnEnded([1], { ...complete, leaseUntil: NOON + LEASE_MS }));
    const opened = g.draft('reply.opened', { ...HELD, parts: ['m9'] });
    given(message(), turnStarted([1]), opened, turnEnded([1])).holds(({ turn, owed }) => {
      expect(turn).toBeUndefined();
      expect(owed).toEqual({
        ...{ turn: 't', attempt: 1, leaseUntil: LEASE_END, event: 4, answers: 1, parts: ['m9'], tries: 0 },
      });
    });
  });

  test('DESIGN 3, Stop: whatever was about to be said, it ends as stopped, without a notice', () => {
    given(message(), turnStarted([1]), stopAsked('t'))
      .when(end({ outcome: 'failed', text: 'half', notice: 'No luck.' }), { now: NOON })
      .appends(turnEnded([1], { outcome: 'stopped', text: 'half', leaseUntil: NOON + LEASE_MS }));
  });

  test('DESIGN 3, Claim: a turn that is no longer its own is not ended', () => {
    given(message(), turnStarted([1], { attempt: 2 }))
      .when(end(complete))
      .appends();
    given(message(), turnStarted([1]), turnEnded([1]))
      .when(end(complete))
      .appends();
  });
});

describe('questions', () => {
  const asked = [message(), turnStarted([1]), questionAsked()] as const;
  const answer = g.draft('question.answered', { ...g.base(), question: 'q', answer: 'start', turn: 't', memory: 0 });

  test('DESIGN 3a: none opens while a message waits, or when the turn’s memory is no longer in force', () => {
    expect(mayAsk(stateAfter(message(), turnStarted([1])), HELD)).toBe(true);
    expect(mayAsk(stateAfter(message(), turnStarted([1]), message('b')), HELD)).toBe(false);
    expect(mayAsk(stateAfter(message(), turnStarted([1]), g.cleared()), HELD)).toBe(false);
    expect(mayAsk(stateAfter(message(), turnStarted([1])), { turn: 'other', attempt: 1 })).toBe(false);
  });

  test('SPEC 7.2: the turn is suspended, holds no lease, and its plan is owed to the person', () =>
    given(...asked).holds(({ turn, question, owed }) => {
      expect(turn).toBeUndefined();
      expect(question).toMatchObject({ id: 'q', kind: 'ExitPlanMode', turn: { id: 't', leaseUntil: 0 } });
      expect(owed).toMatchObject({ event: 3, question: 'q' });
    }));

  test('SPEC 7.2: a new message, /stop, /clear and /new each close it', () => {
    for (const next of [message('b'), stopAsked(), g.cleared(), g.started()]) {
      given(...asked, delivered(), next).holds(({ question }) => expect(question).toBeUndefined());
    }
  });

  test('SPEC 11.4: one that could not be shown is not what a typed yes answers', () => {
    given(...asked, delivered()).holds(({ question }) => expect(question?.shown).toBe(4));
    given(...asked, delivered({ undeliverable: 'refused' })).holds(({ question }) => {
      expect(question?.id).toBe('q');
      expect(question?.shown).toBeUndefined();
    });
  });

  test('SPEC 7.3: Start in a chat that has left plan mode meanwhile changes no setting of it', () => {
    const planning = turnStarted([1], { options: { mode: 'plan' } });
    const mode = (to: Mode) => g.draft('options', { ...g.base(), options: { mode: to } });
    const state = stateAfter(
      message(),
      mode('edit'),
      mode('plan'),
      planning,
      mode('auto'),
      questionAsked(),
      delivered(),
    );
    const decided = decideAnswer(state, g.base(), { question: 'q', answer: 'start' }, {});
    expect(decided.data).toMatchObject({ answer: 'start', options: {}, mode: 'auto' });
  });

  test('DESIGN 3a: starting another turn closes it; a plan that is not shown yet is still shown', () => {
    given(...asked, message('b'), turnStarted([4], { turn: 'u' })).holds(({ question, owed }) => {
      expect(question).toBeUndefined();
      expect(owed?.question).toBe('q');
    });
  });

  test('SPEC 7.3: an answer puts the turn back, free to be taken; an answer to another question changes nothing', () => {
    given(...asked, delivered(), answer).holds((state) => {
      expect(state.turn).toMatchObject({ id: 't', leaseUntil: 0, answer: 'start', parts: [], tries: 0 });
      expect(pending(state, NOON)).toEqual({ kind: 'takeover' });
    });
    // Whoever still shows the question ends that first.
    expect(pending(stateAfter(...asked, answer), NOON)).toMatchObject({ kind: 'held' });
    expect(pending(stateAfter(...asked, answer, delivered()), NOON)).toEqual({ kind: 'takeover' });
    const other = g.draft('question.answered', {
      ...g.base(),
      question: 'older',
      answer: 'start',
      turn: 's',
      memory: 0,
    });
    given(...asked, delivered(), other).holds(({ question, turn }) => {
      expect(question?.id).toBe('q');
      expect(turn).toBeUndefined();
    });
  });

  test('SPEC 7.2: an answer after the place moved on starts nothing', () =>
    given(...asked, delivered(), message('b'), answer).holds(({ turn }) => expect(turn).toBeUndefined()));
});

describe('/stop in the log', () => {
  test('SPEC 4.10: it drops what waits, also before a turn has begun, and binds that turn alone', () => {
    given(message(), stopAsked(undefined, 1)).holds((state) => {
      expect(state.waiting).toEqual([]);
      expect(pending(state, NOON)).toEqual({ kind: 'none' });
    });
    const log = [message(), turnStarted([1]), message('b'), stopAsked('t', 1)] as const;
    given(...log).holds(({ turn, waiting }) => {
      expect(turn?.stopAsked).toBe(true);
      expect(waiting).toEqual([]);
    });
    given(...log, message('c')).holds(({ waiting }) => expect(waiting).toEqual([5]));
    given(message(), turnStarted([1]), stopAsked('an-older-one')).holds(({ turn }) =>
      expect(turn?.stopAsked).toBeUndefined(),
    );
  });
});

describe('a suspended turn', () => {
  const asked = g.draft('question.asked', {
    ...{ ...HELD, memory: 0, leaseUntil: LEASE_END, messages: [1] },
    ...{ question: 'q', kind: 'ExitPlanMode', plan: '1. Mend' },
  });
  const start = g.draft('question.answered', {
    ...{ delivery: { key: 'p', update: 'p', sentAt: NOON }, person: { id: 'ana' }, to: { chat: 'c' } },
    ...{ question: 'q', answer: 'start', turn: 't', memory: 0 },
  });
  const taken = g.draft('delivery.taken', { turn: 't', attempt: 2, leaseUntil: NOON + 90_000 });
  const log = [message(), turnStarted([1]), asked] as const;

  test('DESIGN 3: goes on behind the attempt that showed its question, so that no earlier one holds it again', () => {
    given(...log, taken, delivered({ attempt: 2 }), start).holds((state) => {
      expect(state.turn).toMatchObject({ attempt: 2, leaseUntil: 0 });
      expect(holding(state, { turn: 't', attempt: 1 })).toBeUndefined();
    });
  });

  test('DESIGN 3: answered while it is shown, it is let go by whoever shows it', () => {
    given(...log, start).holds(({ turn, owed }) => {
      expect(turn).toMatchObject({ attempt: 1, leaseUntil: LEASE_END });
      expect(owed).toBeUndefined();
    });
    given(...log, start, delivered()).holds(({ turn }) => {
      expect(turn).toMatchObject({ attempt: 1, leaseUntil: 0 });
    });
  });
});
