import type { Rate } from '../../../lib/domain/rate.ts';
import type { Capacity, PersonKey, Slot, SweepCursor, UsageCounters } from '../../../lib/ports/capacity.ts';

interface Taken {
  holder: string;
  leaseUntil: number;
}

/** Slots and the waiting list in memory. */
export class MemoryCapacity implements Capacity {
  readonly #slots = new Map<string, Map<number, Taken>>();
  readonly #waiting = new Map<string, Map<string, number>>();

  async take(tenant: string, limit: number, holder: string, now: number, leaseUntil: number) {
    const slots = entry(this.#slots, tenant);
    const indexes = Array.from({ length: limit }, (_, index) => index);
    const own = indexes.find((index) => slots.get(index)?.holder === holder);
    const free = own ?? indexes.find((index) => (slots.get(index)?.leaseUntil ?? 0) <= now);
    if (free === undefined) return undefined;
    slots.set(free, { holder, leaseUntil });
    return { tenant, index: free, holder };
  }

  async renew(slot: Slot, leaseUntil: number): Promise<boolean> {
    const slots = entry(this.#slots, slot.tenant);
    if (slots.get(slot.index)?.holder !== slot.holder) return false;
    slots.set(slot.index, { holder: slot.holder, leaseUntil });
    return true;
  }

  async free(slot: Slot): Promise<void> {
    const slots = entry(this.#slots, slot.tenant);
    if (slots.get(slot.index)?.holder === slot.holder) slots.delete(slot.index);
  }

  async wait(tenant: string, place: string, now: number): Promise<void> {
    const waiting = entry(this.#waiting, tenant);
    if (!waiting.has(place)) waiting.set(place, now);
  }

  async unwait(tenant: string, place: string): Promise<void> {
    entry(this.#waiting, tenant).delete(place);
  }

  async nextWaiting(tenant: string): Promise<string | undefined> {
    const waiting = entry(this.#waiting, tenant);
    const [first] = [...waiting].sort(([, a], [, b]) => a - b);
    if (first) waiting.delete(first[0]);
    return first?.[0];
  }
}

/** Counters of use in memory. */
export class MemoryUsage implements UsageCounters {
  readonly #rates = new Map<string, Map<string, Rate>>();
  readonly #tenants = new Map<string, Map<string, { turns: number; inputTokens: number; outputTokens: number }>>();

  async add(tenant: string, day: string, counts: Parameters<UsageCounters['add']>[2]): Promise<void> {
    const days = entry(this.#tenants, tenant);
    const { turns, inputTokens, outputTokens } = days.get(day) ?? { turns: 0, inputTokens: 0, outputTokens: 0 };
    days.set(day, {
      turns: turns + (counts.turns ?? 0),
      inputTokens: inputTokens + (counts.inputTokens ?? 0),
      outputTokens: outputTokens + (counts.outputTokens ?? 0),
    });
  }

  async read(tenant: string, days: number) {
    const rows = [...entry(this.#tenants, tenant)].map(([day, counts]) => ({ day, ...counts }));
    return rows.sort((a, b) => (a.day < b.day ? 1 : -1)).slice(0, days);
  }

  async rate({ tenant, channelId, person }: PersonKey): Promise<Rate> {
    return entry(this.#rates, tenant).get(JSON.stringify([channelId, person])) ?? [];
  }

  async putRate(who: PersonKey, rate: Rate, before: Rate): Promise<boolean> {
    const [rates, key] = [entry(this.#rates, who.tenant), JSON.stringify([who.channelId, who.person])];
    if (JSON.stringify(rates.get(key) ?? []) !== JSON.stringify(before)) return false;
    rates.set(key, rate);
    return true;
  }

  async eraseRate({ tenant, channelId, person }: PersonKey): Promise<void> {
    entry(this.#rates, tenant).delete(JSON.stringify([channelId, person]));
  }

  async erase(tenant: string): Promise<void> {
    this.#tenants.delete(tenant);
    this.#rates.delete(tenant);
  }
}

/** The sweeper's cursors in memory. */
export class MemoryCursor implements SweepCursor {
  readonly #shards = new Map<number, number>();

  async read(shard: number): Promise<number> {
    return this.#shards.get(shard) ?? 0;
  }

  async move(shard: number, to: number): Promise<void> {
    this.#shards.set(shard, Math.max(to, this.#shards.get(shard) ?? 0));
  }
}

function entry<K, V>(of: Map<string, Map<K, V>>, key: string): Map<K, V> {
  const found = of.get(key) ?? new Map<K, V>();
  of.set(key, found);
  return found;
}
