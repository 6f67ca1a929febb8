import { DAY_MS, HOUR_MS, MINUTE_MS, WRONG_CLAIMS } from './limits.ts';
import { type Rate, shortKey, takeMessage } from './rate.ts';
import type { Closed } from './tenancy.ts';

/** Why a stranger is answered nothing else: the owner has to let them in, or nobody can (SPEC 9.3). */
export type Refusal = 'ask' | Closed;

/**
 * What a person was told on a channel, wherever they wrote, and the claim codes that they tried there (SPEC 9.2 to 9.4).
 * Each telling names the message that it answers: that one may tell it again after a crash, another one may not.
 */
export interface Told {
  /** `sentAt` is the app's time of that message; `sure`: it was told, and not only about to be. */
  refusal?: { why: Refusal; key: string; at: number; sentAt: number; sure?: true };
  limit?: { key: string; at: number };
  /** Codes tried in the last hour that were not right. */
  claims?: Rate;
}

/** A telling that is not known to have happened is told by somebody else after this time. */
const TELLING_MS = MINUTE_MS;
/** How long it is kept of somebody of whom nothing else is known that they were told: strangers leave nothing for ever. */
export const REFUSAL_MS = 30 * DAY_MS;

/** A message of the person. `at` is our time, `sentAt` the app's. */
export interface Telling {
  key: string;
  at: number;
  sentAt: number;
}

/** What has happened since they were told that they are not let in, if it is known. */
export interface Since {
  /** When they were let in last, ms. */
  letInAt?: number | undefined;
  /** The app's time of the newest message of theirs that was taken here. */
  takenAt: number;
  /** A record of them stands, and what they were told with it; else it counts for `REFUSAL_MS`. */
  recorded: boolean;
  /** They have asked to be let in, and were told then, also where that was not noted yet. */
  asked: boolean;
}

/** What stands once this message tells them why they are not let in; undefined if they were told (SPEC 9.3). */
export function tellRefusal(told: Told, why: Refusal, { key, at, sentAt }: Telling, since: Since): Told | undefined {
  const mine = { ...told, refusal: { why, key: shortKey(key), at, sentAt } };
  const { refusal } = told;
  if (!refusal && since.asked && why === 'ask') return undefined;
  if (refusal?.why !== why) return mine;
  const wasLetIn = refusal.at < (since.letInAt ?? 0) || refusal.sentAt < since.takenAt;
  if (wasLetIn || (!since.recorded && refusal.at <= at - REFUSAL_MS)) return mine;
  if (refusal.key === mine.refusal.key) return told;
  return refusal.sure || refusal.at > at - TELLING_MS ? undefined : mine;
}

/** They were told by this message. The same object where nothing changes. */
export function sureOfRefusal(told: Told, key: string): Told {
  const { refusal } = told;
  if (refusal?.key !== shortKey(key) || refusal.sure) return told;
  return { ...told, refusal: { ...refusal, sure: true } };
}

/** What stands once this message tells them of a limit; undefined if they were told in the last minute (SPEC 9.4). */
export function tellLimit(told: Told, { key, at }: Omit<Telling, 'sentAt'>): Told | undefined {
  const mine = shortKey(key);
  const { limit } = told;
  if (!limit || limit.at <= at - MINUTE_MS) return { ...told, limit: { key: mine, at } };
  return limit.key === mine ? told : undefined;
}

/** What stands once they try a claim code; undefined if they have tried too many in the last hour (SPEC 9.2). */
export function tryCode(told: Told, { key, at }: Omit<Telling, 'sentAt'>): Told | undefined {
  const taken = takeMessage(told.claims ?? [], { key, at }, WRONG_CLAIMS, HOUR_MS);
  if (taken.kind === 'counted') return told;
  return taken.kind === 'take' ? { ...told, claims: taken.rate } : undefined;
}

/** A code that was no wrong one does not count. The same object where nothing changes. */
export function uncountCode(told: Told, key: string): Told {
  const mine = shortKey(key);
  const { claims = [], ...rest } = told;
  const left = claims.filter((one) => one.key !== mine);
  if (left.length === claims.length) return told;
  return left.length === 0 ? rest : { ...rest, claims: left };
}

/** When none of it counts any more, ms. */
export function toldUntil({ refusal, limit, claims = [] }: Told): number {
  const ends = [(refusal?.at ?? 0) + REFUSAL_MS, (limit?.at ?? 0) + MINUTE_MS, (claims.at(-1)?.at ?? 0) + HOUR_MS];
  return Math.max(...(refusal ? ends : ends.slice(1)));
}
