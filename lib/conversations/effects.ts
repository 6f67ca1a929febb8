import { eventOf } from '../domain/events.ts';
import type { StoredEvent } from '../ports/log.ts';
import { putInForce } from './accessRequests.ts';
import type { WebhookDeps } from './deps.ts';
import type { Scene } from './scene.ts';
import { setDefaults } from './settingsChoices.ts';

/**
 * What an event does outside the log. It comes after the event and before the reply, and may be done again when the
 * delivery comes again (SPEC 11.1).
 */
export async function carryOut(deps: WebhookDeps, scene: Scene, event: StoredEvent): Promise<void> {
  const changed = eventOf(event, 'person.changed');
  if (changed) return putInForce(deps, scene, changed);
  const ran = eventOf(event, 'command.ran');
  if (ran) return setDefaults(deps, scene.place.tenant, ran);
  const closes = eventOf(event, 'choices.closed')?.data.closes ?? eventOf(event, 'stop.asked')?.data.closes ?? [];
  const { chat } = (event.data as { to?: { chat?: string } }).to ?? {};
  if (chat === undefined) return;
  const key = { tenant: scene.place.tenant, channelId: scene.channel.id, chat };
  await Promise.all(closes.map((id) => deps.actions.delete({ ...key, id })));
}
