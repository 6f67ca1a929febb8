import type { Asker } from '../commands/gate.ts';
import type { Address } from '../domain/events.ts';
import { pending } from '../domain/pending.ts';
import { ownPart, type PlaceRef, placeOf, readChannelId } from '../domain/place.ts';
import type { Rate } from '../domain/rate.ts';
import type { State } from '../domain/state.ts';
import type { Told } from '../domain/told.ts';
import type { Channel, ChatApp, Verification } from '../ports/chatApp.ts';
import type { ChannelRecord, PersonRecord, TenantRecord } from '../ports/tenants.ts';
import { personRole } from './access.ts';
import type { WebhookDeps } from './deps.ts';
import { rateOf } from './personRate.ts';
import { type UseToday, useToday } from './tenantLimits.ts';

/** Everything around one delivery, once the person and the tenant are known. */
export interface Scene {
  app: ChatApp;
  channel: Channel;
  tenant: TenantRecord;
  /** The channel as it is stored: its owner, its rule. */
  record: ChannelRecord;
  /** What is known of the person here. */
  known?: PersonRecord;
  /** What they were told here, and which codes they tried. */
  told?: Told;
  /** The use of the tenant today, if a limit looks at it. */
  use?: UseToday;
  /** How often the person has written in the last minute, if a limit looks at it. */
  rate?: Rate;
  place: PlaceRef;
  asker: Asker;
}

/** The place of something done in this chat by this person (SPEC 1). */
export function placeRef(channel: Channel, to: Address, person: string): PlaceRef {
  const where = { channel: ownPart(channel.id), chat: to.chat, thread: to.thread };
  return { tenant: channel.tenant, place: placeOf(to.group ? { ...where, person } : where) };
}

/** The channel that a request was taken for, as it was remembered, and the check that the request passed. */
export interface Taken {
  channel: Channel;
  verify: (channel: Channel) => Verification | Promise<Verification>;
}

/**
 * The person's role on fresh data, read in the same round trip as the newest event; `gone` if the channel is, `uninstalled`
 * if the app was removed from the workspace. Where the channel has changed since it was remembered, the request has to pass with its new secrets too: `refused` if not.
 */
export async function sceneOf(
  deps: WebhookDeps,
  app: ChatApp,
  taken: Taken,
  who: { place: PlaceRef; person: string; group: boolean },
): Promise<Scene | 'gone' | 'refused' | 'uninstalled'> {
  const { person, group, place } = who;
  const { channel: before } = taken;
  // The channel was opened from it, so it is in memory: whether a limit looks at the use is known before the round trip.
  const remembered = await deps.directory.get(before.tenant);
  const [check, useBefore, rate] = await Promise.all([
    deps.tenants.check(before.tenant, before.id, person),
    useToday(deps, before.tenant, remembered?.settings),
    rateOf(deps, remembered?.settings, { tenant: before.tenant, channelId: before.id, person }),
  ]);
  const tenant = await deps.directory.fresh(before.tenant, check.version);
  const record = tenant?.channels.find(({ id }) => id === before.id);
  if (!tenant || !record) return 'gone';
  const channel = await inWorkspace(deps, app, await deps.openChannel(tenant.tenant, record), before.workspace);
  if (!channel) return 'uninstalled';
  const verified = channel === before ? ({ ok: true } as const) : await taken.verify(channel);
  if (!verified.ok) {
    deps.logger.warn('webhook.refused', { app: app.name, reason: verified.reason });
    return 'refused';
  }
  const use = useBefore ?? (await useToday(deps, before.tenant, tenant.settings));
  const role = personRole(record, person, group, check.person);
  const asker: Asker = { role, group, ...(app.limits.deliversMessages ? {} : { withoutMessages: true }) };
  const { person: known, told } = check;
  const facts = {
    ...(known ? { known } : {}),
    ...(told ? { told } : {}),
    ...(use ? { use } : {}),
    ...(rate ? { rate } : {}),
  };
  return { app, channel, tenant, record, place, asker, ...facts };
}

/** The channel as it is now in the workspace that the request was taken for. */
async function inWorkspace(
  deps: WebhookDeps,
  app: ChatApp,
  channel: Channel,
  workspace: string | undefined,
): Promise<Channel | undefined> {
  if (!app.workspaces?.has(channel)) return workspace === undefined ? channel : undefined;
  return workspace === undefined ? undefined : deps.workspaces?.open(app, channel, [workspace]);
}

/** Enqueues a hint unless nothing is owed or the place is held: then the holder's own hint lives (DESIGN 3, Hints). */
export async function enqueueIfOwed(deps: WebhookDeps, place: PlaceRef, state: State): Promise<void> {
  const { kind } = pending(state, deps.runtime.now());
  if (kind === 'none' || kind === 'held') return;
  try {
    await deps.queue.send({ tenant: place.tenant, place: place.place });
  } catch (error) {
    deps.logger.error('webhook.enqueue-failed', error); // the sweeper finds the event (DESIGN 3, Outbox)
  }
}

/**
 * The channel with this id, its secrets opened; undefined if this app has none. What stands in a webhook's path may be
 * anything of any length.
 * @param options `fresh`: as it is now, not as it is remembered.
 */
export async function openChannelById(
  deps: WebhookDeps,
  app: ChatApp,
  channelId: string,
  options: { fresh?: boolean } = {},
): Promise<Channel | undefined> {
  const name = readChannelId(channelId)?.tenant;
  if (name === undefined) return undefined;
  const tenant = options.fresh
    ? await deps.directory.fresh(name, await deps.tenants.version(name))
    : await deps.directory.get(name);
  const record = tenant?.channels.find(({ id }) => id === channelId);
  return tenant && record?.app === app.name ? deps.openChannel(tenant.tenant, record) : undefined;
}
