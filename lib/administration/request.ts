import type { Context } from 'hono';
import type { z } from 'zod';
import type { ChannelRecord, ProviderRecord, TenantRecord } from '../ports/tenants.ts';
import type { AdministrationDeps } from './deps.ts';
import { badFields, type FieldError, notFound, Problem } from './problem.ts';

export type Handler = (c: Context, deps: AdministrationDeps) => Promise<Response> | Response;

const TENANT = /^[a-z0-9][a-z0-9-]{0,38}$/;
const THING = /^[a-z0-9_-]{1,32}$/;

/** The tenant's name in the path. @throws {Problem} if it cannot be one. */
export function tenantName(c: Context): string {
  const name = c.req.param('tenant') ?? '';
  if (TENANT.test(name)) return name;
  const reason = 'A tenant’s name has 1 to 39 small letters, digits and "-", and begins with a letter or digit.';
  throw badFields({ field: 'tenant', reason });
}

/** Why this cannot be the name of one of a tenant's things, in words; undefined if it can. */
export function nameFault(name: string): string | undefined {
  if (name === '__proto__') return 'This name stands for something else in programs.';
  return THING.test(name) ? undefined : 'A name has 1 to 32 small letters, digits, "-" and "_".';
}

/** The name of a thing in the path, such as a channel. @throws {Problem} if it cannot be one. */
export function thingName(c: Context): string {
  const name = c.req.param('name') ?? '';
  const reason = nameFault(name);
  if (reason === undefined) return name;
  throw badFields({ field: 'name', reason });
}

/** The tenant in the path. @throws {Problem} if there is none. */
export async function loadTenant(c: Context, deps: AdministrationDeps): Promise<TenantRecord> {
  const name = tenantName(c);
  const tenant = await deps.tenants.load(name);
  if (!tenant) throw notFound(`There is no tenant “${name}”.`);
  return tenant;
}

/** The channel with this name. @throws {Problem} if there is none. */
function channelNamed(tenant: TenantRecord, name: string): ChannelRecord {
  const channel = tenant.channels.find((one) => one.name === name);
  if (!channel) throw notFound(`The tenant “${tenant.tenant}” has no channel “${name}”.`);
  return channel;
}

/** The provider with this name. @throws {Problem} if there is none. */
export function providerNamed(tenant: string, providers: readonly ProviderRecord[], name: string): ProviderRecord {
  const provider = providers.find((one) => one.name === name);
  if (!provider) throw notFound(`The tenant “${tenant}” has no provider “${name}”.`);
  return provider;
}

/** The tenant and the channel in the path. */
export async function loadChannel(
  c: Context,
  deps: AdministrationDeps,
): Promise<{ tenant: TenantRecord; channel: ChannelRecord }> {
  const name = thingName(c);
  const tenant = await loadTenant(c, deps);
  return { tenant, channel: channelNamed(tenant, name) };
}

/** The body as an object; an empty body is an empty object. @throws {Problem} if it is something else. */
export async function readBody(c: Context): Promise<Record<string, unknown>> {
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (bytes.length === 0) return {};
  const body = jsonOf(bytes);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw badFields({ field: 'body', reason: 'The body has to be a JSON object.' });
}

/** What the parser says of broken JSON quotes it, so it is not passed on. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problem('bad-json', 'The body cannot be read as JSON in UTF-8.');
  }
}

/** The value as the schema has it. @throws {Problem} naming every field that is not right. */
export function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw badFields(...parsed.error.issues.flatMap(fieldErrors));
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const field = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return [{ field: field || 'body', reason: reasonOf(issue) }];
  return unknownFields(issue.keys.map((key) => (field ? `${field}.${key}` : key)));
}

/** One error for each of these fields. A name that is none is not repeated: it may be a value in the wrong place. */
export function unknownFields(names: readonly string[]): FieldError[] {
  return names.map((name) => ({
    field: /^[\w.-]{1,40}$/.test(name) ? name : '(unnamed)',
    reason: 'There is no such field.',
  }));
}

function reasonOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'It is missing.' : `It has to be of type ${issue.expected}.`;
    case 'invalid_value':
      return `It has to be one of: ${issue.values.map(String).join(', ')}.`;
    case 'too_small':
      return `It is too small or too short: at least ${issue.minimum}.`;
    case 'too_big':
      return `It is too large or too long: at most ${issue.maximum}.`;
    case 'custom':
      return issue.message;
    default:
      return 'It does not have the right form.';
  }
}

/** A whole number of the query. @throws {Problem} unless it is from `min` to `max`. */
export function queryNumber(c: Context, name: string, range: { min: number; max: number; fallback: number }): number {
  const given = c.req.query(name);
  if (given === undefined) return range.fallback;
  const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= range.min && value <= range.max) return value;
  throw badFields({ field: name, reason: `It has to be a whole number from ${range.min} to ${range.max}.` });
}

/** An http or https address without a user or password in it; undefined if the text is none. */
export function webAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password) return undefined;
  return url;
}

/** The error of an address in this field that Conch may not call. What is no address is another error's matter. */
export function outwardErrors(deps: AdministrationDeps, field: string, text: string | undefined): FieldError[] {
  const url = text === undefined ? undefined : webAddress(text);
  const reason = url && deps.outwardFault(url);
  return reason === undefined ? [] : [{ field, reason }];
}
