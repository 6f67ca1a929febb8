import type { Answering, TurnRun } from './answering.ts';

/** The next worker goes on from here (DESIGN 3). */
export async function handOver({ deps, holder, growing }: Answering): Promise<TurnRun> {
  // The turn is free for others from here on: nothing of this worker may still be on its way.
  await growing.end();
  const data = { ...holder.claim, notBefore: deps.runtime.now(), reason: 'time' as const };
  const { event } = await holder.append(() => ({ type: 'turn.yielded', data }));
  return event ? { kind: 'yielded' } : { kind: 'lost' };
}
