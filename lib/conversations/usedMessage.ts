import { handlerNamed } from '../commands/notices.ts';
import { askedIn, questionText } from '../commands/question.ts';
import { escapeMarkdown } from '../commands/words.ts';
import type { Base } from '../domain/decide.ts';
import { SEND_TIMEOUT_MS } from '../domain/limits.ts';
import type { ActionItem } from '../ports/actions.ts';
import type { ChatApp, IncomingPress, Piece } from '../ports/chatApp.ts';
import type { WebhookDeps } from './deps.ts';
import { knownStored } from './duplicates.ts';
import { replyTo } from './replies.ts';
import type { Scene } from './scene.ts';

/** The choices of a pressed message, and which of them was taken, if one was. */
export interface Used {
  item: ActionItem | undefined;
  taken?: string | undefined;
  /** An earlier press has changed what the message shows. */
  changed?: boolean;
}

/**
 * Takes the choices of a used message away (SPEC 11.2). Where the app has nobody to believe about what the message says, it
 * is drawn again from its event, with what was chosen. Failures do not matter.
 */
export async function takeChoices(deps: WebhookDeps, scene: Scene, incoming: IncomingPress, used: Used): Promise<void> {
  const { item, taken, changed } = used;
  const sender = scene.app.sender(scene.channel);
  const id = sender.pressedMessage(incoming);
  if (!item || changed || id === undefined || !sender.mustRedraw?.(incoming)) {
    return sender.removeChoices(incoming, changed ? 'changed' : undefined);
  }
  const words = await wordsOf(deps, scene, item);
  const piece = words === undefined ? undefined : redrawn(scene.app, words, taken);
  if (piece) await sender.edit(incoming.to, id, piece, { timeoutMs: SEND_TIMEOUT_MS });
}

/** What the message with these choices said; undefined if its event was erased. */
async function wordsOf(
  deps: WebhookDeps,
  scene: Scene,
  { tenant, place, seq }: ActionItem,
): Promise<string | undefined> {
  const stored = await deps.log.at({ tenant, place }, seq, { strong: true });
  const event = stored && knownStored(stored);
  if (!event) return undefined;
  const handler = handlerNamed((event.data as Partial<Base>).command);
  if (handler) return (await replyTo(deps, scene, handler, event)).markdown;
  const asked = askedIn(event);
  return asked && questionText(asked);
}

/** The last piece, which had the choices; what was chosen is left out where it would make a piece of its own. */
function redrawn({ render }: ChatApp, markdown: string, taken: string | undefined): Piece | undefined {
  const pieces = render({ markdown, inPlace: true });
  if (taken === undefined) return pieces.at(-1);
  const told = render({ markdown: `${markdown}\n\n*Chosen: ${escapeMarkdown(taken)}*`, inPlace: true });
  return (told.length === pieces.length ? told : pieces).at(-1);
}
