import type { Rate } from '../domain/rate.ts';

/** A slot for a turn: an item with a lease, never a counter (DESIGN 3). */
export interface Slot {
  tenant: string;
  index: number;
  holder: string;
}

/** How many turns of a tenant run at once, and which of its places wait for a slot. */
export interface Capacity {
  /**
   * Takes a free slot below `limit`, or one whose lease has passed, or the holder's own.
   * @param holder names the worker's claim; unique.
   */
  take(tenant: string, limit: number, holder: string, now: number, leaseUntil: number): Promise<Slot | undefined>;
  /** Extends the lease; false if the slot is somebody else's by now. */
  renew(slot: Slot, leaseUntil: number): Promise<boolean>;
  /** Frees the slot if it is still the holder's. */
  free(slot: Slot): Promise<void>;
  /** Puts a place on the tenant's waiting list, at the time of its first wait. */
  wait(tenant: string, place: string, now: number): Promise<void>;
  unwait(tenant: string, place: string): Promise<void>;
  /** Takes the place that has waited longest off the list; one caller gets each. */
  nextWaiting(tenant: string): Promise<string | undefined>;
}

/** A person on a channel. */
export interface PersonKey {
  tenant: string;
  channelId: string;
  person: string;
}

/** Counters of a tenant's use. Added once, never retried: they may miss one, never double (DESIGN 3). */
export interface UsageCounters {
  add(
    tenant: string,
    day: string,
    counts: { turns?: number; inputTokens?: number; outputTokens?: number },
  ): Promise<void>;
  /** One row a day, newest first, at most `days`. */
  read(
    tenant: string,
    days: number,
  ): Promise<{ day: string; turns: number; inputTokens: number; outputTokens: number }[]>;
  /** A person's messages of the last minute, strongly consistent; what is older may be among them, or be gone. */
  rate(who: PersonKey): Promise<Rate>;
  /** Puts a person's rate in the place of the one that was read: one conditional write. @returns false if another stands there. */
  putRate(who: PersonKey, rate: Rate, before: Rate): Promise<boolean>;
  eraseRate(who: PersonKey): Promise<void>;
  /** Everything of a tenant, its people's rates too. */
  erase(tenant: string): Promise<void>;
}

/** Where the sweeper has read to (DESIGN 3, Outbox). */
export interface SweepCursor {
  /** Per shard: read up to this time, ms; 0 before the first sweep. */
  read(shard: number): Promise<number>;
  /** Moves it forward; a smaller time than the stored one changes nothing. */
  move(shard: number, to: number): Promise<void>;
}
