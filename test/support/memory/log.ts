import { logKey, readLogKey, seqKey } from '../../../lib/aws/keys.ts';
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
  readonly #owed: Entry[] = [];

  async newest(place: PlaceRef): Promise<StoredEvent | undefined> {
    return read(this.#logs.get(logKey(place))?.at(-1));
  }

  async at(place: PlaceRef, seq: number): Promise<StoredEvent | undefined> {
    return read(this.#logs.get(logKey(place))?.[seq - 1]);
  }

  async append(place: PlaceRef, event: StoredEvent, options: { owed?: boolean } = {}): Promise<AppendResult> {
    const key = logKey(place);
    seqKey(event.seq);
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > MAX_ITEM_BYTES) throw new ConchError('event-too-large', 'An event is too large');
    const log = this.#logs.get(key) ?? [];
    const winner = read(log[event.seq - 1]);
    if (winner) return winner.id === event.id ? { ok: true } : { ok: false, winner };
    if (event.seq !== log.length + 1) throw new Error(`A gap before event ${event.seq}`);
    log.push(text);
    this.#logs.set(key, log);
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

  async *places(tenant: string): AsyncGenerator<{ place: string; firstAt: number }> {
    for (const [key, [first]] of this.#logs) {
      const ref = readLogKey(key);
      if (ref.tenant === tenant) yield { place: ref.place, firstAt: read(first)?.at ?? 0 };
    }
  }

  async erase(place: PlaceRef): Promise<void> {
    this.#logs.delete(logKey(place));
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
