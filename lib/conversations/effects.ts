import type { Base } from '../domain/decide.ts';
import { eventOf } from '../domain/events.ts';
import { ACTION_LIFETIME_MS } from '../domain/limits.ts';
import type { ActionItem } from '../ports/actions.ts';
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
  await Promise.all(closes.map((id) => deps.actions.put(closedAction(scene, event, id))));
}

/** What is left of choices that were cancelled. The message's own id is not known here, so the buttons go when one is pressed. */
function closedAction({ place, channel }: Scene, event: StoredEvent, id: string): ActionItem {
  const { to, person } = event.data as Base;
  return {
    ...{ id, ...place, channelId: channel.id, chat: to.chat, person: person.id, seq: event.seq, choices: [] },
    ...{ createdAt: event.at, expiresAt: event.at + ACTION_LIFETIME_MS, closed: true },
  };
}
