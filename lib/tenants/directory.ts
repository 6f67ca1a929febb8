import { BoundedMap } from '../domain/boundedMap.ts';
import { MINUTE_MS } from '../domain/limits.ts';
import type { TenantRecord, Tenants } from '../ports/tenants.ts';

const LIFE_MS = 5 * MINUTE_MS;
const UNKNOWN_LIFE_MS = 5_000;
const MAX_ENTRIES = 1_000;

interface Entry {
  record: TenantRecord | undefined;
  /** The data is at least as new as this version. */
  version: number;
  until: number;
}

/**
 * Tenants, kept in memory: for 5 minutes, one that does not exist for 5 s, at most 1,000. Loads of one tenant that
 * overlap are one request.
 */
export class TenantDirectory {
  readonly #tenants: Pick<Tenants, 'load'>;
  readonly #now: () => number;
  readonly #entries: BoundedMap<string, Entry>;
  readonly #loads = new Map<string, Promise<Entry>>();

  constructor(tenants: Pick<Tenants, 'load'>, now: () => number = Date.now, maxEntries: number = MAX_ENTRIES) {
    this.#tenants = tenants;
    this.#now = now;
    this.#entries = new BoundedMap(maxEntries);
  }

  /** The tenant as it was at most 5 minutes ago; undefined if it did not exist then. */
  async get(tenant: string): Promise<TenantRecord | undefined> {
    const entry = this.#cached(tenant) ?? (await this.#load(tenant, 0));
    return entry.record;
  }

  /**
   * The tenant at this version or a newer one. A change counts from the next message: the caller reads the version with
   * `Tenants.check` or `Tenants.version` and asks here.
   */
  async fresh(tenant: string, version: number): Promise<TenantRecord | undefined> {
    const cached = this.#cached(tenant);
    if (cached && cached.version >= version) return cached.record;
    const shared = await this.#load(tenant, version);
    // A load that somebody else began may have read before this version came to be.
    const entry = shared.version >= version ? shared : await this.#load(tenant, version);
    return entry.record;
  }

  #cached(tenant: string): Entry | undefined {
    const entry = this.#entries.get(tenant);
    return entry && entry.until > this.#now() ? entry : undefined;
  }

  #load(tenant: string, version: number): Promise<Entry> {
    const running = this.#loads.get(tenant);
    if (running) return running;
    const load = this.#read(tenant, version).finally(() => this.#loads.delete(tenant));
    this.#loads.set(tenant, load);
    return load;
  }

  /** @param version is known to be in force already, so that what is read now is at least as new. */
  async #read(tenant: string, version: number): Promise<Entry> {
    const readAt = this.#now();
    const record = await this.#tenants.load(tenant);
    const until = readAt + (record ? LIFE_MS : UNKNOWN_LIFE_MS);
    const entry = { record, version: Math.max(record?.version ?? 0, version), until };
    this.#entries.set(tenant, entry);
    return entry;
  }
}
