import { isErased } from '../domain/erasure.ts';
import type { UnknownEvent } from '../domain/events.ts';
import { channelIdOf, type PlaceRef, readPlace } from '../domain/place.ts';
import type { TenantRecord } from '../ports/tenants.ts';
import type { TextChat } from '../ports/textReplies.ts';
import type { AdministrationDeps } from './deps.ts';
import { disconnect } from './disconnect.ts';

/** As many as are surely enough where one event is looked for, but for places that were erased lately. */
export const FEW = 25;

/** The chat that a place lies in; undefined if the text is no place. */
export function chatOf(tenant: string, place: string): TextChat | undefined {
  const at = readPlace(place);
  return at && { tenant, channelId: channelIdOf({ tenant, own: at.channel }), chat: at.chat };
}

function sameChat(tenant: string, a: string, b: string): boolean {
  const [one, other] = [chatOf(tenant, a), chatOf(tenant, b)];
  return one !== undefined && one.channelId === other?.channelId && one.chat === other.chat;
}

/**
 * Deletes what a place holds: its open choices, its replies if no other place lies in the same chat, and last its log,
 * by which it is found again after a crash in between.
 */
export async function erasePlace(deps: AdministrationDeps, tenant: string, place: string): Promise<void> {
  const chat = chatOf(tenant, place);
  if (chat) {
    for (const action of await deps.actions.list(chat)) {
      if (action.place === place) await deps.actions.delete({ ...chat, id: action.id });
    }
    if (!(await hasNeighbour(deps, tenant, place))) await deps.textReplies.erase(chat);
  }
  await deps.log.erase({ tenant, place });
}

async function hasNeighbour(deps: AdministrationDeps, tenant: string, place: string): Promise<boolean> {
  for await (const other of deps.log.places(tenant)) {
    if (other.place !== place && sameChat(tenant, other.place, place)) return true;
  }
  return false;
}

/** Deletes a person's places on a channel, and what is known of them there. Whoever owns the channel goes on owning it. */
export async function erasePerson(
  deps: AdministrationDeps,
  { tenant, channelId, person }: { tenant: string; channelId: string; person: string },
): Promise<void> {
  for (const { place } of await Array.fromAsync(deps.log.places(tenant))) {
    if (chatOf(tenant, place)?.channelId !== channelId) continue;
    if ((await writerOf(deps, tenant, place)) === person) await erasePlace(deps, tenant, place);
  }
  await deps.usage.eraseRate({ tenant, channelId, person });
  await deps.tenants.deletePerson(tenant, channelId, person);
}

/** The events of a place that say something, ascending: not what an erasure left in the stead of others. */
export async function* eventsOf(
  { log }: AdministrationDeps,
  place: PlaceRef,
  options: { from: number; pageSize: number },
): AsyncGenerator<UnknownEvent> {
  for await (const event of log.range(place, options)) if (!isErased(event)) yield event;
}

/** Who writes in a place: in a group it says so itself, in a private chat the first event that names a person does. */
export async function writerOf(deps: AdministrationDeps, tenant: string, place: string): Promise<string | undefined> {
  const inGroup = readPlace(place)?.person;
  if (inGroup !== undefined) return inGroup;
  for await (const { data } of eventsOf(deps, { tenant, place }, { from: 1, pageSize: FEW })) {
    const id = (data as { person?: { id?: string } } | null)?.person?.id;
    if (id !== undefined) return id;
  }
  return undefined;
}

/**
 * Deletes all that a tenant has. The channels go first, so that nothing new comes in, and the tenant itself goes behind
 * its logs, so that after a crash in between it can be deleted again. Logs are looked for once more at the end, for what
 * a running turn has added.
 */
export async function eraseTenant(deps: AdministrationDeps, { tenant, channels }: TenantRecord): Promise<void> {
  for (const channel of channels) await disconnect(deps, tenant, channel);
  await erasePlaces(deps, tenant);
  await deps.usage.erase(tenant);
  await deps.tenants.deleteTenant(tenant);
  await erasePlaces(deps, tenant);
}

async function erasePlaces(deps: AdministrationDeps, tenant: string): Promise<void> {
  for (const { place } of await Array.fromAsync(deps.log.places(tenant))) {
    const chat = chatOf(tenant, place);
    if (chat) {
      for (const { id } of await deps.actions.list(chat)) await deps.actions.delete({ ...chat, id });
      await deps.textReplies.erase(chat);
    }
    await deps.log.erase({ tenant, place });
  }
}
