import * as z from 'zod';
import type { EngineSettings } from '../ports/engine.ts';
import { providerOwner, sealAll } from '../ports/secrets.ts';
import {
  type EngineName,
  inOrderAdded,
  type ModelRecord,
  type ProviderRecord,
  type TenantRecord,
} from '../ports/tenants.ts';
import type { AdministrationDeps } from './deps.ts';
import { badFields, type FieldError } from './problem.ts';
import { checkKey, wantsCheck } from './providerModels.ts';
import {
  type Handler,
  loadTenant,
  outwardErrors,
  parse,
  providerNamed,
  readBody,
  thingName,
  unknownFields,
  webAddress,
} from './request.ts';
import { providerView } from './views.ts';

const MAX_KEY_CHARS = 4_096;
const MAX_NAME_CHARS = 200;
const MAX_MODELS = 200;

interface EngineForm {
  needs: readonly ('apiKey' | 'baseURL')[];
  /** Its own settings, with the form of each. */
  settings: Record<string, RegExp>;
}

/** Which fields an engine cannot do without, and which settings it knows. */
const ENGINE_FORMS: Record<EngineName, EngineForm> = {
  demo: { needs: [], settings: {} },
  anthropic: { needs: ['apiKey'], settings: {} },
  openai: { needs: ['apiKey'], settings: { keep: /^(on|off)$/ } },
  google: { needs: ['apiKey'], settings: {} },
  bedrock: { needs: ['apiKey'], settings: { region: /^[a-z0-9-]{1,40}$/ } },
  'openai-compatible': { needs: ['baseURL'], settings: {} },
};

const tokens = z.int().min(1).max(100_000_000).optional();

const providerSchema = z.strictObject({
  engine: z.enum(Object.keys(ENGINE_FORMS) as EngineName[]),
  /** Goes into a header: nothing but visible ASCII, so that a pasted paragraph is refused. */
  apiKey: z
    .string()
    .trim()
    .max(MAX_KEY_CHARS)
    .refine((key) => /^[!-~]+$/.test(key), 'It has to be the key alone, in one piece.')
    .optional(),
  baseURL: z
    .string()
    .refine((url) => webAddress(url) !== undefined, 'It has to be an http or https address without a password in it.')
    .optional(),
  models: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(MAX_NAME_CHARS),
        contextWindow: tokens,
        maxOutputTokens: tokens,
        tools: z.boolean().optional(),
      }),
    )
    .max(MAX_MODELS)
    .refine((models) => new Set(models.map(({ id }) => id)).size === models.length, 'A model stands in it twice.')
    .optional(),
  settings: z.record(z.string(), z.string()).optional(),
});

type ProviderBody = z.infer<typeof providerSchema>;

/** What the fields of this engine have to be, beyond their own form. */
function engineErrors({ engine, settings = {}, ...fields }: ProviderBody): FieldError[] {
  const form = ENGINE_FORMS[engine];
  const missing = form.needs
    .filter((field) => fields[field] === undefined)
    .map((field) => ({ field, reason: `The engine “${engine}” needs it.` }));
  const unknown = Object.keys(settings).filter((name) => !Object.hasOwn(form.settings, name));
  const wrong = Object.entries(settings)
    .filter(([name, value]) => form.settings[name]?.test(value) === false)
    .map(([name]) => ({ field: `settings.${name}`, reason: 'It does not have the right form.' }));
  return [...missing, ...unknownFields(unknown.map((name) => `settings.${name}`)), ...wrong];
}

/** What an engine would be built from. */
function settingsIn({ apiKey, baseURL, settings = {} }: ProviderBody): EngineSettings {
  return { settings, ...(apiKey === undefined ? {} : { apiKey }), ...(baseURL === undefined ? {} : { baseURL }) };
}

async function recordOf(
  deps: AdministrationDeps,
  { tenant, providers }: TenantRecord,
  name: string,
  body: ProviderBody,
): Promise<ProviderRecord> {
  const { engine, apiKey, baseURL, models = [], settings = {} } = body;
  const plain: Record<string, string> = apiKey === undefined ? {} : { apiKey };
  return {
    ...{ name, engine, models: models as ModelRecord[], settings },
    ...(baseURL === undefined ? {} : { baseURL }),
    ...additionOf(providers, name, deps.runtime.now()),
    secrets: await sealAll(deps.secrets, plain, { tenant, owner: providerOwner(name) }),
  };
}

/**
 * When it was added, and behind whom (SPEC 14.4). One that is put again stays where it stands: without a time too, unless it
 * is behind all that have one, which only their order then says.
 */
function additionOf(
  providers: readonly ProviderRecord[],
  name: string,
  now: number,
): Pick<ProviderRecord, 'addedAt' | 'behind'> {
  const times = providers.map(({ addedAt = 0 }) => addedAt);
  const at = providers.findIndex((one) => one.name === name);
  const { addedAt, behind } = providers[at] ?? {};
  const hasPlace = at >= 0 && times.slice(at).some((time) => time > 0);
  if (hasPlace || (at >= 0 && times.every((time) => time === 0))) {
    return { ...(addedAt === undefined ? {} : { addedAt }), ...(behind === undefined ? {} : { behind }) };
  }
  const others = providers.map((one) => one.name).filter((one) => one !== name);
  return { addedAt: Math.max(now, ...times.map((time) => time + 1)), behind: others };
}

export const listProviders: Handler = async (c, deps) => c.json(providerViews(deps, await loadTenant(c, deps)));

export const getProvider: Handler = async (c, deps) => {
  const name = thingName(c);
  const record = await loadTenant(c, deps);
  const provider = providerNamed(record.tenant, record.providers, name);
  return c.json(providerView(provider, defaultProvider(deps, record)));
};

/** A tenant's providers as the API shows them. */
export function providerViews(deps: AdministrationDeps, record: TenantRecord) {
  const byDefault = defaultProvider(deps, record);
  return record.providers.map((provider) => providerView(provider, byDefault));
}

/** The provider that answers where nobody has picked a model (SPEC 14.4); undefined if its model is not there. */
function defaultProvider(
  deps: AdministrationDeps,
  { providers, settings }: Pick<TenantRecord, 'providers' | 'settings'>,
): string | undefined {
  const resolved = deps.resolveModel(providers, {}, settings);
  return resolved.ok ? resolved.provider.name : undefined;
}

/** Puts a provider in place of the one before; with `?check=true` only if the provider takes its key. */
export const putProvider: Handler = async (c, deps) => {
  const name = thingName(c);
  const isChecked = wantsCheck(c);
  const body = parse(providerSchema, await readBody(c));
  const errors = [...engineErrors(body), ...outwardErrors(deps, 'baseURL', body.baseURL)];
  if (errors.length > 0) throw badFields(...errors);
  const loaded = await loadTenant(c, deps);
  if (isChecked) await checkKey(deps, body.engine, settingsIn(body));
  const { tenant, providers, settings } = loaded;
  const record = await recordOf(deps, loaded, name, body);
  await deps.tenants.putProvider(tenant, record);
  deps.logger.info('administration.provider.put', { tenant, provider: name, engine: record.engine });
  const others = providers.filter((one) => one.name !== name);
  const byDefault = defaultProvider(deps, { providers: inOrderAdded([...others, record]), settings });
  return c.json(providerView(record, byDefault), others.length < providers.length ? 200 : 201);
};

export const deleteProvider: Handler = async (c, deps) => {
  const name = thingName(c);
  const { tenant, providers } = await loadTenant(c, deps);
  providerNamed(tenant, providers, name);
  await deps.tenants.deleteProvider(tenant, name);
  deps.logger.info('administration.provider.deleted', { tenant, provider: name });
  return c.body(null, 204);
};
