import { logKey, readLogKey, seqKey } from '../../../lib/aws/keys.ts';
import { erasure, isErased } from '../../../lib/domain/erasure.ts';
import { ConchError } from '../../../lib/domain/errors.ts';
import type { PlaceRef } from '../../../lib/domain/place.ts';
import { type AppendResult, type Log, OWED_SHARDS, type OwedEntry, type StoredEvent } from '../../../lib/ports/log.ts';

/** What one item holds at most, bytes. */
const MAX_ITEM_BYTES = 400 * 1024;

interface Entry extends OwedEntry {
  shard: number;
}

/** The logs in memory: what is stored is text, so that no reader shares an object with a writer. */
export class MemoryLog implements Log {
  readonly #logs = new Map<string, string[]>();
  readonly #listed = new Map<string, number>();
  #owed: Entry[] = [];

  async newest(place: PlaceRef): Promise<StoredEvent | undefined> {
    return read(this.#logs.get(logKey(place))?.at(-1));
  }

  async at(place: PlaceRef, seq: number): Promise<StoredEvent | undefined> {
    seqKey(seq);
    return read(this.#logs.get(logKey(place))?.[seq - 1]);
  }

  async append(
    place: PlaceRef,
    event: StoredEvent,
    options: { owed?: boolean; first?: boolean } = {},
  ): Promise<AppendResult> {
    const key = logKey(place);
    seqKey(event.seq);
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > MAX_ITEM_BYTES) throw new ConchError('event-too-large', 'An event is too large');
    const log = this.#logs.get(key) ?? [];
    const winner = read(log[event.seq - 1]);
    if (winner?.id === event.id) return { ok: true };
    if (winner) return { ok: false, winner: isErased(winner) ? (read(log.at(-1)) ?? winner) : winner };
    if (event.seq !== log.length + 1) throw new Error(`A gap before event ${event.seq}`);
    log.push(text);
    this.#logs.set(key, log);
    if ((options.first || event.seq === 1) && !this.#listed.has(key)) this.#listed.set(key, event.at);
    if (options.owed) this.#owed.push({ ...place, seq: event.seq, owedAt: event.at, shard: shardOf(key) });
    return { ok: true };
  }

  async *range(
    place: PlaceRef,
    options: { from: number; to?: number; newestFirst?: boolean },
  ): AsyncGenerator<StoredEvent> {
    const log = this.#logs.get(logKey(place)) ?? [];
    const texts = log.slice(Math.max(0, options.from - 1), options.to);
    for (const text of options.newestFirst ? texts.toReversed() : texts) yield JSON.parse(text) as StoredEvent;
  }

  async *owed(shard: number, from: number, to: number): AsyncGenerator<OwedEntry> {
    const found = this.#owed.filter((entry) => entry.shard === shard && entry.owedAt > from && entry.owedAt <= to);
    for (const { shard: _, ...entry } of found.sort((a, b) => a.owedAt - b.owedAt)) yield entry;
  }

  async *places(tenant: string, { from = 0 } = {}): AsyncGenerator<{ place: string; firstAt: number }> {
    for (const [key, firstAt] of [...this.#listed].sort(([, a], [, b]) => a - b)) {
      const ref = readLogKey(key);
      if (ref.tenant === tenant && firstAt >= from) yield { place: ref.place, firstAt };
    }
  }

  /** What stands in the stead of the events stays: nothing lives long enough here. */
  async erase(place: PlaceRef): Promise<void> {
    const key = logKey(place);
    const log = this.#logs.get(key);
    if (!log) return;
    const end = isErased(read(log.at(-1)) ?? { type: '' }) ? log.length : log.length + 1;
    this.#logs.set(
      key,
      Array.from({ length: end }, (_, n) => JSON.stringify(erasure(n + 1, 0))),
    );
    this.#listed.delete(key);
    this.#owed = this.#owed.filter((entry) => logKey(entry) !== key);
  }
}

function read(text: string | undefined): StoredEvent | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as StoredEvent);
}

function shardOf(key: string): number {
  let sum = 0;
  for (const char of key) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 65_521;
  return sum % OWED_SHARDS;
}
