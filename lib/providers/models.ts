import type { Effort } from '../domain/events.ts';
import type { ResolvedModel, ResolveModel } from '../ports/engine.ts';
import type { EngineName, ModelRecord, ProviderRecord } from '../ports/tenants.ts';

/** A model that a tenant can use. */
export type ModelChoice = Omit<Extract<ResolvedModel, { ok: true }>, 'ok'>;

/** The provider of a tenant that has none of its own. */
const DEMO_PROVIDER: ProviderRecord = { name: 'demo', engine: 'demo', models: [], settings: {}, secrets: {} };

/**
 * The model that answers in a chat: `model` of the chat's settings, else of the tenant's defaults, else the first model
 * of the first provider. It is written `provider/model`, where the model's own id may contain slashes; the name of a
 * provider (its first model) or the id of a model that exactly one provider lists will do. A tenant without providers has
 * the built-in demo. Nothing is chosen in place of a model that cannot be found.
 */
export const resolveModel: ResolveModel = (providers, options, defaults) => {
  const known = withDemo(providers);
  const name = options.model ?? defaults.model ?? known[0]?.name ?? DEMO_PROVIDER.name;
  const { before, after } = splitName(name);
  const provider = known.find((one) => one.name === before);
  if (!provider) return resolveBareModel(known, name);
  const wanted = after ?? modelsOf(provider)[0]?.id;
  if (!wanted) return { ok: false, reason: `The provider “${before}” has no model set up.` };
  const listed = provider.models.find(({ id }) => id === wanted);
  if (!listed && provider.models.length > 0) {
    return { ok: false, reason: `The provider “${before}” has no model “${wanted}” here.` };
  }
  return { ok: true, ...choiceOf(provider, listed ?? { id: wanted }) };
};

/** The models that a person may pick from: those that the providers list, else the engine's usual ones. */
export function listModels(providers: readonly ProviderRecord[]): ModelChoice[] {
  return withDemo(providers).flatMap((provider) => modelsOf(provider).map((model) => choiceOf(provider, model)));
}

/** The same, as commands show them: no provider's record, and so no secret. */
export function modelFacts(providers: readonly ProviderRecord[]) {
  return listModels(providers).map(({ name, provider, model, contextWindow, efforts, fast }) => ({
    ...{ name, provider: provider.name, model, contextWindow, efforts, fast },
  }));
}

function withDemo(providers: readonly ProviderRecord[]): readonly ProviderRecord[] {
  return providers.length === 0 ? [DEMO_PROVIDER] : providers;
}

/** `after` is undefined if there is no slash, or nothing behind it. */
function splitName(name: string): { before: string; after: string | undefined } {
  const slash = name.indexOf('/');
  return slash < 0
    ? { before: name, after: undefined }
    : { before: name.slice(0, slash), after: name.slice(slash + 1) || undefined };
}

function resolveBareModel(providers: readonly ProviderRecord[], name: string): ResolvedModel {
  const [found, ...others] = listModels(providers).filter(({ model }) => model === name);
  if (found && others.length === 0) return { ok: true, ...found };
  return { ok: false, reason: `The model “${name}” is not set up here.` };
}

function modelsOf({ models, engine }: ProviderRecord): ModelRecord[] {
  return models.length > 0 ? models : USUAL_MODELS[engine].map((id) => ({ id }));
}

function choiceOf(provider: ProviderRecord, record: ModelRecord): ModelChoice {
  const facts = factsOf(record.id);
  const maxOutputTokens = record.maxOutputTokens ?? facts.maxOutputTokens;
  return {
    provider,
    model: record.id,
    name: `${provider.name}/${record.id}`,
    contextWindow: record.contextWindow ?? facts.contextWindow,
    ...SERVICES[provider.engine],
    tools: record.tools ?? true,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** What an engine offers when the provider's record lists no models; the first is the one to begin with. */
const USUAL_MODELS: Record<EngineName, readonly string[]> = {
  demo: ['demo'],
  anthropic: ['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-5-5', 'claude-sonnet-4-5', 'claude-haiku-4-5'],
  openai: ['gpt-6.1-terra', 'gpt-6.1-sol', 'gpt-6-luna', 'gpt-5.4', 'gpt-5.4-mini', 'gpt-4.1'],
  google: ['gemini-3.8-flash', 'gemini-4-carbon', 'gemini-2.5-pro', 'gemini-2.5-flash'],
  bedrock: ['us.anthropic.claude-sonnet-5-5', 'us.anthropic.claude-opus-5-5', 'us.amazon.nova-pro-v1:0'],
  'openai-compatible': [],
};

const ALL: readonly Effort[] = ['low', 'medium', 'high', 'max'];
const UP_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];

/** What each engine can be asked for: it says the same to its provider, and `test/providers` holds the two together. */
const SERVICES: Record<EngineName, { efforts: readonly Effort[]; fast: boolean }> = {
  demo: { efforts: ALL, fast: false },
  anthropic: { efforts: ALL, fast: false },
  openai: { efforts: ALL, fast: true },
  google: { efforts: UP_TO_HIGH, fast: false },
  bedrock: { efforts: ALL, fast: false },
  'openai-compatible': { efforts: UP_TO_HIGH, fast: false },
};

type ModelFacts = Omit<ModelRecord, 'id'> & { contextWindow: number };

const UNKNOWN_MODEL: ModelFacts = { contextWindow: 128_000 };

/**
 * What is known of models, by a part of their id; the first that fits counts, so the special ones come first. Where a
 * family's newer members may hold more, the smaller window stands: compacting early is harmless, too late fails.
 * `maxOutputTokens` stands only where the API demands a limit with each request (Claude), within what such models take
 * beside a context that is 85% full; elsewhere a limit would only be held against the window, or against the credit.
 */
const CATALOG: readonly (readonly [RegExp, ModelFacts])[] = [
  [/^demo$/, { contextWindow: 32_000, maxOutputTokens: 4_000 }],
  [/claude-(3-|v|instant)/, { contextWindow: 200_000, maxOutputTokens: 4_096 }],
  [/claude-\w+-4(-[01](\b|$)|-2025|@)/, { contextWindow: 200_000, maxOutputTokens: 30_000 }],
  [/claude/, { contextWindow: 200_000, maxOutputTokens: 64_000 }],
  [/gpt-3\.5/, { contextWindow: 16_385 }],
  [/gpt-4\.1/, { contextWindow: 1_047_576 }],
  [/gpt-4(o|-turbo)/, { contextWindow: 128_000 }],
  [/gpt-4/, { contextWindow: 8_192 }],
  [/gpt-5.*-chat/, { contextWindow: 128_000 }],
  // 400,000 together, of which 128,000 are kept for the answer.
  [/gpt-[5-9]/, { contextWindow: 272_000 }],
  [/gpt-oss/, { contextWindow: 131_072 }],
  [/(^|\/)o[1-4](-|$)/, { contextWindow: 200_000 }],
  [/gemini/, { contextWindow: 1_048_576 }],
  [/nova-micro/, { contextWindow: 128_000 }],
  [/nova/, { contextWindow: 300_000 }],
  [/llama-?3[.:-]?[1-3]/, { contextWindow: 128_000 }],
  [/llama-?3/, { contextWindow: 8_192 }],
];

function factsOf(id: string): ModelFacts {
  return CATALOG.find(([pattern]) => pattern.test(id))?.[1] ?? UNKNOWN_MODEL;
}
