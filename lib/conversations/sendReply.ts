import type { Reply } from '../commands/command.ts';
import type { Base } from '../domain/decide.ts';
import { SEND_TIMEOUT_MS } from '../domain/limits.ts';
import type { Appended } from './append.ts';
import type { WebhookDeps } from './deps.ts';
import { showable } from './replies.ts';
import type { Scene } from './scene.ts';
import { deliver, deliverFile } from './show.ts';

/**
 * Sends a command's answer to where its event came from; to the person alone, where others read along and the app can.
 * @returns and throws as `deliver`.
 */
export async function sendReply(deps: WebhookDeps, scene: Scene, event: Appended, reply: Reply): Promise<boolean> {
  const { app, channel } = scene;
  const { to, person } = event.data as Base;
  const outgoing = await showable(deps, scene, event, reply);
  const pieces = app.render({ ...outgoing, onlyFor: person.id });
  const options = { key: event.id, timeoutMs: SEND_TIMEOUT_MS };
  if (reply.file) return deliverFile(deps, app.sender(channel), to, reply.file, pieces, options);
  return deliver(deps, app.sender(channel), to, pieces, options);
}
