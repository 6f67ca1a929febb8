import { createPrivateKey, sign } from 'node:crypto';
import vectors from '../fixtures/teams/vectors.json' with { type: 'json' };

/** How to sign otherwise than Bot Framework does. */
export interface SignedAs {
  /** Claims put over the right ones; undefined leaves one out. */
  claims?: Record<string, unknown>;
  /** Signs with a key that is listed and may not speak for Teams. */
  unendorsed?: true;
  /** When it is signed, seconds. */
  seconds?: number;
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as Bot Framework sends one with an activity for this bot and this address. */
export function signedToken(appId: string, serviceUrl: unknown, as: SignedAs = {}): string {
  const seconds = as.seconds ?? Math.floor(Date.now() / 1000);
  const jwk = as.unendorsed ? vectors.otherPrivateJwk : vectors.privateJwk;
  const claims = {
    ...{ serviceurl: serviceUrl, nbf: seconds - 300, exp: seconds + 3_600, iss: vectors.issuer, aud: appId },
    ...as.claims,
  };
  const signed = `${part({ alg: 'RS256', kid: jwk.kid, typ: 'JWT' })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), createPrivateKey({ key: jwk, format: 'jwk' }));
  return `${signed}.${signature.toString('base64url')}`;
}
