import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import * as z from 'zod';
import { type Finding, fine, note, problem } from '../ports/health.ts';
import { sealAll, toolServerOwner } from '../ports/secrets.ts';
import type { TenantRecord, ToolCatalog, ToolServerRecord } from '../ports/tenants.ts';
import type { AdministrationDeps } from './deps.ts';
import { badFields, type FieldError, notFound } from './problem.ts';
import { type Handler, loadTenant, parse, readBody, webAddress } from './request.ts';

const MOST_SERVERS = 20;
const MOST_HEADERS = 10;
const MOST_NAMES = 200;
const VALUE_CHARS = 4_096;
const NAME_CHARS = 128;
const URL_CHARS = 2_000;

/** What the protocol says itself in each request. */
const OWN_HEADERS =
  /^(?:host|connection|upgrade|te|trailer|transfer-encoding|expect|accept|accept-encoding|user-agent|content-.*|proxy-.*|mcp-.*|last-event-id)$/iu;

const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/u, 'It is no name of a header.')
  .refine((name) => !OWN_HEADERS.test(name), 'Conch sets this header itself.');

/** Nothing but visible ASCII and spaces, so that a pasted paragraph is refused. */
const headerValue = z
  .string()
  .trim()
  .min(1)
  .max(VALUE_CHARS)
  .refine((value) => /^[ -~]+$/u.test(value), 'It has to be one line of plain characters.');

const serverSchema = z.strictObject({
  url: z
    .string()
    .max(URL_CHARS)
    .refine((url) => webAddress(url) !== undefined, 'It has to be an http or https address without a password in it.'),
  headers: z
    .record(headerName, headerValue)
    .refine((headers) => Object.keys(headers).length <= MOST_HEADERS, `There can be ${MOST_HEADERS} at most.`)
    .refine((headers) => isDistinct(Object.keys(headers)), 'A header stands in it twice.')
    .default({}),
  only: z.array(z.string().min(1).max(NAME_CHARS)).max(MOST_NAMES).optional(),
});

function isDistinct(names: readonly string[]): boolean {
  return new Set(names.map((name) => name.toLowerCase())).size === names.length;
}

/**
 * A tool server as the API shows it: of its headers the names, how it went when it was last asked, and which tools were
 * wanted that it does not have.
 */
function serverView(server: ToolServerRecord, catalog: ToolCatalog | undefined) {
  const { name, url, headers, only, prompts } = server;
  const { known, missing } = knownOf(server, catalog);
  return {
    ...{ name, url, headers: Object.keys(headers) },
    ...(only === undefined ? {} : { only }),
    ...(missing.length === 0 ? {} : { missing }),
    tools: (known?.tools ?? []).map(({ inputSchema: _, ...tool }) => tool),
    ...{ prompts, leftOut: known?.leftOut ?? [] },
    ...(known === undefined ? {} : { askedAt: known.askedAt }),
    ...(known?.answeredAt === undefined ? {} : { answeredAt: known.answeredAt }),
    ...(known?.fault === undefined ? {} : { fault: known.fault }),
  };
}

/** What is known of it at the address that it has now, and which tools were wanted that it does not have. */
function knownOf({ url, only }: ToolServerRecord, catalog: ToolCatalog | undefined) {
  const known = catalog?.url === url ? catalog : undefined;
  const missing = known ? (only ?? []).filter((one) => !known.tools.some((tool) => tool.name === one)) : [];
  return { known, missing };
}

/** How it went when each of a tenant's tool servers was last asked (SPEC 14.1). Nobody is asked now. */
export async function toolServerFindings(
  { tenants }: Pick<AdministrationDeps, 'tenants'>,
  tenant: string,
  server: ToolServerRecord,
): Promise<Finding[]> {
  const { known, missing } = knownOf(server, await tenants.toolCatalog(tenant, server.name));
  const again = `npx conch refresh tool-server ${server.name} --tenant ${tenant}`;
  if (!known) return [note('It was not asked yet what it offers.', `Ask it: ${again}`)];
  if (known.fault !== undefined) {
    const what = `When it was last asked: ${known.fault}`;
    return [problem(what, `Look at the server, its address and its headers, then ask it again: ${again}`)];
  }
  const answered = fine(
    `It answered. It has ${counted(known.tools.length, 'tool')} and ${counted(server.prompts.length, 'prompt')}.`,
  );
  if (missing.length === 0) return [answered];
  const todo = `Put it again with other names behind --only, or, if it has them by now, ask it again: ${again}`;
  return [answered, problem(`It does not have these tools: ${missing.join(', ')}.`, todo)];
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Without what each offers. `offered`: how many of its tools turns get, where `only` leaves some out. */
export const listToolServers: Handler = async (c, deps) => {
  const { tenant, toolServers } = await loadTenant(c, deps);
  const rows = toolServers.map(async (server) => {
    const { tools, prompts, leftOut, ...row } = serverView(server, await deps.tenants.toolCatalog(tenant, server.name));
    const offered = tools.filter(({ name }) => server.only?.includes(name) ?? true).length;
    const chosen = offered === tools.length ? {} : { offered };
    return { ...row, tools: tools.length, ...chosen, prompts: prompts.length, leftOut: leftOut.length };
  });
  return c.json(await Promise.all(rows));
};

export const getToolServer: Handler = async (c, deps) => {
  const name = serverName(c);
  const { tenant, toolServers } = await loadTenant(c, deps);
  return c.json(serverView(named(tenant, toolServers, name), await deps.tenants.toolCatalog(tenant, name)));
};

/**
 * Stores a tool server and asks it what it offers. If it does not answer it is stored all the same, and the answer says
 * why (`fault`). What it offered before is kept while its address is the same.
 */
export const putToolServer: Handler = async (c, deps) => {
  const name = serverName(c);
  const { url, headers, only } = parse(serverSchema, await readBody(c));
  const errors = addressErrors(deps, url);
  if (errors.length > 0) throw badFields(...errors);
  const { tenant, toolServers } = await loadTenant(c, deps);
  const before = toolServers.find((one) => one.name === name);
  if (!before && toolServers.length >= MOST_SERVERS) {
    throw badFields({ field: 'name', reason: `A tenant can have ${MOST_SERVERS} tool servers at most.` });
  }
  const same = before?.url === url ? before : undefined;
  const sealedFor = { tenant, owner: toolServerOwner(name) };
  const server: ToolServerRecord = {
    ...{ name, url, headers: await sealAll(deps.secrets, headers, sealedFor), prompts: same?.prompts ?? [] },
    ...(only === undefined ? {} : { only }),
    ...(same?.catalog === undefined ? {} : { catalog: same.catalog }),
    revision: randomUUID(),
  };
  await deps.tenants.putToolServer(tenant, server);
  deps.logger.info('administration.tool-server.put', { tenant, server: name });
  const asked = await deps.refreshTools(tenant, server);
  return c.json(serverView(asked.server, asked.catalog), before ? 200 : 201);
};

/** Asks a tool server again what it offers. */
export const refreshToolServer: Handler = async (c, deps) => {
  const name = serverName(c);
  const { tenant, toolServers } = await loadTenant(c, deps);
  const asked = await deps.refreshTools(tenant, named(tenant, toolServers, name));
  deps.logger.info('administration.tool-server.refreshed', { tenant, server: name });
  return c.json(serverView(asked.server, asked.catalog));
};

export const deleteToolServer: Handler = async (c, deps) => {
  const name = serverName(c);
  const { tenant, toolServers } = await loadTenant(c, deps);
  named(tenant, toolServers, name);
  await deps.tenants.deleteToolServer(tenant, name);
  deps.logger.info('administration.tool-server.deleted', { tenant, server: name });
  return c.body(null, 204);
};

/** It stands before a tool's name, behind which comes `_`. */
function serverName(c: Context): string {
  const name = c.req.param('name') ?? '';
  if (/^[a-z0-9][a-z0-9-]{0,31}$/u.test(name)) return name;
  const reason = 'A tool server’s name has 1 to 32 small letters, digits and "-", and begins with a letter or digit.';
  throw badFields({ field: 'name', reason });
}

function named(tenant: string, servers: TenantRecord['toolServers'], name: string): ToolServerRecord {
  const server = servers.find((one) => one.name === name);
  if (!server) throw notFound(`The tenant “${tenant}” has no tool server “${name}”.`);
  return server;
}

function addressErrors({ toolServerFault }: AdministrationDeps, address: string): FieldError[] {
  const reason = toolServerFault(new URL(address));
  return reason === undefined ? [] : [{ field: 'url', reason }];
}
