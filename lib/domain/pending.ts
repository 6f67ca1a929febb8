import { TAKEOVER_GRACE_MS } from './limits.ts';
import type { State } from './state.ts';

/** The work that a place owes, and who may do it now (DESIGN 2, 3). */
export type Pending =
  | { kind: 'none' }
  /** Somebody holds it, or it waits, until `until` (ms). */
  | { kind: 'held'; until: number }
  | { kind: 'deliver' }
  | { kind: 'takeover' }
  | { kind: 'start' }
  | { kind: 'compact' };

/** What the place owes at `now`, ms. Pure: workers, webhooks and the sweeper look at a place only through this. */
export function pending(state: State, now: number): Pending {
  const { owed, turn } = state;
  if (owed) {
    const until = owed.leaseUntil + TAKEOVER_GRACE_MS;
    return until > now ? { kind: 'held', until } : { kind: 'deliver' };
  }
  if (turn) {
    const until = turn.leaseUntil ? turn.leaseUntil + TAKEOVER_GRACE_MS : (turn.notBefore ?? 0);
    return until > now ? { kind: 'held', until } : { kind: 'takeover' };
  }
  if (state.waiting.length > 0) return { kind: 'start' };
  // While a question is open its turn is not over, and a compaction comes after the turn (SPEC 4.8).
  if (state.compactAsked !== undefined && !state.question) return { kind: 'compact' };
  return { kind: 'none' };
}

/** Whether anything is owed, by whomever. */
export function owesWork(state: State): boolean {
  return pending(state, Number.POSITIVE_INFINITY).kind !== 'none';
}
