import type { PlaceRef } from '../domain/place.ts';
import type { State } from '../domain/state.ts';
import { isRead, type KeptReading, proofIn, readingsToProve, upgradeState } from '../domain/upgrade.ts';
import type { Log, StoredEvent } from '../ports/log.ts';

/** How far the log is read back for what gave a reading, in events and events a page: it mostly is the last answer. */
const FAR = 200;
const PAGE = 20;

/**
 * The state of an older version as it is by this one's fold, by a look at the end of the log, however long that is.
 * @returns undefined if only the whole log can say.
 */
export async function takenOver(log: Log, place: PlaceRef, { state }: StoredEvent): Promise<State | undefined> {
  const upgraded = upgradeState(state);
  if (!upgraded) return undefined;
  const proofs = readingsToProve(state).map((kept) => isProved(log, place, kept, state.seq));
  return (await Promise.all(proofs)).every(Boolean) ? upgraded : undefined;
}

async function isProved(log: Log, place: PlaceRef, kept: KeptReading, newest: number): Promise<boolean> {
  const from = Math.max(1, kept.until - FAR);
  let event: StoredEvent | undefined;
  for await (const before of log.range(place, { from, to: kept.until, newestFirst: true, pageSize: PAGE })) {
    // Left while its turn ran, the memory may have been read since.
    if (!event && kept.until < newest && isRead(before.state, kept.memory)) return false;
    const proof = event ? proofIn(kept, event, before.state) : 'elsewhere';
    if (proof !== 'elsewhere') return proof === 'proved';
    event = before;
  }
  return false;
}
