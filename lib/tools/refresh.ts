import type { Logger, Runtime } from '../ports/runtime.ts';
import type { Tenants, ToolCatalog, ToolServerRecord } from '../ports/tenants.ts';
import type { RefreshTools } from '../ports/tools.ts';
import { askOffer, markOf, type Offer } from './catalog.ts';
import { ToolServerError } from './fault.ts';
import { type ServerDeps, sessionWith } from './openServer.ts';

/** How long all pages may take. */
const LIST_MS = 20_000;

/** What a refresh works with. */
export interface RefreshDeps extends ServerDeps {
  tenants: Pick<Tenants, 'toolCatalog' | 'putToolCatalog' | 'noteToolServer'>;
  runtime: Pick<Runtime, 'now'>;
  logger: Logger;
}

/** Asks tool servers what they offer, and keeps it (SPEC 15.5). */
export function toolRefresher(deps: RefreshDeps): RefreshTools {
  return async (tenant, server, signal) => {
    const stored = await deps.tenants.toolCatalog(tenant, server.name);
    const before = stored?.url === server.url ? stored : undefined;
    const asked = await ask(deps, tenant, server, signal);
    const askedAt = deps.runtime.now();
    if (!('tools' in asked)) {
      deps.logger.warn('tools.refresh.failed', { tenant, server: server.name, fault: asked.fault });
      const nothing = { url: server.url, mark: '', tools: [], leftOut: [] };
      return keep(deps, tenant, server, { ...(before ?? nothing), askedAt, fault: asked.words });
    }
    const offer = merged(asked, server, before);
    const { prompts, ...offered } = offer;
    const mark = markOf(offer);
    const catalog = { ...offered, url: server.url, mark, askedAt, answeredAt: askedAt };
    if (mark === server.catalog) return keep(deps, tenant, server, catalog);
    const noted = { ...server, prompts, catalog: mark };
    const isOurs = await deps.tenants.noteToolServer(tenant, noted);
    return isOurs ? keep(deps, tenant, noted, catalog) : { server, catalog };
  };
}

async function keep(deps: RefreshDeps, tenant: string, server: ToolServerRecord, catalog: ToolCatalog) {
  await deps.tenants.putToolCatalog(tenant, server.name, catalog);
  return { server, catalog };
}

async function ask(
  deps: RefreshDeps,
  tenant: string,
  server: ToolServerRecord,
  signal: AbortSignal | undefined,
): Promise<Offer | { fault: string; words: string }> {
  const session = sessionWith(deps, tenant, server);
  const ends = AbortSignal.timeout(LIST_MS);
  try {
    const offer = await askOffer(session, signal ? AbortSignal.any([signal, ends]) : ends);
    const isEmpty = offer.tools.length + offer.prompts.length + offer.leftOut.length === 0;
    return isEmpty ? { fault: 'empty', words: 'It offers no tools and no prompts.' } : offer;
  } catch (error) {
    signal?.throwIfAborted();
    const fault = error instanceof ToolServerError ? error : new ToolServerError('slow', { cause: error });
    return { fault: fault.fault, words: session.hide(fault.words) };
  } finally {
    await session.close();
  }
}

/** An empty list replaces none that was not. */
function merged(offer: Offer, server: ToolServerRecord, before: ToolCatalog | undefined): Offer {
  const { tools, prompts } = offer;
  return {
    ...offer,
    tools: tools.length > 0 || !before ? tools : before.tools,
    prompts: prompts.length > 0 ? prompts : server.prompts,
  };
}
