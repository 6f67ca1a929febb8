interface Entry<K, V> {
  readonly key: K;
  value: V;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/**
 * A map of at most `limit` entries: to make room for another key, the one goes that was set or got longest ago. Each call
 * is constant work however many entries there are, and the one used last is not moved when it is used again.
 */
export class BoundedMap<K, V> {
  readonly #limit: number;
  readonly #entries = new Map<K, Entry<K, V>>();
  #oldest: Entry<K, V> | undefined;
  #newest: Entry<K, V> | undefined;

  /** @param limit at least 1. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#use(entry);
    return entry.value;
  }

  /** What the key had before is replaced, which takes nobody else's room. */
  set(key: K, value: V): void {
    const before = this.#entries.get(key);
    if (before) {
      before.value = value;
      this.#use(before);
      return;
    }
    if (this.#entries.size >= this.#limit && this.#oldest) this.delete(this.#oldest.key);
    const entry: Entry<K, V> = { key, value, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#takeOut(entry);
  }

  #use(entry: Entry<K, V>): void {
    if (entry === this.#newest) return;
    this.#takeOut(entry);
    this.#append(entry);
  }

  #append(entry: Entry<K, V>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  #takeOut({ older, newer }: Entry<K, V>): void {
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
  }
}
