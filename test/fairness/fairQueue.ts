import type { Hint } from '../../lib/ports/queue.ts';

/** A tenant is noisy with at least so many messages in flight, and more than this share of all (SQS fair queues). */
const NOISY_IN_FLIGHT = 30;
const NOISY_SHARE = 0.1;

interface Entry {
  hint: Hint;
  order: number;
}

/**
 * A model of an SQS fair queue: what is visible is served in the order of its arrival, but while a tenant is noisy the
 * others come first. Delays and deletions are the caller's.
 */
export class FairQueue {
  readonly #visible = new Map<string, Entry[]>();
  readonly #inFlight = new Map<string, number>();
  #allInFlight = 0;
  #order = 0;

  add(hint: Hint): void {
    const entries = this.#visible.get(hint.tenant) ?? [];
    this.#visible.set(hint.tenant, entries);
    entries.push({ hint, order: this.#order++ });
  }

  /** The next messages; each is in flight until `done`. */
  receive(max: number): Hint[] {
    const hints: Hint[] = [];
    while (hints.length < max) {
      const next = this.#next();
      if (!next) break;
      this.#count(next.hint.tenant, 1);
      hints.push(next.hint);
    }
    return hints;
  }

  done(hint: Hint): void {
    this.#count(hint.tenant, -1);
  }

  #count(tenant: string, change: number): void {
    this.#inFlight.set(tenant, (this.#inFlight.get(tenant) ?? 0) + change);
    this.#allInFlight += change;
  }

  #isNoisy(tenant: string): boolean {
    const count = this.#inFlight.get(tenant) ?? 0;
    return count >= NOISY_IN_FLIGHT && count > NOISY_SHARE * this.#allInFlight;
  }

  #next(): Entry | undefined {
    const rank = ([tenant, [first]]: [string, Entry[]]): [number, number] => [
      this.#isNoisy(tenant) ? 1 : 0,
      first?.order ?? 0,
    ];
    let best: { tenant: string; rank: [number, number] } | undefined;
    for (const one of this.#visible) {
      const [noise, order] = rank(one);
      if (!best || noise < best.rank[0] || (noise === best.rank[0] && order < best.rank[1])) {
        best = { tenant: one[0], rank: [noise, order] };
      }
    }
    if (!best) return undefined;
    const entries = this.#visible.get(best.tenant) ?? [];
    const entry = entries.shift();
    if (entries.length === 0) this.#visible.delete(best.tenant);
    return entry;
  }
}
