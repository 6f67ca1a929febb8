import type { Channel, Incoming } from '../../ports/chatApp.ts';
import { jsonOf } from '../shared/json.ts';
import { shaped } from '../shared/shape.ts';
import { ignored, malformed } from '../shared/unread.ts';
import { within } from './address.ts';
import { formOf, isEvent } from './delivery.ts';
import { isForeign } from './foreign.ts';
import { teamOf, workspacesOf } from './origin.ts';
import { envelopeShape, memberShape, messageShape, revokedShape, type SlackEnvelope } from './payload.ts';
import { readCommand } from './readCommand.ts';
import { readMessage } from './readMessage.ts';
import { readPress } from './readPress.ts';

/**
 * Reads one request: an event (JSON), a slash command (form fields) or a press (a form with JSON in `payload`), which all
 * come to one address. Never throws. @param now time in ms, for what carries none.
 */
export function read(body: Uint8Array, channel: Channel, now: number): Incoming[] {
  if (isEvent(body)) return [readEvent(jsonOf(body), channel)];
  const form = formOf(body);
  const payload = form.get('payload');
  if (payload !== null) return [readPress(jsonOf(Buffer.from(payload)), channel, now)];
  if (form.get('ssl_check') === '1') return [ignored('a check of the certificate')];
  if (form.has('command')) return [readCommand(Object.fromEntries(form), channel, now)];
  return [malformed('neither an event, a command nor a press')];
}

function readEvent(json: unknown, channel: Channel): Incoming {
  const parsed = shaped(envelopeShape, json);
  if (!parsed.ok) return malformed('no event of Slack');
  const envelope = parsed.value;
  const { type, challenge, event, api_app_id: app } = envelope;
  if (type === 'url_verification') {
    return challenge === undefined
      ? malformed('a check of the address without a challenge')
      : { kind: 'challenge', answer: { challenge } };
  }
  if (type !== 'event_callback' || !event) return ignored('a kind of request that is not read');
  if (isForeign(channel, app, teamOf(envelope))) return ignored('of another app or workspace');
  return readEventOf(event, envelope, channel);
}

function readEventOf(event: { type: string }, envelope: SlackEnvelope, channel: Channel): Incoming {
  switch (event.type) {
    case 'message':
    case 'app_mention': {
      const message = shaped(messageShape, event);
      if (message.ok) return readMessage(message.value, { channel, update: envelope.event_id ?? '' });
      return malformed(`no message: ${message.paths.join(', ').slice(0, 200)}`);
    }
    case 'member_joined_channel':
    case 'member_left_channel':
      return readMember(event, channel);
    case 'app_uninstalled':
      return { kind: 'uninstalled', workspaces: workspacesOf(envelope) };
    case 'tokens_revoked':
      return isBotRevoked(event)
        ? { kind: 'uninstalled', workspaces: workspacesOf(envelope) }
        : ignored('tokens of people were revoked');
    default:
      return ignored('a kind of event that is not read');
  }
}

function readMember(event: { type: string }, channel: Channel): Incoming {
  const member = shaped(memberShape, event);
  if (!member.ok || member.value.user !== channel.bot?.id) return ignored('somebody else came or left');
  const change = event.type === 'member_joined_channel' ? 'back' : 'gone';
  return { kind: 'membership', change, chat: within(channel, member.value.channel) };
}

function isBotRevoked(event: unknown): boolean {
  const revoked = shaped(revokedShape, event);
  return revoked.ok && revoked.value.tokens.bot.length > 0;
}
