import type { Channel, Incoming } from '../../ports/chatApp.ts';
import { withoutBlank } from '../shared/addressing.ts';
import { shaped } from '../shared/shape.ts';
import { ignored, malformed } from '../shared/unread.ts';
import { addressOf, personOf, sealedUrl } from './address.ts';
import { isForeign } from './foreign.ts';
import { commandShape } from './payload.ts';
import { unescaped } from './text.ts';

/** What stands behind `/conch`, the empty list of commands included. */
const HELP = 'help';
/** A mark that somebody writes before a name out of habit. */
const OWN_MARK = /^[/!](?=[\p{L}\p{N}_:-]+(?:\s|$))/u;

/**
 * A slash command: what follows `/conch` is always a command (SPEC 12.2). It has no message and no thread; in a private
 * chat, also in that of two others, it is about the person's own chat with the bot. @param now time in ms: it carries none.
 */
export function readCommand(fields: Record<string, string>, channel: Channel, now: number): Incoming {
  const command = shaped(commandShape, fields);
  if (!command.ok) return malformed(`no command: ${command.paths.join(', ').slice(0, 200)}`);
  const { team_id: team, channel_id: where, user_id: user, user_name: name, trigger_id: trigger } = command.value;
  if (isForeign(channel, command.value.api_app_id, team)) {
    return ignored('of another app or workspace');
  }
  const words = withoutBlank(unescaped(command.value.text ?? ''))
    .trimEnd()
    .replace(OWN_MARK, '');
  const { channel: _unsure, ...to } = addressOf(channel, { channel: where, user });
  return {
    kind: 'message',
    key: `s:${team}:${trigger}`,
    update: trigger,
    sentAt: now,
    person: personOf(channel, user, name),
    to: { ...to, chat: to.chat, ...sealedUrl(channel, command.value.response_url) },
    content: { text: words || HELP },
    typed: `/${words || HELP}`,
    onlyIf: 'command',
    addressed: true,
    namesUs: true,
  };
}
