import type { ChatOptions, Draft, DraftOf, EventData } from './events.ts';
import { HINT_GUARD_MS, LEASE_MS, TURN_TRIES } from './limits.ts';
import { pending } from './pending.ts';
import type { OwedDelivery, State, Turn } from './state.ts';

/** The claim under which a worker acts. Every append of it is fenced by these (DESIGN 3). */
export interface Claim {
  turn: string;
  attempt: number;
}

/** The turn or delivery that this claim still holds in this state, or undefined: then it must append and send nothing. */
export function holding(state: State, claim: Claim): Turn | OwedDelivery | undefined {
  const { turn, owed } = state;
  if (turn?.id === claim.turn) return turn.attempt === claim.attempt ? turn : undefined;
  return owed?.turn === claim.turn && owed.attempt === claim.attempt ? owed : undefined;
}

/** What a worker wants to do for a place; the claim's lease counts from `now`, which is before the request. */
export interface ClaimContext {
  now: number;
  /** A fresh id for a turn that begins. */
  turnId: string;
  /** The settings in force for a turn that begins. */
  options: ChatOptions;
  /** The worker's hint is surely invisible until then, ms. */
  hintUntil: number;
  /** What the turn in force has said, read of the log up to this many steps: for a claim that closes it. */
  said?: Said & { steps: number };
}

/** The words of a turn's steps, as its end holds them. */
export type Said = Pick<EventData<'turn.ended'>, 'text' | 'lastStepAt'>;

/**
 * The append with which a worker takes what the place owes (DESIGN 3, Claim): a turn begins or is taken over, a
 * delivery is taken, or a turn that was stopped or has failed too often is closed without a call to the provider, with
 * what it has said (SPEC 4.10).
 * Undefined if there is nothing to take, the worker's hint may be visible again, or it is not known what was said.
 */
export function decideClaim(state: State, context: ClaimContext): Draft | undefined {
  const { now } = context;
  if (now > context.hintUntil - HINT_GUARD_MS) return undefined;
  const leaseUntil = now + LEASE_MS;
  switch (pending(state, now).kind) {
    case 'deliver': {
      const { owed } = state;
      if (!owed) return undefined;
      return { type: 'delivery.taken', data: { turn: owed.turn, attempt: owed.attempt + 1, leaseUntil } };
    }
    case 'start':
      return begin(state, context, leaseUntil, 'answer');
    case 'compact':
      return begin(state, context, leaseUntil, 'compact');
    case 'takeover':
      return state.turn && takeOver(state.turn, leaseUntil, context.said);
    default:
      return undefined;
  }
}

function begin(state: State, context: ClaimContext, leaseUntil: number, kind: Turn['kind']): DraftOf<'turn.started'> {
  const messages = kind === 'answer' ? state.waiting : [];
  const { turnId: turn, options } = context;
  return {
    type: 'turn.started',
    data: { turn, attempt: 1, leaseUntil, kind, messages, memory: state.memory, options, tries: 1 },
  };
}

/** Whether the next claim of this turn ends it: it was stopped, or begun too often. */
export function isToBeClosed({ stopAsked, tries }: Turn): boolean {
  return stopAsked === true || tries >= TURN_TRIES;
}

function takeOver(turn: Turn, leaseUntil: number, read: ClaimContext['said']): Draft | undefined {
  const { id, kind, messages, memory, options } = turn;
  const claim = { turn: id, attempt: turn.attempt + 1, leaseUntil };
  if (!isToBeClosed(turn)) {
    return { type: 'turn.started', data: { ...claim, kind, messages, memory, options, tries: turn.tries + 1 } };
  }
  if (turn.steps !== (read?.steps ?? 0)) return undefined;
  const { steps: _, ...said } = read ?? { steps: 0, text: '' };
  const end = turn.stopAsked
    ? { outcome: 'stopped' as const }
    : { outcome: 'failed' as const, notice: TRIED_TOO_OFTEN };
  return { type: 'turn.ended', data: { ...claim, memory: memory.id, messages, ...end, ...said } };
}

/** Shown when a turn was begun again and again without progress. */
export const TRIED_TOO_OFTEN = 'I tried several times and could not finish this. Please send it again.';

/** What a turn's end says besides whose it is. */
export type TurnEnd = Pick<
  EventData<'turn.ended'>,
  'outcome' | 'text' | 'lastStepAt' | 'notice' | 'model' | 'session' | 'usage' | 'contextTokens'
>;

/**
 * The end of a held turn. If `/stop` was asked meanwhile, it ends as stopped, whatever was about to be said.
 * Undefined if the claim no longer holds the turn.
 */
export function decideEnd(state: State, claim: Claim, end: TurnEnd, now: number): DraftOf<'turn.ended'> | undefined {
  const { turn } = state;
  if (!turn || turn.id !== claim.turn || turn.attempt !== claim.attempt) return undefined;
  const { notice, ...rest } = end;
  const outcome = turn.stopAsked ? 'stopped' : end.outcome;
  return {
    type: 'turn.ended',
    data: {
      ...{ ...claim, memory: turn.memory.id, messages: turn.messages, leaseUntil: now + LEASE_MS, ...rest, outcome },
      ...(notice === undefined || turn.stopAsked ? {} : { notice }),
    },
  };
}

/** Events that are not appended once `/stop` was asked of their turn (DESIGN 3, Stop). */
const BARRED_BY_STOP: ReadonlySet<Draft['type']> = new Set([
  'step',
  'tool.started',
  'question.asked',
  'context.summed',
  'context.compacted',
]);

export type Fenced = { draft: Draft } | { lost: true } | { stopped: true };

/** The fence: whether this claim may append this draft on this state. */
export function fence(state: State, claim: Claim, draft: Draft): Fenced {
  if (!holding(state, claim)) return { lost: true };
  if (state.turn?.stopAsked && BARRED_BY_STOP.has(draft.type)) return { stopped: true };
  return { draft };
}

/**
 * A question may open only while nothing waits and the turn's memory is in force (DESIGN 3a); otherwise the plan is
 * simply the answer.
 */
export function mayAsk(state: State, claim: Claim): boolean {
  const { turn } = state;
  return turn?.id === claim.turn && state.waiting.length === 0 && state.memory.id === turn.memory.id;
}
