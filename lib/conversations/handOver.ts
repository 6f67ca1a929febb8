import { TIME_TO_WORK_MS } from '../domain/limits.ts';
import type { Answering, TurnRun } from './answering.ts';

/** Time for a whole step before the worker's process is ended. */
export function hasTime({ deadline, deps }: Pick<Answering, 'deadline' | 'deps'>): boolean {
  return !deps.runtime.ending?.aborted && deadline - deps.runtime.now() >= TIME_TO_WORK_MS;
}

/** The next worker goes on from here (DESIGN 3). */
export async function handOver({ deps, holder, growing }: Answering): Promise<TurnRun> {
  // The turn is free for others from here on: nothing of this worker may still be on its way.
  await growing.end();
  const data = { ...holder.claim, notBefore: deps.runtime.now(), reason: 'time' as const };
  const { event } = await holder.append(() => ({ type: 'turn.yielded', data }));
  return event ? { kind: 'yielded' } : { kind: 'lost' };
}
