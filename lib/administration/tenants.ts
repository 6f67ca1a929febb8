import * as z from 'zod';
import { eraseTenant } from './erase.ts';
import { providerViews } from './providers.ts';
import { type Handler, loadTenant, parse, queryNumber, readBody, tenantName } from './request.ts';
import { channelView } from './views.ts';

const NO_FIELDS = z.strictObject({});
const MAX_DAYS = 366;

export const listTenants: Handler = async (c, deps) => {
  const names = await Array.fromAsync(deps.tenants.list());
  return c.json(names.map((tenant) => ({ tenant })));
};

/** Creates the tenant; one that is there stays as it is. */
export const putTenant: Handler = async (c, deps) => {
  const tenant = tenantName(c);
  parse(NO_FIELDS, await readBody(c));
  const before = await deps.tenants.load(tenant);
  if (before) return c.json({ tenant });
  await deps.tenants.putSettings(tenant, {});
  deps.logger.info('administration.tenant.created', { tenant });
  return c.json({ tenant }, 201);
};

export const getTenant: Handler = async (c, deps) => {
  const record = await loadTenant(c, deps);
  const { tenant, settings, channels } = record;
  return c.json({ tenant, settings, channels: channels.map(channelView), providers: providerViews(deps, record) });
};

export const deleteTenant: Handler = async (c, deps) => {
  const tenant = await loadTenant(c, deps);
  await eraseTenant(deps, tenant);
  deps.logger.info('administration.tenant.deleted', { tenant: tenant.tenant });
  return c.body(null, 204);
};

/** One row a day, the newest first. */
export const getUsage: Handler = async (c, deps) => {
  const days = queryNumber(c, 'days', { min: 1, max: MAX_DAYS, fallback: 30 });
  const { tenant } = await loadTenant(c, deps);
  return c.json(await deps.usage.read(tenant, days));
};
