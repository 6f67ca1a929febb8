import * as z from 'zod';
import { EFFORTS, MODES } from '../domain/events.ts';
import { MESSAGES_PER_MINUTE } from '../domain/limits.ts';
import type { ResolvedModel } from '../ports/engine.ts';
import type { TenantSettings } from '../ports/tenants.ts';
import { badFields, type FieldError } from './problem.ts';
import { type Handler, loadTenant, parse, readBody } from './request.ts';

const MAX_TURNS_AT_ONCE = 1_000;
const MAX_TURNS_PER_DAY = 10_000_000;
const MAX_TOKENS_PER_DAY = 1_000_000_000_000;
const MAX_STEPS_PER_TURN = 100;
const MAX_TOKENS_PER_TURN = 100_000_000;
const MAX_MINUTES_PER_TURN = 24 * 60;
const MAX_MODEL_CHARS = 300;

const modelName = z.string().min(1).max(MAX_MODEL_CHARS).optional();

const settingsSchema = z.strictObject({
  model: modelName,
  fallback: modelName,
  effort: z.enum(EFFORTS).optional(),
  fast: z.boolean().optional(),
  mode: z.enum(MODES).optional(),
  turnsAtOnce: z.int().min(0).max(MAX_TURNS_AT_ONCE).optional(),
  turnsPerDay: z.int().min(0).max(MAX_TURNS_PER_DAY).optional(),
  tokensPerDay: z.int().min(0).max(MAX_TOKENS_PER_DAY).optional(),
  stepsPerTurn: z.int().min(1).max(MAX_STEPS_PER_TURN).optional(),
  tokensPerTurn: z.int().min(1).max(MAX_TOKENS_PER_TURN).optional(),
  minutesPerTurn: z.int().min(1).max(MAX_MINUTES_PER_TURN).optional(),
  messagesPerMinute: z.int().min(0).max(MESSAGES_PER_MINUTE).optional(),
});

export const getSettings: Handler = async (c, deps) => c.json((await loadTenant(c, deps)).settings);

/** Puts the defaults for new chats and the limits in place of the ones before. */
export const putSettings: Handler = async (c, deps) => {
  const wanted = parse(settingsSchema, await readBody(c)) as TenantSettings;
  const { tenant, providers } = await loadTenant(c, deps);
  const resolve = (model: string) => deps.resolveModel(providers, { model }, {});
  const errors = modelErrors(wanted, resolve);
  if (errors.length > 0) throw badFields(...errors);
  const settings = withProviders(wanted, resolve);
  await deps.tenants.putSettings(tenant, settings);
  deps.logger.info('administration.settings.put', { tenant });
  return c.json(settings);
};

/** Both models have to be there, and the fallback another one than the model in whose place it answers. */
function modelErrors({ model, fallback }: TenantSettings, resolve: (model: string) => ResolvedModel): FieldError[] {
  const [chosen, other] = [model, fallback].map((name) => (name === undefined ? undefined : resolve(name)));
  const missing = [
    ...(chosen && !chosen.ok ? [{ field: 'model', reason: chosen.reason }] : []),
    ...(other && !other.ok ? [{ field: 'fallback', reason: other.reason }] : []),
  ];
  const isSame = chosen?.ok && other?.ok && chosen.name === other.name;
  return isSame ? [{ field: 'fallback', reason: 'It is the model itself; name another one.' }] : missing;
}

/** A model's bare id is kept with its provider: another one that is added later may have the same (SPEC 14.4). */
function withProviders(settings: TenantSettings, resolve: (model: string) => ResolvedModel): TenantSettings {
  const full = { ...settings };
  for (const field of ['model', 'fallback'] as const) {
    const name = settings[field];
    const resolved = name === undefined ? undefined : resolve(name);
    if (resolved?.ok && resolved.provider.name !== name) full[field] = resolved.name;
  }
  return full;
}

/** Goes back to the built-in defaults. */
export const deleteSettings: Handler = async (c, deps) => {
  const { tenant } = await loadTenant(c, deps);
  await deps.tenants.putSettings(tenant, {});
  deps.logger.info('administration.settings.deleted', { tenant });
  return c.body(null, 204);
};
