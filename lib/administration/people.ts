import type { Context } from 'hono';
import * as z from 'zod';
import { decided } from '../conversations/access.ts';
import type { ChatApp } from '../ports/chatApp.ts';
import type { ChannelRecord, PersonRecord } from '../ports/tenants.ts';
import type { AdministrationDeps } from './deps.ts';
import { erasePerson } from './erase.ts';
import { badFields, notFound } from './problem.ts';
import { type Handler, loadChannel, parse, readBody } from './request.ts';
import { personView } from './views.ts';

const MAX_ID_CHARS = 200;
const MAX_NAME_CHARS = 200;

const personSchema = z.strictObject({ name: z.string().min(1).max(MAX_NAME_CHARS).optional() });

/** Why this cannot be a person of a channel of this app; undefined if it can. */
export function personFault(
  app: ChatApp | undefined,
  id: string,
  settings: Record<string, string>,
): string | undefined {
  if (id === '' || id.length > MAX_ID_CHARS || !id.isWellFormed()) {
    return `A person’s id has 1 to ${MAX_ID_CHARS} characters.`;
  }
  return app?.fields.personFault?.(id, settings);
}

/** The person in the path. @throws {Problem} if it cannot be one on this channel. */
function personId(c: Context, deps: AdministrationDeps, channel: ChannelRecord): string {
  const id = c.req.param('person') ?? '';
  const reason = personFault(deps.apps[channel.app], id, channel.settings);
  if (reason !== undefined) throw badFields({ field: 'person', reason });
  return id;
}

export async function personNamed(
  c: Context,
  deps: AdministrationDeps,
): Promise<{ tenant: string; channel: ChannelRecord; id: string; known: PersonRecord | undefined }> {
  const { tenant, channel } = await loadChannel(c, deps);
  const id = personId(c, deps, channel);
  const { person: known } = await deps.tenants.check(tenant.tenant, channel.id, id);
  return { tenant: tenant.tenant, channel, id, known };
}

export const listPeople: Handler = async (c, deps) => {
  const { tenant, channel } = await loadChannel(c, deps);
  return c.json(await Array.fromAsync(deps.tenants.people(tenant.tenant, channel.id), personView));
};

export const getPerson: Handler = async (c, deps) => {
  const { id, known } = await personNamed(c, deps);
  if (!known) throw notFound(`The channel knows nobody with the id “${id}”.`);
  return c.json(personView(known));
};

/** Lets the person in. */
export const putPerson: Handler = async (c, deps) => {
  const { name: given } = parse(personSchema, await readBody(c));
  const { tenant, channel, id, known } = await personNamed(c, deps);
  const name = given ?? known?.name;
  const named = { ...known, id, ...(name === undefined ? {} : { name }) };
  const person = decided(named, 'let-in', deps.runtime.now());
  await deps.tenants.putPerson(tenant, channel.id, person);
  deps.logger.info('administration.person.let-in', { tenant, channel: channel.name });
  return c.json(personView(person), known ? 200 : 201);
};

/** Puts the person out. That is kept, else a channel for anyone would admit them again. */
export const deletePerson: Handler = async (c, deps) => {
  const { tenant, channel, id, known } = await personNamed(c, deps);
  await deps.tenants.putPerson(tenant, channel.id, decided({ ...known, id }, 'put-out', deps.runtime.now()));
  deps.logger.info('administration.person.put-out', { tenant, channel: channel.name });
  return c.body(null, 204);
};

/** Deletes what the person wrote and was answered on this channel, and the record of them. */
export const deletePersonData: Handler = async (c, deps) => {
  const { tenant, channel, id } = await personNamed(c, deps);
  await erasePerson(deps, { tenant, channelId: channel.id, person: id });
  deps.logger.info('administration.person.erased', { tenant, channel: channel.name });
  return c.body(null, 204);
};
