import type { Usage } from '../domain/events.ts';
import { decideEnd, type TurnEnd } from '../domain/turns.ts';
import type { TurnRun } from './answering.ts';
import type { WorkerDeps } from './deps.ts';
import type { Holder } from './holder.ts';
import { countUse } from './usage.ts';

/**
 * Ends a held turn.
 * @param use of the step that ended it: that of the others was counted with each.
 */
export async function endTurn(deps: WorkerDeps, holder: Holder, turnEnd: TurnEnd, use: Usage = {}): Promise<TurnRun> {
  const held = await holder.append((state) => decideEnd(state, holder.claim, turnEnd, deps.runtime.now()));
  if (!held.event) return { kind: 'lost' };
  countStep(deps, holder, use);
  return { kind: 'ended' };
}

/** Counts what a step has read and written, after its append. @returns as `countUse`. */
export async function countStep(deps: WorkerDeps, holder: Holder, use: Usage): Promise<void> {
  const { inputTokens = 0, outputTokens = 0 } = use;
  if (inputTokens + outputTokens > 0) await countUse(deps, holder.place.tenant, { inputTokens, outputTokens });
}
