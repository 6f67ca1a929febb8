import { pending } from '../domain/pending.ts';
import type { Hint } from '../ports/queue.ts';
import { stateOf } from './append.ts';
import type { WebhookDeps } from './deps.ts';

/** How long a place rests after its hint came to nothing so often. */
const REST_MS = 30_000;

/**
 * A hint that the queue gave up on: if its place still owes something, it is looked at again (DESIGN 3, Waits). Tries
 * are counted in the log, so nothing is dropped here.
 */
export async function lookAgain(
  deps: Pick<WebhookDeps, 'log' | 'queue' | 'runtime' | 'logger'>,
  { tenant, place }: Hint,
): Promise<void> {
  const state = await stateOf(deps.log, { tenant, place }, await deps.log.newest({ tenant, place }));
  if (pending(state, deps.runtime.now()).kind === 'none') return;
  deps.logger.warn('dead-letter.owed');
  await deps.queue.send({ tenant, place }, REST_MS);
}
