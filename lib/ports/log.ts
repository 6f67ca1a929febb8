import type { UnknownEvent } from '../domain/events.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { State } from '../domain/state.ts';

/** An event as stored: with the fold of the log up to and including itself (SPEC 2.4). */
export interface StoredEvent extends UnknownEvent {
  state: State;
}

export type AppendResult = { ok: true } | { ok: false; winner: StoredEvent };

/** A webhook's event that left work owed (DESIGN 3, Outbox). */
export interface OwedEntry extends PlaceRef {
  seq: number;
  /** When it was appended, ms. */
  owedAt: number;
}

/** The number of shards of the index of owed work. */
export const OWED_SHARDS = 16;

/**
 * The logs of all places. Every method may throw when the store cannot be reached; an append that threw may have
 * happened or not.
 */
export interface Log {
  /** The newest event, strongly consistent; undefined for a place without events. After an erasure it is `place.erased`. */
  newest(place: PlaceRef): Promise<StoredEvent | undefined>;
  /** The event with this seq, or undefined. Eventually consistent unless `strong`. */
  at(place: PlaceRef, seq: number, options?: { strong?: boolean }): Promise<StoredEvent | undefined>;
  /**
   * Writes `event` at its seq if that is free: the one conditional put of DESIGN 2. On a conflict it gives the event
   * that is there, or the newest where that was erased; if the winner carries this event's id, the put had arrived and the
   * result is `ok`.
   * @param options `owed`: the event is a webhook's and leaves work owed, so the sweeper has to see it. `first`: the
   *   place is listed by this event; what has seq 1 always is.
   */
  append(place: PlaceRef, event: StoredEvent, options?: { owed?: boolean; first?: boolean }): Promise<AppendResult>;
  /** Events with `from <= seq <= to`, ascending (descending with `newestFirst`), strongly consistent, page by page. */
  range(
    place: PlaceRef,
    options: { from: number; to?: number; newestFirst?: boolean; pageSize?: number },
  ): AsyncIterable<StoredEvent>;
  /** Entries of one shard with `from < owedAt <= to`, ascending. Eventually consistent. */
  owed(shard: number, from: number, to: number): AsyncIterable<OwedEntry>;
  /**
   * The tenant's places, with the time of the first event, ms, ascending by it. Eventually consistent.
   * @param options `from`: only those that began then or later.
   */
  places(tenant: string, options?: { from?: number }): AsyncIterable<{ place: string; firstAt: number }>;
  /**
   * Deletes every event of a place. In the stead of each, and behind the newest, stands `place.erased` for a while, which
   * tells nothing: so no writer that has read before can append what it had read. The place is no longer listed; what is
   * appended from then on begins anew.
   */
  erase(place: PlaceRef): Promise<void>;
}
