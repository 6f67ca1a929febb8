import type { JWK } from 'jose';
import { BoundedMap } from '../../domain/boundedMap.ts';
import { ConchError } from '../../domain/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/limits.ts';
import { request } from '../shared/http.ts';
import { asObject } from '../shared/json.ts';

/** A key that Bot Framework signs with, and the channels that it may speak for. */
export interface SigningKey {
  jwk: JWK;
  endorsements: readonly string[];
}

interface KeySet {
  byId: ReadonlyMap<string, SigningKey>;
  fetchedAt: number;
}

/** Keys are changed every few weeks, and both stand in the set meanwhile. */
const LIFETIME_MS = DAY_MS;
/** A key that is not known is looked for again after this time: anybody can send a token that names one. */
const REFETCH_MS = 5 * MINUTE_MS;
const FAILURE_MS = 10_000;
const TIMEOUT_MS = 5_000;
const SETS_LIMIT = 100;

const sets = new BoundedMap<string, KeySet>(SETS_LIMIT);
const failures = new BoundedMap<string, number>(SETS_LIMIT);
const underWay = new Map<string, Promise<KeySet>>();

/**
 * The key of this id; undefined if there is none.
 * @param metadataUrl the OpenID metadata, which says where the keys are.
 * @param now time in ms.
 * @throws {ConchError} `signing-keys` if they cannot be fetched; the app delivers again.
 */
export async function signingKey(metadataUrl: string, id: string, now: number): Promise<SigningKey | undefined> {
  const known = sets.get(metadataUrl);
  const isFresh = known && Math.abs(now - known.fetchedAt) < LIFETIME_MS;
  const set = isFresh ? known : await fetchOnce(metadataUrl, now);
  const key = set.byId.get(id);
  if (key || Math.abs(now - set.fetchedAt) < REFETCH_MS) return key;
  return (await fetchOnce(metadataUrl, now)).byId.get(id);
}

/** Requests that need the same keys at once fetch them together, and right after a failure nobody does. */
async function fetchOnce(url: string, now: number): Promise<KeySet> {
  const failedAt = failures.get(url);
  if (failedAt !== undefined && Math.abs(now - failedAt) < FAILURE_MS)
    throw fault('they could not be fetched just now');
  const running = underWay.get(url) ?? fetchKeys(url, now).finally(() => underWay.delete(url));
  underWay.set(url, running);
  try {
    const set = await running;
    sets.set(url, set);
    failures.delete(url);
    return set;
  } catch (error) {
    failures.set(url, now);
    throw error;
  }
}

async function fetchKeys(metadataUrl: string, now: number): Promise<KeySet> {
  const { jwks_uri: uri } = await getJson(metadataUrl);
  const keysUrl = typeof uri === 'string' ? URL.parse(uri) : null;
  if (!keysUrl || keysUrl.origin !== URL.parse(metadataUrl)?.origin) throw fault('their address is at another place');
  const { keys } = await getJson(keysUrl.href);
  const byId = new Map((Array.isArray(keys) ? keys : []).flatMap(readKey));
  if (byId.size === 0) throw fault('there are none');
  return { byId, fetchedAt: now };
}

/** Only RSA keys for RS256: what a token says of itself never chooses how it is checked. */
function readKey(json: unknown): [string, SigningKey][] {
  const { kty, kid, n, e, endorsements } = asObject(json);
  if (kty !== 'RSA' || typeof kid !== 'string' || typeof n !== 'string' || typeof e !== 'string') return [];
  const names = Array.isArray(endorsements) ? endorsements.filter((one) => typeof one === 'string') : [];
  return [[kid, { jwk: { kty, n, e, alg: 'RS256' }, endorsements: names }]];
}

async function getJson(url: string): Promise<Record<string, unknown>> {
  const headers = { accept: 'application/json' };
  const outcome = await request(url, { method: 'GET', headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (outcome.kind === 'answer' && outcome.status === 200) return asObject(outcome.body);
  throw fault(outcome.kind === 'answer' ? `status ${outcome.status}` : outcome.reason);
}

function fault(reason: string): ConchError {
  return new ConchError('signing-keys', `The keys of Bot Framework: ${reason}`, { retryable: true });
}
