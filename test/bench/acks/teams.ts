import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { teams } from '../../../lib/channels/teams/index.ts';
import type { WebhookRequest } from '../../../lib/ports/chatApp.ts';
import { at, withToken } from '../../channels/teams/channel.ts';
import vectors from '../../fixtures/teams/vectors.json' with { type: 'json' };
import { APP_ID, SERVICE_URL, TeamsStandIn } from '../../standins/teams.ts';
import { signedToken } from '../../standins/teamsTokens.ts';
import { type Ack, CHATS, LogByHand, wordsOf } from './ack.ts';

interface Activity {
  id: string;
  timestamp: string;
  serviceUrl: string;
  from: { id: string; name: string };
  conversation: { id: string };
}

interface Claims {
  iss: string;
  aud: string;
  nbf: number;
  exp: number;
  serviceurl: string;
}

function jsonIn<T>(part: string): T {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as T;
}

/** The token's signature and claims checked. */
function claimsOf(token: string, keys: ReadonlyMap<string, KeyObject>): Claims {
  const [head = '', body = '', signature = ''] = token.split('.');
  const key = keys.get(jsonIn<{ kid: string }>(head).kid);
  const isSigned = key && verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'));
  const claims = jsonIn<Claims>(body);
  const now = Date.now() / 1_000;
  const isForUs = claims.iss === vectors.issuer && claims.aud === APP_ID && claims.nbf <= now && now < claims.exp;
  if (!isSigned || !isForUs) throw new Error('Not from the app');
  return claims;
}

/** The token checked, JSON read, the log, the reply's body. */
function byHand() {
  const log = new LogByHand();
  const keys = new Map(vectors.jwks.keys.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })]));
  return async ({ headers, body }: WebhookRequest) => {
    const { serviceurl } = claimsOf(headers.authorization?.slice('Bearer '.length) ?? '', keys);
    const { id, timestamp, serviceUrl, from, conversation } = JSON.parse(Buffer.from(body).toString()) as Activity;
    if (serviceUrl !== serviceurl) throw new Error('Not for this address');
    await log.add({
      delivery: { key: `m:${conversation.id}:${id}`, update: id, sentAt: Date.parse(timestamp) },
      person: { id: from.id, name: from.name },
      to: { chat: from.id, channel: conversation.id, message: id, serviceUrl },
    });
    return JSON.stringify({ type: 'message', textFormat: 'markdown', text: wordsOf('/') });
  };
}

/** Keys are fetched once from a stand-in; Bot Framework sends one token with many activities. */
export async function teamsAck(): Promise<Ack> {
  const standIn = await TeamsStandIn.start();
  const authorization = `Bearer ${signedToken(APP_ID, SERVICE_URL)}`;
  return {
    ...{ app: teams, channel: at(standIn), byHand },
    request(n) {
      const person = `29:person-${String(n % CHATS).padStart(9, '0')}`;
      const activity = standIn.payloads.direct('/goal', person);
      return withToken(Buffer.from(JSON.stringify(activity)), authorization);
    },
  };
}
