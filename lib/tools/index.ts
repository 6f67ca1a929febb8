import type { SkillRecord, TenantRecord, ToolCatalog, ToolServerRecord } from '../ports/tenants.ts';
import type { OpenTools, RefreshTools, Tool, ToolBox } from '../ports/tools.ts';
import { ToolCatalogs } from './catalogs.ts';
import { promptTools, type ServerPrompt } from './prompts.ts';
import type { RefreshDeps } from './refresh.ts';
import { type SessionOf, serverTools } from './serverTools.ts';
import type { ToolSession } from './session.ts';
import { skillTools } from './skills.ts';

/** Providers take 128 tools at most, and a turn may add its own. */
const MOST_TOOLS = 120;
const REFRESH_WAIT_MS = 1_000;

/** What the tools of turns are made from. */
export interface ToolDeps extends RefreshDeps {
  /** The skills that a name leads to (SPEC 4.4). */
  skillsOf: (tenant: TenantRecord) => readonly SkillRecord[];
  /** The prompts of tool servers that a name leads to (SPEC 4.4). */
  promptsOf: (tenant: TenantRecord) => readonly ServerPrompt[];
  /** How long the end of a turn waits for servers that are being asked what they offer; absent: a second. */
  refreshWaitMs?: number;
}

/**
 * Opens the tools of a tenant's turns: its skills, its tool servers' tools and prompts. A server is spoken to when its
 * tool is first called. What old catalogs say is offered at once, and asked for again in the turn's background. The code
 * that speaks to servers is imported when it is used.
 */
export function toolOpener(deps: ToolDeps): OpenTools {
  const refresh: RefreshTools = async (...args) => (await import('./refresh.ts')).toolRefresher(deps)(...args);
  const catalogs = new ToolCatalogs(deps.tenants, refresh, deps.runtime.now);
  return async (tenant) => {
    const found = await Promise.all(
      tenant.toolServers.map(async (server) => [server, await catalogs.get(tenant.tenant, server)] as const),
    );
    return open(deps, catalogs, tenant, found);
  };
}

type Found = readonly (readonly [ToolServerRecord, ToolCatalog | undefined])[];

function open(deps: ToolDeps, catalogs: ToolCatalogs, tenant: TenantRecord, found: Found): ToolBox {
  const closing = new AbortController();
  const sessions = new Map<string, Promise<ToolSession>>();
  const sessionOf =
    (name: string): SessionOf =>
    () => {
      const known = sessions.get(name);
      if (known) return known;
      const session = begin(deps, tenant.tenant, name, found);
      sessions.set(name, session);
      return session;
    };
  const refreshes = found.flatMap(
    ([server, catalog]) => catalogs.refreshOld(tenant, server, catalog, closing.signal) ?? [],
  );
  const all = [
    ...skillTools(deps.skillsOf(tenant)),
    ...promptTools(deps.promptsOf(tenant), sessionOf),
    ...found.flatMap(([server, catalog]) => serverTools(server, catalog?.tools ?? [], sessionOf(server.name))),
  ];
  return {
    tools: offered(deps, tenant.tenant, all),
    async close() {
      const ends = [...sessions.values()].map(async (session) => (await session).close());
      const patience = setTimeout(() => closing.abort(), deps.refreshWaitMs ?? REFRESH_WAIT_MS);
      await Promise.allSettled([...ends, ...refreshes]);
      clearTimeout(patience);
    },
  };
}

async function begin(deps: ToolDeps, tenant: string, name: string, found: Found): Promise<ToolSession> {
  const { sessionWith } = await import('./openServer.ts');
  const [server, catalog] = found.find(([one]) => one.name === name) ?? [];
  if (!server) throw new Error('A tool of no server');
  return sessionWith(deps, tenant, server, catalog, ({ fault, status }) =>
    deps.logger.warn('tools.call.failed', { tenant, server: name, fault, status }),
  );
}

function offered({ logger }: ToolDeps, tenant: string, all: Tool[]): Tool[] {
  if (all.length > MOST_TOOLS) logger.warn('tools.too-many', { tenant, tools: all.length });
  return all.slice(0, MOST_TOOLS);
}
