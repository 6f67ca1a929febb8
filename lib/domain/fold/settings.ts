import type { EventOf, OptionsChange } from '../events.ts';
import type { State } from '../state.ts';
import { without, withValue } from './reducer.ts';

export function changeOptions(state: State, change: OptionsChange): State {
  const options: Record<string, unknown> = { ...state.options };
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) continue;
    if (value === null) delete options[key];
    else options[key] = value;
  }
  const next = { ...state, options };
  if (change.mode === undefined) return next;
  if (change.mode !== 'plan') return without(next, 'modeBeforePlan');
  return state.options.mode === 'plan' ? next : withValue(next, 'modeBeforePlan', state.options.mode);
}

/** A plan's question is over once the chat has left plan mode by itself: nothing starts the plan then (SPEC 7.2, 7.3). */
export function closePlan(state: State, change: OptionsChange): State {
  const leaves = change.mode !== undefined && change.mode !== 'plan';
  return leaves && state.question?.kind === 'ExitPlanMode' ? without(state, 'question') : state;
}

/** Out of plan mode, into the mode before it. */
export function leavePlan(state: State): State {
  if (state.options.mode !== 'plan') return state;
  const { mode: _plan, ...options } = state.options;
  const before = state.modeBeforePlan;
  return {
    ...without(state, 'modeBeforePlan'),
    options: before === undefined ? options : { ...options, mode: before },
  };
}

export function setGoal(state: State, event: EventOf<'goal'>): State {
  return withValue(state, 'goal', event.data.goal ?? undefined);
}
