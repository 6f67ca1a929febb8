import * as z from 'zod';
import { unreachable } from '../commands/meaning.ts';
import type { CommandRecord, SkillRecord, TenantRecord } from '../ports/tenants.ts';
import { commandRecord, commandSchema } from './commands.ts';
import type { AdministrationDeps } from './deps.ts';
import { publishMenus } from './menus.ts';
import { clashOf, roomFault } from './own.ts';
import { Problem } from './problem.ts';
import { type Handler, loadTenant, nameFault, parse, readBody } from './request.ts';
import { skillSchema } from './skills.ts';

/** One thing that was not stored, or cannot be reached, and why, in words. */
interface Named {
  name: string;
  reason: string;
}

/** What a push came to. */
interface PushReport {
  stored: string[];
  /** Are there already as they were pushed. */
  unchanged: string[];
  removed: string[];
  /** What stood there under these names is as it was. */
  refused: Named[];
  unreachable: Named[];
}

/** What differs between the things that a tenant has of its own. */
interface Kind<T extends { name: string }> {
  things: 'commands' | 'skills';
  of: (tenant: TenantRecord) => readonly T[];
  /** @throws {Problem} if the value is none. */
  read: (name: string, value: unknown) => T;
  put: (deps: AdministrationDeps, tenant: string, thing: T) => Promise<void>;
  remove: (deps: AdministrationDeps, tenant: string, name: string) => Promise<void>;
  unreachable: (thing: T, tenant: TenantRecord) => string | undefined;
}

const COMMAND: Kind<CommandRecord> = {
  things: 'commands',
  of: ({ commands }) => commands,
  read: (name, value) => commandRecord(name, parse(commandSchema, value)),
  put: ({ tenants }, tenant, command) => tenants.putCommand(tenant, command),
  remove: ({ tenants }, tenant, name) => tenants.deleteCommand(tenant, name),
  unreachable: ({ name, enabled }, tenant) => (enabled ? unreachable('custom', name, tenant) : undefined),
};

const SKILL: Kind<SkillRecord> = {
  things: 'skills',
  of: ({ skills }) => skills,
  read: (name, value) => ({ name, ...parse(skillSchema, value) }),
  put: ({ tenants }, tenant, skill) => tenants.putSkill(tenant, skill),
  remove: ({ tenants }, tenant, name) => tenants.deleteSkill(tenant, name),
  unreachable: ({ name }, tenant) => unreachable('skill', name, tenant),
};

/**
 * Makes the tenant's custom commands those that are given, and those of `keep` as they are (SPEC 10.1): a folder that is
 * too large for one request comes in parts, each with the names of the others in `keep`. Each bad one is reported, the
 * good ones are stored.
 */
export const pushCommands: Handler = async (c, deps) => {
  const { tenant, report } = await push(deps, COMMAND, await loadTenant(c, deps), await readBody(c));
  return c.json({ ...report, menus: await publishMenus(deps, tenant) });
};

/** The same for skills (SPEC 10.4). One that has the name of a row that yields takes it off the menus (SPEC 12.1). */
export const pushSkills: Handler = async (c, deps) => {
  const { tenant, report } = await push(deps, SKILL, await loadTenant(c, deps), await readBody(c));
  return c.json({ ...report, menus: await publishMenus(deps, tenant) });
};

async function push<T extends { name: string }>(
  deps: AdministrationDeps,
  kind: Kind<T>,
  tenant: TenantRecord,
  body: Record<string, unknown>,
): Promise<{ tenant: string; report: PushReport }> {
  // No record: that would leave `__proto__` out without a word.
  const schema = z.strictObject({
    [kind.things]: z.custom<object>(isObject, 'It has to be an object of them by name.'),
    keep: z.array(z.string()).default([]),
  });
  const { keep, [kind.things]: given } = parse(schema, body) as { keep: string[] } & Record<string, object>;
  const entries = Object.entries(given ?? {});
  const plan = planOf(kind, tenant, entries, new Set([...keep, ...entries.map(([name]) => name)]));
  for (const thing of plan.changed) await kind.put(deps, tenant.tenant, thing);
  for (const name of plan.report.removed) await kind.remove(deps, tenant.tenant, name);
  const { stored, removed, refused } = plan.report;
  const counts = { stored: stored.length, removed: removed.length, refused: refused.length };
  deps.logger.info(`administration.${kind.things}.pushed`, { tenant: tenant.tenant, ...counts });
  return { tenant: tenant.tenant, report: plan.report };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a push changes. Of two names that are the same but for `-` and `_`, the one that is stored already stays. */
function planOf<T extends { name: string }>(
  kind: Kind<T>,
  tenant: TenantRecord,
  given: [string, unknown][],
  wanted: ReadonlySet<string>,
): { changed: T[]; report: PushReport } {
  const before = new Map(kind.of(tenant).map((thing) => [thing.name, thing]));
  const then = new Map([...before].filter(([name]) => wanted.has(name)));
  const rank = ([name]: [string, unknown]) => (before.has(name) ? 0 : 1);
  const byName = given.toSorted((a, b) => rank(a) - rank(b) || (a[0] < b[0] ? -1 : 1));
  const after = () => ({ ...tenant, [kind.things]: [...then.values()] }) as TenantRecord;
  const refused: Named[] = [];
  const changed: T[] = [];
  const unchanged: string[] = [];
  for (const [name, value] of byName) {
    const thing = readThing(kind, name, value, after);
    if ('reason' in thing) refused.push(thing);
    else {
      then.set(name, thing.read);
      if (isSame(before.get(name), thing.read)) unchanged.push(name);
      else changed.push(thing.read);
    }
  }
  const removed = [...before.keys()].filter((name) => !wanted.has(name));
  const stored = changed.map(({ name }) => name);
  const hidden = [...then.values()].flatMap((thing) => {
    const reason = kind.unreachable(thing, after());
    return reason === undefined ? [] : [{ name: thing.name, reason }];
  });
  return { changed, report: { stored, unchanged, removed, refused, unreachable: hidden } };
}

function readThing<T extends { name: string }>(
  kind: Kind<T>,
  name: string,
  value: unknown,
  after: () => TenantRecord,
): { read: T } | Named {
  try {
    const tenant = after();
    const fault = nameFault(name) ?? clashOf(name, kind.of(tenant));
    if (fault !== undefined) return { name, reason: fault };
    const read = kind.read(name, value);
    const others = kind.of(tenant).filter((one) => one.name !== name);
    const noRoom = roomFault({ ...tenant, [kind.things]: [...others, read] });
    return noRoom === undefined ? { read } : { name, reason: noRoom };
  } catch (error) {
    if (error instanceof Problem) return { name, reason: error.message };
    throw error;
  }
}

/** Both are built alike, so that equal ones have their fields in one order; stored ones may not. */
function isSame(a: object | undefined, b: object): boolean {
  const ordered = (record: object) => JSON.stringify(Object.entries(record).toSorted(([x], [y]) => (x < y ? -1 : 1)));
  return a !== undefined && ordered(a) === ordered(b);
}
