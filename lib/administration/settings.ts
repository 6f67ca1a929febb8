import * as z from 'zod';
import { EFFORTS, MODES } from '../domain/events.ts';
import { MESSAGES_PER_MINUTE } from '../domain/limits.ts';
import type { TenantSettings } from '../ports/tenants.ts';
import { badFields } from './problem.ts';
import { type Handler, loadTenant, parse, readBody } from './request.ts';

const MAX_TURNS_AT_ONCE = 1_000;
const MAX_TURNS_PER_DAY = 10_000_000;
const MAX_TOKENS_PER_DAY = 1_000_000_000_000;
const MAX_MODEL_CHARS = 300;

const settingsSchema = z.strictObject({
  model: z.string().min(1).max(MAX_MODEL_CHARS).optional(),
  effort: z.enum(EFFORTS).optional(),
  fast: z.boolean().optional(),
  mode: z.enum(MODES).optional(),
  turnsAtOnce: z.int().min(0).max(MAX_TURNS_AT_ONCE).optional(),
  turnsPerDay: z.int().min(0).max(MAX_TURNS_PER_DAY).optional(),
  tokensPerDay: z.int().min(0).max(MAX_TOKENS_PER_DAY).optional(),
  messagesPerMinute: z.int().min(0).max(MESSAGES_PER_MINUTE).optional(),
});

export const getSettings: Handler = async (c, deps) => c.json((await loadTenant(c, deps)).settings);

/** Puts the defaults for new chats and the limits in place of the ones before. */
export const putSettings: Handler = async (c, deps) => {
  const settings = parse(settingsSchema, await readBody(c)) as TenantSettings;
  const { tenant, providers } = await loadTenant(c, deps);
  if (settings.model !== undefined) {
    const resolved = deps.resolveModel(providers, { model: settings.model }, {});
    if (!resolved.ok) throw badFields({ field: 'model', reason: resolved.reason });
  }
  await deps.tenants.putSettings(tenant, settings);
  deps.logger.info('administration.settings.put', { tenant });
  return c.json(settings);
};

/** Goes back to the built-in defaults. */
export const deleteSettings: Handler = async (c, deps) => {
  const { tenant } = await loadTenant(c, deps);
  await deps.tenants.putSettings(tenant, {});
  deps.logger.info('administration.settings.deleted', { tenant });
  return c.body(null, 204);
};
