import type { Context } from 'hono';
import type { PlaceRef } from '../domain/place.ts';
import type { AdministrationDeps } from './deps.ts';
import { erasePlace, eventsOf, FEW } from './erase.ts';
import { notFound } from './problem.ts';
import { type Handler, loadTenant, queryNumber } from './request.ts';

const MAX_EVENTS = 1_000;
const DEFAULT_EVENTS = 100;

export const listPlaces: Handler = async (c, deps) => {
  const { tenant } = await loadTenant(c, deps);
  return c.json(await Array.fromAsync(deps.log.places(tenant)));
};

function placeOf(c: Context): string {
  const place = c.req.param('place');
  if (!place) throw notFound('There is no such place.');
  return place;
}

/** Whether anything was said in the place since it was erased last. */
async function isThere(deps: AdministrationDeps, at: PlaceRef): Promise<boolean> {
  return (await eventsOf(deps, at, { from: 1, pageSize: FEW }).next()).done === false;
}

/** Events behind `after`, ascending, at most `limit`. */
export const listEvents: Handler = async (c, deps) => {
  const after = queryNumber(c, 'after', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const limit = queryNumber(c, 'limit', { min: 1, max: MAX_EVENTS, fallback: DEFAULT_EVENTS });
  const { tenant } = await loadTenant(c, deps);
  const at = { tenant, place: placeOf(c) };
  const events = [];
  for await (const event of eventsOf(deps, at, { from: after + 1, pageSize: limit })) {
    const { seq, type, at, data } = event;
    if (events.push({ seq, type, at, data }) === limit) break;
  }
  if (events.length === 0 && !(await isThere(deps, at))) throw notFound('There is no such place.');
  return c.json(events);
};

export const deletePlace: Handler = async (c, deps) => {
  const { tenant } = await loadTenant(c, deps);
  const place = placeOf(c);
  if (!(await isThere(deps, { tenant, place }))) throw notFound('There is no such place.');
  await erasePlace(deps, tenant, place);
  deps.logger.info('administration.place.deleted', { tenant });
  return c.body(null, 204);
};
