import { BoundedMap } from '../domain/boundedMap.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/limits.ts';
import type { TenantRecord, Tenants, ToolCatalog, ToolServerRecord } from '../ports/tenants.ts';
import type { RefreshTools } from '../ports/tools.ts';

/** After this time a server is asked again what it offers. */
const AGE_MS = HOUR_MS;
/** After this time what is in memory is read again: somebody else may have asked. */
const LIFE_MS = 5 * MINUTE_MS;
/** They may be large. */
const MAX_ENTRIES = 50;

interface Entry {
  mark: string | undefined;
  readAt: number;
  catalog: ToolCatalog | undefined;
}

/** What tenants' tool servers offer, from memory as long as the server's mark stands, and asked for again when it is old. */
export class ToolCatalogs {
  readonly #tenants: Pick<Tenants, 'toolCatalog'>;
  readonly #refresh: RefreshTools;
  readonly #now: () => number;
  readonly #entries = new BoundedMap<string, Entry>(MAX_ENTRIES);
  /** Servers that are being asked, or were lately, with the time. */
  readonly #asked = new BoundedMap<string, number>(MAX_ENTRIES);

  constructor(tenants: Pick<Tenants, 'toolCatalog'>, refresh: RefreshTools, now: () => number) {
    this.#tenants = tenants;
    this.#refresh = refresh;
    this.#now = now;
  }

  /** What a server offers as far as it is known; what is from another address is not. */
  async get(tenant: string, server: ToolServerRecord): Promise<ToolCatalog | undefined> {
    const key = keyOf(tenant, server);
    const known = this.#entries.get(key);
    if (known && known.mark === server.catalog && this.#now() - known.readAt < LIFE_MS) return known.catalog;
    const stored = await this.#tenants.toolCatalog(tenant, server.name);
    const catalog = stored?.url === server.url ? stored : undefined;
    this.#entries.set(key, { mark: server.catalog, readAt: this.#now(), catalog });
    return catalog;
  }

  /**
   * Asks a server whose catalog is old what it offers now; in one process once at a time, and not again for a while.
   * @returns undefined if it is not asked; else when it is done. Never throws.
   */
  refreshOld(
    { tenant }: Pick<TenantRecord, 'tenant'>,
    server: ToolServerRecord,
    catalog: ToolCatalog | undefined,
    signal: AbortSignal,
  ): Promise<void> | undefined {
    const now = this.#now();
    if (catalog && now - catalog.askedAt < AGE_MS) return undefined;
    const key = keyOf(tenant, server);
    if (now - (this.#asked.get(key) ?? Number.NEGATIVE_INFINITY) < LIFE_MS) return undefined;
    this.#asked.set(key, now);
    return this.#refresh(tenant, server, signal).then(
      (answer) => this.#entries.set(key, { mark: answer.server.catalog, readAt: this.#now(), catalog: answer.catalog }),
      // The turn has ended meanwhile; the next one asks again.
      () => void this.#asked.delete(key),
    );
  }
}

/** Another revision is another server. */
const keyOf = (tenant: string, { name, revision }: ToolServerRecord) => JSON.stringify([tenant, name, revision]);
