import { HOUR_MS, MINUTE_MS } from '../domain/limits.ts';
import { pending } from '../domain/pending.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { SweepCursor } from '../ports/capacity.ts';
import { OWED_SHARDS } from '../ports/log.ts';
import { stateOf } from './append.ts';
import type { WebhookDeps } from './deps.ts';

/** What is younger is left to the hint that the webhook has just sent. */
const YOUNGEST_MS = MINUTE_MS;
/** An index may lag: the last stretch before the cursor is read again. */
const OVERLAP_MS = 15 * MINUTE_MS;
/** How long a place that cannot be looked at keeps the cursor of its shard before it. */
const HOLD_BACK_MS = HOUR_MS;

/** A place that owed something when these entries of the index were written. */
type Found = PlaceRef & { entries: { key: string; at: number }[] };

export type SweepDeps = Pick<WebhookDeps, 'log' | 'queue' | 'runtime' | 'logger'> & { cursor: SweepCursor };

/**
 * Finds work that no hint will come for: an event was appended, but enqueueing it failed or the process died in between
 * (DESIGN 3, Outbox). Entries of the index are never removed; each is looked at once, behind a cursor per shard.
 */
export class Sweeper {
  readonly #deps: SweepDeps;
  /** Entries of the overlap that this process has looked after already. */
  readonly #seen = new Map<string, number>();

  constructor(deps: SweepDeps) {
    this.#deps = deps;
  }

  /**
   * One sweep over all shards. @returns how many places a hint was sent for.
   * @throws if a shard could not be read, when the others are done.
   */
  async sweep(): Promise<number> {
    const to = this.#deps.runtime.now() - YOUNGEST_MS;
    const shards = Array.from({ length: OWED_SHARDS }, (_, shard) => this.#shard(shard, to));
    const swept = await Promise.allSettled(shards);
    const found = swept.reduce((sum, one) => sum + (one.status === 'fulfilled' ? one.value : 0), 0);
    for (const [key, at] of this.#seen) if (at < to - OVERLAP_MS - HOLD_BACK_MS) this.#seen.delete(key);
    if (found > 0) this.#deps.logger.warn('sweeper.found', { places: found });
    for (const one of swept) if (one.status === 'rejected') throw one.reason;
    return found;
  }

  async #shard(shard: number, to: number): Promise<number> {
    const { cursor } = this.#deps;
    const places = await this.#owing(shard, await cursor.read(shard), to);
    let found = 0;
    let readTo = to;
    for (const place of places) {
      const looked = await this.#tryLook(place);
      if (looked === 'sent') found++;
      if (looked === 'failed') readTo = Math.min(readTo, ...place.entries.map(({ at }) => at - 1));
      // Looked at again: a dead holder's turn need not wait for its own hint.
      else if (looked !== 'held') for (const { key, at } of place.entries) this.#seen.set(key, at);
    }
    await cursor.move(shard, Math.max(readTo, to - HOLD_BACK_MS));
    return found;
  }

  async #owing(shard: number, from: number, to: number): Promise<Iterable<Found>> {
    const { log } = this.#deps;
    const places = new Map<string, Found>();
    for await (const { tenant, place, seq, owedAt } of log.owed(shard, from - OVERLAP_MS, to)) {
      const entry = { key: `${tenant}#${place}#${seq}`, at: owedAt };
      if (this.#seen.has(entry.key)) continue;
      const known = places.get(`${tenant}#${place}`);
      if (known) known.entries.push(entry);
      else places.set(`${tenant}#${place}`, { tenant, place, entries: [entry] });
    }
    return places.values();
  }

  /** A place that cannot be read or enqueued keeps nobody else waiting. */
  async #tryLook(place: PlaceRef): Promise<'sent' | 'held' | 'nothing' | 'failed'> {
    try {
      return await this.#look(place);
    } catch (error) {
      this.#deps.logger.error('sweeper.look-failed', error);
      return 'failed';
    }
  }

  async #look({ tenant, place }: PlaceRef): Promise<'sent' | 'held' | 'nothing'> {
    const { log, queue, runtime } = this.#deps;
    const state = await stateOf(log, { tenant, place }, await log.newest({ tenant, place }));
    const { kind } = pending(state, runtime.now());
    if (kind === 'none') return 'nothing';
    if (kind === 'held') return 'held';
    await queue.send({ tenant, place });
    return 'sent';
  }
}
