import type { LogFields } from '../../lib/ports/runtime.ts';
import { toolServerOwner } from '../../lib/ports/secrets.ts';
import type { TenantRecord, ToolServerRecord } from '../../lib/ports/tenants.ts';
import type { ToolBox } from '../../lib/ports/tools.ts';
import { outwardGuard } from '../../lib/tenants/apiRoots.ts';
import { type ToolDeps, toolOpener } from '../../lib/tools/index.ts';
import { toolRefresher } from '../../lib/tools/refresh.ts';
import { MemoryTenants } from '../support/memory/tenants.ts';

/** Seals by naming what it is bound to; what is sealed shows nowhere by accident. */
const plainSecrets: ToolDeps['secrets'] = {
  seal: async (plain, { tenant, owner }) => `${tenant}|${owner}|${Buffer.from(plain).toString('base64')}`,
  async open(sealed, { tenant, owner }) {
    const [of, by, base64 = ''] = sealed.split('|');
    if (of !== tenant || by !== owner) throw new Error('Sealed for something else');
    return Buffer.from(base64, 'base64').toString();
  },
};

/** Tools over tenants in memory, where any address may be called unless a test says otherwise. */
export function toolWorld(overrides: Partial<ToolDeps> = {}) {
  const tenants = new MemoryTenants();
  const clock = { ms: 1_800_000_000_000 };
  const logged: unknown[] = [];
  const write = (what: string, ...fields: (LogFields | undefined | unknown)[]) => void logged.push([what, ...fields]);
  const deps: ToolDeps = {
    ...{ tenants, secrets: plainSecrets, guard: outwardGuard('*'), runtime: { now: () => clock.ms } },
    refreshWaitMs: 10_000,
    times: { openMs: 10_000, callMs: 10_000, settleMs: 500 },
    logger: { info: write, warn: write, error: write },
    skillsOf: ({ skills }) => skills,
    promptsOf: ({ toolServers }) =>
      toolServers.flatMap(({ name, prompts }) =>
        prompts.map((prompt) => ({ name: prompt.name, server: name, prompt })),
      ),
    ...overrides,
  };
  const openTools = toolOpener(deps);
  const refresh = toolRefresher(deps);
  const boxes: ToolBox[] = [];

  async function tenant(): Promise<TenantRecord> {
    const record = await tenants.load('acme');
    if (!record) throw new Error('There is no tenant');
    return record;
  }

  return {
    ...{ tenants, clock, logged, deps, refresh, tenant },
    /** Puts a server and asks it what it offers. */
    async connect(
      name: string,
      url: string,
      more: Partial<ToolServerRecord> & { plain?: Record<string, string> } = {},
    ) {
      const { plain = {}, ...rest } = more;
      const headers: Record<string, string> = {};
      for (const [header, value] of Object.entries(plain)) {
        headers[header] = await deps.secrets.seal(value, { tenant: 'acme', owner: toolServerOwner(name) });
      }
      const server = { name, url, headers, prompts: [], revision: `r-${name}`, ...rest };
      await tenants.putSettings('acme', {});
      await tenants.putToolServer('acme', server);
      return refresh('acme', server);
    },
    /** The tools of one turn. */
    async open(): Promise<ToolBox> {
      const box = await openTools(await tenant());
      boxes.push(box);
      return box;
    },
    async close() {
      await Promise.all(boxes.map((box) => box.close()));
    },
  };
}

export type ToolWorld = ReturnType<typeof toolWorld>;

/** Calls a tool of the box by its name. */
export function run(box: ToolBox, name: string, input: unknown = {}, signal = new AbortController().signal) {
  const tool = box.tools.find((one) => one.name === name);
  if (!tool) throw new Error(`There is no tool ${name}; there are ${box.tools.map((one) => one.name).join(', ')}`);
  return tool.run(input, signal);
}
