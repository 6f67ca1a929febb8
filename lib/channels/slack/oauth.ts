import type { Channel, FieldFault, Granted, Renewed, WorkspaceApp } from '../../ports/chatApp.ts';
import { fieldFault, fieldOfAddress, passingFault } from '../shared/fields.ts';
import { asObject } from '../shared/json.ts';
import { apiRootOf } from '../shared/roots.ts';
import { type ApiOutcome, callApp, errorName } from './api.ts';
import { BOT_SCOPES } from './manifest.ts';
import { fields } from './settings.ts';
import { whoAmI } from './whoAmI.ts';

const TIMEOUT_MS = 10_000;
const ID = /^[A-Z0-9]{2,40}$/;

export const authorizeUrl: WorkspaceApp['authorizeUrl'] = (channel, { state, redirectUrl }) => {
  const url = new URL('/oauth/v2/authorize', apiRootOf(channel, fields));
  url.searchParams.set('client_id', channel.settings.clientId ?? '');
  url.searchParams.set('scope', BOT_SCOPES.join(','));
  url.searchParams.set('redirect_uri', redirectUrl);
  url.searchParams.set('state', state);
  return url.href;
};

/** The code works once, within ten minutes; with its token Slack is asked who the bot is there. */
export const exchange: WorkspaceApp['exchange'] = async (channel, code, redirectUrl) => {
  const answer = await access(channel, { code, redirect_uri: redirectUrl });
  if (answer.kind !== 'ok') return { ok: false, reason: reasonOf(answer) };
  const { result } = answer;
  const tokens = tokensOf(result);
  const isOrganisation = result.is_enterprise_install === true;
  const { id, name } = asObject(isOrganisation ? result.enterprise : result.team);
  if (!tokens || typeof id !== 'string' || !ID.test(id)) return { ok: false, reason: 'the answer is not one of Slack' };
  const known = await whoAmI({ ...channel, secrets: { ...channel.secrets, ...tokens.secrets } });
  if (!known.ok) return { ok: false, reason: known.reason };
  const { team: _team, ...bot } = known.bot;
  const granted: Granted = {
    ...{ ok: true, workspace: id, ...tokens },
    // An organisation's bot is asked from each of its workspaces.
    bot: { ...bot, ...(isOrganisation ? {} : { team: id }), ...appOf(result.app_id) },
  };
  return typeof name === 'string' && name !== '' ? { ...granted, name } : granted;
};

/** A refresh token works once; the token before lives on until its own end (https://docs.slack.dev/authentication/using-token-rotation). */
export const renew: WorkspaceApp['renew'] = async (channel, { refreshToken }) => {
  if (!refreshToken) return { kind: 'refused', reason: 'Slack gave no token to renew it with.' };
  const answer = await access(channel, { grant_type: 'refresh_token', refresh_token: refreshToken });
  if (answer.kind === 'ok') {
    const tokens = tokensOf(answer.result);
    return tokens ? { kind: 'renewed', ...tokens } : { kind: 'unknown', reason: 'the answer is not one of Slack' };
  }
  return answer.kind === 'refused' && OVER.has(answer.error)
    ? { kind: 'refused', reason: `Slack renews its token no more (${answer.error}).` }
    : ({ kind: 'unknown', reason: reasonOf(answer) } satisfies Renewed);
};

/** A refresh token that was used or revoked stays so. */
const OVER = new Set(['invalid_refresh_token', 'token_revoked', 'token_expired', 'invalid_auth', 'account_inactive']);

/** Whether Slack knows the app's id and secret: it looks at them before it looks at a code. */
export async function appFault(channel: Channel): Promise<FieldFault | undefined> {
  const answer = await access(channel, { code: 'none' });
  if (answer.kind === 'ok') return undefined;
  if (answer.kind !== 'refused') {
    return passingFault(fieldOfAddress(channel, 'clientId'), `Slack cannot be reached (${answer.reason}). Try again.`);
  }
  if (NOT_ABOUT_THE_APP.has(answer.error)) return undefined;
  return APP_FAULTS[answer.error] ?? fieldFault('clientId', `Slack refused: ${answer.error}`);
}

/** The app is known, and the code that was sent to see that is none. */
const NOT_ABOUT_THE_APP = new Set(['invalid_code', 'code_already_used', 'bad_redirect_uri']);

const APP_FAULTS: Record<string, FieldFault> = {
  invalid_client_id: fieldFault('clientId', 'Slack does not know this client ID, or the client secret is not its.'),
  bad_client_secret: fieldFault('clientSecret', 'This is not the client secret of this client ID.'),
};

function access({ settings, secrets, ...channel }: Channel, fields: Record<string, string>): Promise<ApiOutcome> {
  const form = { client_id: settings.clientId ?? '', client_secret: secrets.clientSecret ?? '', ...fields };
  return callApp(channel, 'oauth.v2.access', new URLSearchParams(form), AbortSignal.timeout(TIMEOUT_MS));
}

/** Tokens go into a header. */
const TOKEN = /^xox[\w.-]{6,1000}$/;

function tokensOf(result: Record<string, unknown>): Pick<Granted, 'secrets' | 'expiresInMs'> | undefined {
  const { access_token: botToken, refresh_token: refreshToken, expires_in: seconds } = result;
  if (typeof botToken !== 'string' || !TOKEN.test(botToken)) return undefined;
  const rotates = typeof refreshToken === 'string' && refreshToken !== '';
  return {
    secrets: { botToken, ...(rotates ? { refreshToken } : {}) },
    ...(typeof seconds === 'number' && seconds > 0 ? { expiresInMs: seconds * 1000 } : {}),
  };
}

function appOf(app: unknown): { app?: string } {
  return typeof app === 'string' && ID.test(app) ? { app } : {};
}

function reasonOf(outcome: Exclude<ApiOutcome, { kind: 'ok' }>): string {
  return outcome.kind === 'refused' ? errorName(outcome.error) : outcome.reason;
}
