import type { Event } from '../domain/events.ts';
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
      return closeChoices(deps, scene, event.data.to.chat, event.data.closes ?? []);
  }
}

async function closeChoices(deps: WebhookDeps, scene: Scene, chat: string, ids: readonly string[]): Promise<void> {
  const key = { tenant: scene.place.tenant, channelId: scene.channel.id, chat };
  await Promise.all(ids.map((id) => deps.actions.delete({ ...key, id })));
}
