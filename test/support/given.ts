import { expect } from 'vitest';
import type { Base } from '../../lib/domain/decide.ts';
import type { Draft, DraftOf, Event, EventData, EventType, Memory } from '../../lib/domain/events.ts';
import { evolve, fold } from '../../lib/domain/evolve.ts';
import { initialState, type State } from '../../lib/domain/state.ts';
import { type Claim, type ClaimContext, decideClaim, decideEnd, type TurnEnd } from '../../lib/domain/turns.ts';

/** A decision that is under test: what a person or a worker wants, on a state and at a time (ms). */
export type Intent = (state: State, now: number) => Draft | undefined;

/** When things happen unless a test says otherwise, ms. */
export const NOON = 1_800_000_000_000;

/** The log of drafts: seq from 1, ids by seq, a second apart unless a draft says when. */
export function logOf(drafts: readonly (Draft & { at?: number })[]): Event[] {
  return drafts.map(({ at, ...draft }, index) => {
    const seq = index + 1;
    return { ...draft, seq, id: `id-${seq}`, at: at ?? NOON + seq * 1000 } as Event;
  });
}

/** The state after these events, carried step by step as the log carries it: through JSON. */
export function stateAfter(...drafts: (Draft & { at?: number })[]): State {
  return logOf(drafts).reduce((state, event) => stored(evolve(state, event)), initialState);
}

/** What a store gives back. */
export function stored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/**
 * Given a log, when a decision is taken, then exactly these events follow; `holds` looks at the state afterwards. Both
 * are checked against the fold from the first event (SPEC 2.4).
 */
export function given(...drafts: (Draft & { at?: number })[]) {
  return {
    when(intent: Intent, { now = NOON + drafts.length * 1000 }: { now?: number } = {}) {
      const before = stateAfter(...drafts);
      const decided = intent(before, now);
      const made = decided ? [decided] : [];
      const all = [...drafts, ...made];
      return {
        appends(...expected: Draft[]): void {
          expect(made).toEqual(expected);
        },
        holds(look: (state: State) => void): void {
          const state = stateAfter(...all);
          expect(state).toEqual(fold(logOf(all)));
          look(state);
        },
      };
    },
    /** What is in force after the log. */
    holds(look: (state: State) => void): void {
      const state = stateAfter(...drafts);
      expect(state).toEqual(fold(logOf(drafts)));
      look(state);
    },
  };
}

export const ANA = { id: 'ana' };
export const ADDRESS = { chat: 'c1', message: 'm1' };
let deliveries = 0;

/** What an event of a webhook carries: each call is another delivery. */
export function base(more: Partial<Base> & { key?: string; sentAt?: number } = {}): Base {
  const { key, sentAt = NOON, ...rest } = more;
  deliveries += 1;
  const delivery = { key: key ?? `k${deliveries}`, update: `u${deliveries}`, sentAt };
  return { delivery, person: ANA, to: ADDRESS, ...rest };
}

/** A message that belongs to the memory of this id (0: the first one). */
export function message(text = 'hi', more: { memory?: number; conversation?: number; sentAt?: number } = {}) {
  const { memory = 0, conversation = 0, sentAt = NOON } = more;
  return draft('message', { ...base({ sentAt }), content: { text }, memory, conversation });
}

export function draft<T extends EventType>(type: T, data: EventData<T>): DraftOf<T> {
  return { type, data } as DraftOf<T>;
}

export const cleared = (dropped = 0) => draft('context.cleared', { ...base(), dropped });
export const restored = (clear: number, back = 0) => draft('context.restored', { ...base(), clear, restored: back });
export const goalSet = (goal: string | null) => draft('goal', { ...base(), goal });
export const started = (text?: string) =>
  draft('conversation.started', { ...base(), dropped: 0, ...(text === undefined ? {} : { content: { text } }) });
export const stopAsked = (turn?: string, dropped = 0) =>
  draft('stop.asked', { ...base(), dropped, ...(turn === undefined ? {} : { turn }) });
export const compactAsked = () => draft('compact.asked', { ...base() });
export const shown = () => draft('command.ran', { ...base(), outcome: 'shown' });

/** A claim of turn `t` that begins or takes over. */
export function turnStarted(messages: number[], more: Partial<EventData<'turn.started'>> = {}) {
  const memory: Memory = { id: 0, upTo: 0, messages: messages.length };
  return draft('turn.started', {
    ...{ turn: 't', attempt: 1, leaseUntil: NOON + 60_000, kind: 'answer' as const, messages, memory },
    ...{ options: {}, tries: 1 },
    ...more,
  });
}

/** The end of turn `t`. */
export function turnEnded(messages: number[], more: Partial<EventData<'turn.ended'>> = {}) {
  return draft('turn.ended', {
    ...{ turn: 't', attempt: 1, memory: 0, leaseUntil: NOON + 60_000, outcome: 'complete' as const, messages },
    text: 'an answer',
    ...more,
  });
}

export const delivered = (more: Partial<EventData<'reply.delivered'>> = {}) =>
  draft('reply.delivered', { turn: 't', attempt: 1, ...more });

export function questionAsked(more: Partial<EventData<'question.asked'>> = {}) {
  return draft('question.asked', {
    ...{
      turn: 't',
      attempt: 1,
      memory: 0,
      leaseUntil: NOON + 60_000,
      messages: [1],
      question: 'q',
      kind: 'ExitPlanMode',
    },
    plan: 'first this, then that',
    ...more,
  });
}

export function compacted(memory: number, upTo: number, more: Partial<EventData<'context.compacted'>> = {}) {
  return draft('context.compacted', { turn: 't', attempt: 1, memory, upTo, summary: 'in short', ...more });
}

/** A worker that wants to claim what the place owes. */
export function claim(more: Partial<ClaimContext> = {}): Intent {
  return (state, now) => decideClaim(state, { now, turnId: 't2', options: {}, hintUntil: now + 90_000, ...more });
}

/** A worker that wants to end its turn. */
export function end(turnEnd: TurnEnd, by: Claim = { turn: 't', attempt: 1 }): Intent {
  return (state, now) => decideEnd(state, by, turnEnd, now);
}
