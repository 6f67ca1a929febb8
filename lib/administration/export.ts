import type { Context } from 'hono';
import type { UnknownEvent } from '../domain/events.ts';
import { keyPart } from '../domain/place.ts';
import type { ChannelRecord, PersonRecord, TenantRecord, ToolServerRecord } from '../ports/tenants.ts';
import type { AdministrationDeps } from './deps.ts';
import { chatOf, eventsOf, writerOf } from './erase.ts';
import { type Cursor, type PlaceCursor, readCursor, writeCursor } from './exportCursor.ts';
import { personNamed } from './people.ts';
import { providerViews } from './providers.ts';
import { type Handler, loadTenant } from './request.ts';
import { channelView, installationView, personView } from './views.ts';

/**
 * All that is kept of a tenant, or of a person on a channel (SPEC 14.1), as JSON lines, page by page: an answer of a
 * function has an end. The last line of a page is `more`, with what the next one is asked for with, or `end`. Secrets are
 * left out, as everywhere in this API; so are an app's sealed reply tokens.
 */

/** What an answer may hold, well under a function's 6 MB, and how long it is looked for. */
const PAGE_BYTES = 2_000_000;
const PAGE_MS = 8_000;
const EVENTS_PER_READ = 100;
const USAGE_DAYS = 3_660;

type Line = { kind: string } & Record<string, unknown>;

/** A line, if this has one, and what the next page is asked for with if this one ends here. */
interface Step {
  line?: Line;
  behind: Cursor;
}

export const exportTenant: Handler = async (c, deps) => {
  const tenant = await loadTenant(c, deps);
  const answer = await pageOf(c, deps, (from) => tenantSteps(deps, tenant, from));
  deps.logger.info('administration.tenant.exported', { tenant: tenant.tenant });
  return answer;
};

/** What the person wrote and was answered on this channel, and what is known of them there: what deleting it would delete. */
export const exportPerson: Handler = async (c, deps) => {
  const { tenant, channel, id, known } = await personNamed(c, deps);
  const answer = await pageOf(c, deps, (from) => personSteps(deps, tenant, channel, { id, known }, from));
  deps.logger.info('administration.person.exported', { tenant, channel: channel.name });
  return answer;
};

async function pageOf(
  c: Context,
  { runtime }: AdministrationDeps,
  stepsFrom: (from?: Cursor) => AsyncGenerator<Step>,
): Promise<Response> {
  const after = c.req.query('after');
  const until = runtime.now() + PAGE_MS;
  const lines: string[] = [];
  let bytes = 0;
  let end: Line = { kind: 'end' };
  for await (const { line, behind } of stepsFrom(after === undefined ? undefined : readCursor(after))) {
    if (line) {
      const text = JSON.stringify(line);
      lines.push(text);
      bytes += Buffer.byteLength(text);
    }
    if (bytes < PAGE_BYTES && runtime.now() < until) continue;
    end = { kind: 'more', after: writeCursor(behind) };
    break;
  }
  return c.body(`${[...lines, JSON.stringify(end)].join('\n')}\n`, 200, { 'content-type': 'application/x-ndjson' });
}

async function* tenantSteps(deps: AdministrationDeps, tenant: TenantRecord, from?: Cursor): AsyncGenerator<Step> {
  if (!from || 'facts' in from) {
    const done = from?.facts ?? 0;
    for (const [n, line] of (await factsOf(deps, tenant)).slice(done).entries()) {
      yield { line, behind: { facts: done + n + 1 } };
    }
  }
  if (!from || !('place' in from)) yield* peopleSteps(deps, tenant, from && 'person' in from ? from : undefined);
  yield* placeSteps(deps, tenant.tenant, from && 'place' in from ? from : undefined, async () => true);
}

async function factsOf(deps: AdministrationDeps, record: TenantRecord): Promise<Line[]> {
  const { tenant, settings, channels, commands, skills, toolServers } = record;
  const installed = channels.map(async ({ id, name }) => {
    const list = deps.installations.list({ tenant, channelId: id });
    return Array.fromAsync(list, (one): Line => ({ kind: 'installation', channel: name, ...installationView(one) }));
  });
  const usage = await deps.usage.read(tenant, USAGE_DAYS);
  return [
    { kind: 'tenant', tenant, settings },
    ...channels.map((one): Line => ({ kind: 'channel', ...channelView(one) })),
    ...(await Promise.all(installed)).flat(),
    ...providerViews(deps, record).map((one): Line => ({ kind: 'provider', ...one })),
    ...commands.map((one): Line => ({ kind: 'command', ...one })),
    ...skills.map((one): Line => ({ kind: 'skill', ...one })),
    ...toolServers.map(toolServerLine),
    ...usage.map((one): Line => ({ kind: 'usage', ...one })),
  ];
}

function toolServerLine({ name, url, headers, only }: ToolServerRecord): Line {
  return { kind: 'tool-server', name, url, headers: Object.keys(headers), ...(only ? { only } : {}) };
}

/** The people of each channel, in the order of their keys. */
async function* peopleSteps(
  { tenants }: AdministrationDeps,
  { tenant, channels }: TenantRecord,
  from: { channel: string; person: string } | undefined,
): AsyncGenerator<Step> {
  const begun = from ? channels.findIndex(({ name }) => name === from.channel) : 0;
  for (const channel of channels.slice(Math.max(0, begun))) {
    const after = channel.name === from?.channel ? keyPart(from.person) : '';
    for await (const person of tenants.people(tenant, channel.id)) {
      if (after !== '' && keyPart(person.id) <= after) continue;
      yield { line: personLine(channel, person), behind: { channel: channel.name, person: person.id } };
    }
  }
}

function personLine({ name, owner }: ChannelRecord, person: PersonRecord): Line {
  const { at, asked } = person;
  return {
    ...{ kind: 'person', channel: name, ...personView(person) },
    ...(owner === person.id ? { owner: true } : {}),
    ...(at === undefined ? {} : { decidedAt: at }),
    ...(asked?.at === undefined ? {} : { askedAt: asked.at }),
  };
}

async function* personSteps(
  deps: AdministrationDeps,
  tenant: string,
  channel: ChannelRecord,
  { id, known }: { id: string; known: PersonRecord | undefined },
  from?: Cursor,
): AsyncGenerator<Step> {
  const places = from && 'place' in from ? from : undefined;
  if (known && !from) yield { line: personLine(channel, known), behind: { channel: channel.name, person: id } };
  yield* placeSteps(deps, tenant, places, async (place) => {
    return chatOf(tenant, place)?.channelId === channel.id && (await writerOf(deps, tenant, place)) === id;
  });
}

/** The places that are wanted, each with its events. */
async function* placeSteps(
  deps: AdministrationDeps,
  tenant: string,
  from: PlaceCursor | undefined,
  isWanted: (place: string) => Promise<boolean>,
): AsyncGenerator<Step> {
  for await (const { place, firstAt: at } of placesFrom(deps, tenant, from)) {
    const behind = place === from?.place ? from.seq : undefined;
    if (behind === null) continue;
    if (behind !== undefined || (await isWanted(place))) {
      if (behind === undefined) yield { line: { kind: 'place', place, firstAt: at }, behind: { at, place, seq: 0 } };
      const first = (behind ?? 0) + 1;
      for await (const event of eventsOf(deps, { tenant, place }, { from: first, pageSize: EVENTS_PER_READ })) {
        yield { line: eventLine(place, event), behind: { at, place, seq: event.seq } };
      }
    }
    yield { behind: { at, place, seq: null } };
  }
}

function eventLine(place: string, { seq, type, at, data }: UnknownEvent): Line {
  return { kind: 'event', place, seq, type, at, data: withoutToken(data) };
}

/** An app's reply token is sealed, and still a secret. */
function withoutToken(data: unknown): unknown {
  const { to } = (data ?? {}) as { to?: { token?: unknown } };
  if (to?.token === undefined) return data;
  const { token: _token, ...rest } = to;
  return { ...(data as object), to: rest };
}

/** The places from this one on, by their beginning; those of the same millisecond by their name. */
async function* placesFrom({ log }: AdministrationDeps, tenant: string, from: PlaceCursor | undefined) {
  type Row = { place: string; firstAt: number };
  const inOrder = (rows: Row[]) =>
    rows
      .filter(({ place, firstAt }) => from === undefined || firstAt > from.at || place >= from.place)
      .sort((a, b) => (a.place < b.place ? -1 : 1));
  let together: Row[] = [];
  for await (const row of log.places(tenant, from ? { from: from.at } : {})) {
    if (together[0] && together[0].firstAt !== row.firstAt) {
      yield* inOrder(together);
      together = [];
    }
    together.push(row);
  }
  yield* inOrder(together);
}
