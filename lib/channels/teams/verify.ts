import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { Channel, Verification, WebhookRequest } from '../../ports/chatApp.ts';
import { jsonOf } from '../shared/json.ts';
import { shaped } from '../shared/shape.ts';
import { signingKey } from './keys.ts';
import { claimedShape } from './payload.ts';
import { OPENID_METADATA_URL } from './settings.ts';

const ISSUER = 'https://api.botframework.com';
const ALGORITHM = 'RS256';
/** How far Bot Framework's clock may be from ours. */
const SKEW_S = 300;
/** The app in which a key has to be endorsed to speak. */
const CHANNEL = 'msteams';
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

/**
 * Checks Bot Framework's token: signed by a key of its own that may speak for Teams, for this bot, now, and for the
 * address that the activity names. The body itself is not signed.
 * @param now time in ms.
 * @throws {ConchError} `signing-keys` if the keys cannot be had.
 */
export async function verify(request: WebhookRequest, channel: Channel, now: number): Promise<Verification> {
  const { appId, openIdMetadataUrl = OPENID_METADATA_URL } = channel.settings;
  if (!appId || !channel.secrets.appPassword) return refused('no app is configured');
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
  const keyId = token && keyIdOf(token);
  if (!keyId) return refused('the token is absent, or not one of Bot Framework');
  const activity = shaped(claimedShape, jsonOf(request.body));
  if (!activity.ok || activity.value.channelId !== CHANNEL) return refused('the body is no activity of Teams');
  const key = await signingKey(openIdMetadataUrl, keyId, now);
  if (!key) return refused('the key is not known');
  if (!key.endorsements.includes(CHANNEL)) return refused('the key may not speak for Teams');
  try {
    const { payload } = await jwtVerify(token, key.jwk, {
      ...{ algorithms: [ALGORITHM], issuer: ISSUER, audience: appId, requiredClaims: ['exp', 'serviceurl'] },
      ...{ clockTolerance: SKEW_S, currentDate: new Date(now) },
    });
    const isForIt = payload.serviceurl === activity.value.serviceUrl;
    return isForIt ? { ok: true } : refused('the token is for another address of the API');
  } catch (error) {
    return refused(error instanceof errors.JOSEError ? `the token does not pass (${error.code})` : 'no token');
  }
}

function refused(reason: string): Verification {
  return { ok: false, reason };
}

/** The key that the token names; undefined unless it is signed in the one way that is taken. */
function keyIdOf(token: string): string | undefined {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    return alg === ALGORITHM && typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}
