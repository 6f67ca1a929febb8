import type { Event, EventOf } from '../domain/events.ts';
import { ACTION_LIFETIME_MS } from '../domain/limits.ts';
import type { ActionItem } from '../ports/actions.ts';
import { putInForce } from './accessRequests.ts';
import type { WebhookDeps } from './deps.ts';
import type { Scene } from './scene.ts';
import { setDefaults } from './settingsChoices.ts';

/**
 * What an event does outside the log. It comes after the event and before the reply, and may be done again when the
 * delivery comes again (SPEC 11.1).
 */
export async function carryOut(deps: WebhookDeps, scene: Scene, event: Event): Promise<void> {
  switch (event.type) {
    case 'person.changed':
      return putInForce(deps, scene, event);
    case 'command.ran':
      return setDefaults(deps, scene.place.tenant, event);
    case 'choices.closed':
    case 'stop.asked':
      await Promise.all((event.data.closes ?? []).map((id) => deps.actions.put(closedAction(scene, event, id))));
  }
}

/** What is left of choices that were cancelled. The message's own id is not known here, so the buttons go when one is pressed. */
function closedAction(
  { place, channel }: Scene,
  { seq, at, data }: EventOf<'choices.closed' | 'stop.asked'>,
  id: string,
): ActionItem {
  return {
    ...{ id, ...place, channelId: channel.id, chat: data.to.chat, person: data.person.id, seq, choices: [] },
    ...{ createdAt: at, expiresAt: at + ACTION_LIFETIME_MS, closed: true },
  };
}
