import type { Reply } from '../commands/command.ts';
import type { Base } from '../domain/decide.ts';
import type { Address } from '../domain/events.ts';
import { SEND_TIMEOUT_MS } from '../domain/limits.ts';
import type { Appended } from './append.ts';
import type { WebhookDeps } from './deps.ts';
import { noteGone } from './reach.ts';
import { showable } from './replies.ts';
import type { Scene } from './scene.ts';
import { deliver, deliverFile } from './show.ts';

/**
 * Sends a command's answer to where its event came from; to the person alone, where others read along and the app can.
 * Nothing is sent where the bot was blocked or removed; where that shows now, it is noted. Afterwards the answer is out,
 * or will never be.
 * @throws as `deliver`.
 */
export async function sendReply(deps: WebhookDeps, scene: Scene, event: Appended, reply: Reply): Promise<void> {
  const { to } = event.data as Base;
  if (event.state.gone !== undefined) {
    deps.logger.info('reply.not-tried');
    return;
  }
  const { gone } = await send(deps, scene, event, reply, to);
  if (gone !== undefined) await noteGone(deps, scene.place, event.state, gone);
}

async function send(deps: WebhookDeps, scene: Scene, event: Appended, reply: Reply, to: Address) {
  const { app, channel } = scene;
  const { person } = event.data as Base;
  const outgoing = await showable(deps, scene, event, reply);
  const pieces = app.render({ ...outgoing, onlyFor: person.id });
  const options = { key: event.id, timeoutMs: SEND_TIMEOUT_MS };
  if (reply.file) return deliverFile(deps, app.sender(channel), to, reply.file, pieces, options);
  return deliver(deps, app.sender(channel), to, pieces, options);
}
