import type { Command } from '../commands/command.ts';
import { type Asker, mayRun } from '../commands/gate.ts';
import type { NoticeName } from '../commands/notices.ts';
import { parseChatCommand } from '../commands/parse.ts';
import { commandNamed } from '../commands/registry.ts';
import type { Content } from '../domain/events.ts';
import { MESSAGE_LIMIT } from '../domain/limits.ts';
import type { IncomingMessage } from '../ports/chatApp.ts';

/** What a message is to us. Pure; the same for every app (SPEC 3, 4). */
export type Route =
  /** Not ours: no event, no answer. */
  | { kind: 'silence' }
  | { kind: 'message'; content: Content }
  | { kind: 'command'; command: Command; args: string }
  /** One sentence of ours instead; `args` is what the sentence is about. */
  | { kind: 'notice'; notice: NoticeName; args: string };

/** What the message is, for this person at this place. */
export function route(
  message: Pick<IncomingMessage, 'typed' | 'content' | 'addressed' | 'namesUs'>,
  asker: Asker,
): Route {
  const parsed = message.typed === undefined ? undefined : parseChatCommand(message.typed);
  if (!parsed) return message.addressed ? prose(message.content, asker) : { kind: 'silence' };
  const command = commandNamed(parsed.name);
  if (!command) return unknown(message, asker);
  const permission = mayRun(command, asker);
  if (permission.ok) return sized({ kind: 'command', command, args: parsed.args }, parsed.args.length);
  if (permission.why === 'stranger') return { kind: 'notice', notice: 'not-let-in', args: '' };
  return { kind: 'notice', notice: 'not-permitted', args: permission.why };
}

function prose(content: Content, asker: Asker): Route {
  if (asker.role === 'stranger') return { kind: 'notice', notice: 'not-let-in', args: '' };
  const length = content.text.length + (content.quote?.text.length ?? 0);
  return sized({ kind: 'message', content }, length);
}

function sized(otherwise: Route, length: number): Route {
  return length > MESSAGE_LIMIT ? { kind: 'notice', notice: 'message-too-long', args: String(length) } : otherwise;
}

/** An unknown name: in a group that does not name our bot it is another bot's (SPEC 4.3). */
function unknown(message: Pick<IncomingMessage, 'typed' | 'namesUs'>, asker: Asker): Route {
  if (asker.group && !message.namesUs) return { kind: 'silence' };
  if (asker.role === 'stranger') return { kind: 'notice', notice: 'not-let-in', args: '' };
  const typed = message.typed ?? '';
  return sized({ kind: 'notice', notice: 'unknown-command', args: typed }, typed.length);
}
