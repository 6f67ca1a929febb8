import { askedIn, questionChoices } from '../commands/question.ts';
import type { Base } from '../domain/decide.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { State } from '../domain/state.ts';
import type { Channel, ChatApp, ShownChoice } from '../ports/chatApp.ts';
import type { StoredEvent } from '../ports/log.ts';
import type { WorkerDeps } from './deps.ts';
import { LASTING_MS, storeChoices } from './replies.ts';

/**
 * The choices under a question that is about to be shown, stored first; none if the place has moved on from it: then the
 * plan is shown alone (DESIGN 3a). They stay until the question is closed (SPEC 7.2), for the person whose conversation
 * it is.
 * @param answered the event that the question is about.
 */
export async function questionChoicesOf(
  deps: WorkerDeps,
  where: { place: PlaceRef; at: { app: ChatApp; channel: Channel }; state: State },
  event: StoredEvent,
  answered: StoredEvent | undefined,
): Promise<ShownChoice[]> {
  const asked = askedIn(event);
  const { place, at, state } = where;
  if (!asked || !answered || state.question?.id !== asked.question) return [];
  const { to, person } = answered.data as Base;
  return storeChoices(deps, at.app.limits, {
    ...{ id: asked.question, tenant: place.tenant, channelId: at.channel.id, chat: to.chat, place: place.place },
    ...{ person: person.id, seq: event.seq, choices: questionChoices(asked), createdAt: event.at, lasting: true },
    expiresAt: event.at + LASTING_MS,
  });
}
