import type { EventOf } from '../events.ts';
import { HOUR_MS, WRONG_CLAIMS } from '../limits.ts';
import type { State } from '../state.ts';

export function refuseStranger(state: State, { data }: EventOf<'stranger.refused'>): State {
  return { ...state, strangerTold: data.closed ?? true };
}

export function reachLimit(state: State, event: EventOf<'limit.reached'>): State {
  return { ...state, limitTold: event.at };
}

/** Counts wrong codes alone: the last hour's (SPEC 9.2). */
export function refuseClaim(state: State, event: EventOf<'claim.refused'>): State {
  if (event.data.outcome !== 'wrong') return state;
  const recent = (state.wrongClaims ?? []).filter((at) => at > event.at - HOUR_MS);
  return { ...state, wrongClaims: [...recent, event.at].slice(-WRONG_CLAIMS) };
}
