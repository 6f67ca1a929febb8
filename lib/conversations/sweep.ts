import { pending } from '../domain/pending.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { SweepCursor } from '../ports/capacity.ts';
import { OWED_SHARDS } from '../ports/log.ts';
import { stateOf } from './append.ts';
import type { WebhookDeps } from './deps.ts';

/** What is younger is left to the hint that the webhook has just sent. */
const YOUNGEST_MS = 60_000;
/** An index may lag: the last stretch before the cursor is read again. */
const OVERLAP_MS = 900_000;

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

  /** One sweep over all shards. @returns how many places a hint was sent for. */
  async sweep(): Promise<number> {
    const to = this.#deps.runtime.now() - YOUNGEST_MS;
    let found = 0;
    for (let shard = 0; shard < OWED_SHARDS; shard++) found += await this.#shard(shard, to);
    for (const [key, at] of this.#seen) if (at < to - OVERLAP_MS) this.#seen.delete(key);
    if (found > 0) this.#deps.logger.warn('sweeper.found', { places: found });
    return found;
  }

  async #shard(shard: number, to: number): Promise<number> {
    const { log, cursor } = this.#deps;
    const from = await cursor.read(shard);
    const places = new Map<string, PlaceRef & { entries: { key: string; at: number }[] }>();
    for await (const { tenant, place, seq, owedAt } of log.owed(shard, from - OVERLAP_MS, to)) {
      const entry = { key: `${tenant}#${place}#${seq}`, at: owedAt };
      if (this.#seen.has(entry.key)) continue;
      const known = places.get(`${tenant}#${place}`);
      if (known) known.entries.push(entry);
      else places.set(`${tenant}#${place}`, { tenant, place, entries: [entry] });
    }
    let found = 0;
    for (const place of places.values()) {
      const looked = await this.#look(place);
      if (looked === 'sent') found++;
      if (looked === 'held') continue; // looked at again, so that a dead holder's turn need not wait for its own hint
      for (const { key, at } of place.entries) this.#seen.set(key, at);
    }
    await cursor.move(shard, to);
    return found;
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
