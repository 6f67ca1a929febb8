import type { Channel, FieldFault } from '../../ports/chatApp.ts';
import { fieldFault, fieldOfAddress, passingFault } from '../shared/fields.ts';
import { type ApiOutcome, callApi } from './api.ts';

const TIMEOUT_MS = 10_000;

/** A fault of what was given; `isOver`: Slack knows the token no more. */
type Fault = FieldFault & { isOver?: true };

/** Asks Slack whose token this is, and of which workspace. */
export async function whoAmI(channel: Channel): Promise<{ ok: true; bot: Record<string, string> } | Fault> {
  const outcome = await callApi(channel, 'auth.test', {}, AbortSignal.timeout(TIMEOUT_MS));
  if (outcome.kind !== 'ok') return faultOf(channel, outcome);
  const { user_id: id, user, team_id: team, team: teamName, bot_id: botId, app_id: app } = outcome.result;
  if (typeof id !== 'string' || typeof team !== 'string') {
    return fieldFault(fieldOfAddress(channel, 'botToken'), 'The answer is not one of Slack.');
  }
  if (typeof botId !== 'string') return fieldFault('botToken', 'This is a person’s token, not a bot’s.');
  return {
    ok: true,
    bot: {
      ...{ id, team, botId },
      ...(typeof user === 'string' && { username: user }),
      ...(typeof teamName === 'string' && { teamName }),
      ...(typeof app === 'string' && { app }),
    },
  };
}

const UNKNOWN_TOKEN = new Set(['invalid_auth', 'not_authed', 'token_revoked', 'token_expired', 'account_inactive']);

function faultOf(channel: Channel, outcome: Exclude<ApiOutcome, { kind: 'ok' }>): Fault {
  if (outcome.kind !== 'refused') {
    return passingFault(fieldOfAddress(channel, 'botToken'), `Slack cannot be reached (${outcome.reason}). Try again.`);
  }
  if (UNKNOWN_TOKEN.has(outcome.error)) {
    const reason = 'Slack does not know this token. It may have been revoked, or the app removed.';
    return { ...fieldFault('botToken', reason), isOver: true };
  }
  if (outcome.error === 'ratelimited') return passingFault('botToken', 'Slack asks to wait. Try again in a minute.');
  return fieldFault('botToken', `Slack refused: ${outcome.error}`);
}
