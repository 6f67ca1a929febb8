import { ConchError } from '../domain/errors.ts';
import { keyPart, type PlaceRef, readPart } from '../domain/place.ts';

/** Builders of the table's keys. A part is encoded by `keyPart`, which gives no `#`, so that no two lists of parts meet. */

const SEQ_DIGITS = 12;
/** The largest seq that sorts rightly. */
export const MAX_SEQ = 10 ** SEQ_DIGITS - 1;

/** Joins a kind and its parts. @throws {ConchError} `missing-key-part` if one is empty. */
function key(kind: string, ...parts: string[]): string {
  return [kind, ...parts.map(keyPart)].join('#');
}

/** Partition of a place's events. */
export const logKey = (ref: PlaceRef) => key('L', ref.tenant, ref.place);

/** The place of a log's partition key. @throws {ConchError} `bad-key` if it is none. */
export function readLogKey(pk: string): PlaceRef {
  const [kind, tenant, place, ...more] = pk.split('#');
  if (kind !== 'L' || !tenant || !place || more.length > 0) throw new ConchError('bad-key', 'Not the key of a log');
  return { tenant: readPart(tenant), place: readPart(place) };
}

/** Sort key of an event: sorts as text as the number does. @throws {ConchError} `bad-seq` unless 1 to `MAX_SEQ`. */
export function seqKey(seq: number): string {
  if (!Number.isSafeInteger(seq) || seq < 1 || seq > MAX_SEQ) throw new ConchError('bad-seq', `No such seq: ${seq}`);
  return String(seq).padStart(SEQ_DIGITS, '0');
}

/** Partition of a chat's open actions. */
export const actionsKey = (chat: { tenant: string; channelId: string; chat: string }) =>
  key('A', chat.tenant, chat.channelId, chat.chat);

/** Partition of all that makes a tenant. */
export const tenantKey = (tenant: string) => key('T', tenant);

/** Sort keys within `tenantKey`. */
export const SETTINGS_KEY = 'settings';
export const channelKey = (name: string) => key('channel', name);
export const providerKey = (name: string) => key('provider', name);
export const commandKey = (name: string) => key('command', name);
export const skillKey = (name: string) => key('skill', name);
export const toolServerKey = (name: string) => key('tool-server', name);
export const menuKey = (channelName: string) => key('menu', channelName);

/** Partition of what a tenant's tool servers offer, one item a server. */
export const toolCatalogsKey = (tenant: string) => key('C', tenant);

/** Partition of the tenant's version. */
export const versionKey = (tenant: string) => key('V', tenant);
export const VERSION_SORT_KEY = 'version';

/** Partition of the list of all tenants. */
export const TENANTS_KEY = 'tenants';

/** Partition of a channel's people. */
export const peopleKey = (tenant: string, channelId: string) => key('P', tenant, channelId);

/** Partition of the workspaces that a channel's app is installed in. */
export const installationsKey = (tenant: string, channelId: string) => key('I', tenant, channelId);

/** Partition of a tenant's use, one item a day. */
export const usageKey = (tenant: string) => key('U', tenant);

/** Partition of how often a tenant's people write, one item a person on a channel. */
export const ratesKey = (tenant: string) => key('M', tenant);
export const rateKey = (channelId: string, person: string) => key('rate', channelId, person);

/** Partition of a tenant's slots for turns. */
export const slotsKey = (tenant: string) => key('S', tenant);
export const slotKey = (index: number) => String(index).padStart(6, '0');

/** Partition of a tenant's waiting list, one item a place. */
export const waitingKey = (tenant: string) => key('W', tenant);

/** The round over all tenants' menus: the one item of its partition. */
export const MENU_ROUND_KEY = 'menus';

/** Partition of the sweeper's cursors, one item a shard. */
export const CURSOR_KEY = 'sweeper';

/** Partition of a text chat's replies, in order. */
export const repliesKey = (tenant: string, channelId: string, chat: string) => key('R', tenant, channelId, chat);

export { keyPart };
