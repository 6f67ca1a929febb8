import type { PlaceRef } from '../domain/place.ts';
import type { State } from '../domain/state.ts';
import type { TenantRecord } from '../ports/tenants.ts';
import type { WorkerDeps } from './deps.ts';
import { addressOf, channelOf } from './runTurn.ts';

/**
 * Shows whoever waits in line for a slot that they were heard (SPEC 9.4, 13.3): the app's sign of being at work, once. Where
 * the message is deferred the app shows that already. A failure does not matter.
 */
export async function showWaiting(
  deps: WorkerDeps,
  place: PlaceRef,
  { waiting }: State,
  tenant: TenantRecord,
): Promise<void> {
  const newest = waiting.at(-1);
  if (newest === undefined) return;
  try {
    const [message, at] = await Promise.all([
      deps.log.at(place, newest, { strong: true }),
      channelOf(deps, tenant, place.place),
    ]);
    const to = addressOf(message);
    if (at && to && !to.deferred) await at.app.sender(at.channel).typing(to);
  } catch (error) {
    deps.logger.error('worker.typing', error);
  }
}
