import type { ChatOptions } from '../domain/events.ts';
import type { EngineName, ModelRecord, ProviderRecord } from '../ports/tenants.ts';

/** A model that a tenant can use. */
export interface ModelChoice {
  provider: ProviderRecord;
  /** The provider's own name of the model; may contain slashes. */
  model: string;
  /** `provider/model`, as settings hold it. */
  name: string;
  /** How much the model reads and writes together, tokens. */
  contextWindow: number;
  /** The most that it writes in one answer, tokens; absent if unknown. */
  maxOutputTokens?: number;
}

/** Which model answers, or why none does. `name` is what was asked for. */
export type ModelResolution =
  | ({ ok: true } & ModelChoice)
  /** The tenant's first provider lists no model, and its engine has no usual one. */
  | { ok: false; reason: 'no-model'; name: string }
  | { ok: false; reason: 'unknown-provider'; name: string }
  | { ok: false; reason: 'unknown-model'; name: string };

/** The provider of a tenant that has none of its own. */
export const DEMO_PROVIDER: ProviderRecord = {
  name: 'demo',
  engine: 'demo',
  models: [],
  settings: {},
  secrets: {},
};

/**
 * The model that answers in a chat.
 * @param providers the tenant's, in their order; without any there is the built-in demo.
 * @param options the chat's settings over the tenant's defaults; `model` is `provider/model`, or the name of a provider
 * (its first model), or of a model that one provider lists. Without it, the first model of the first provider.
 */
export function resolveModel(providers: ProviderRecord[], options: Pick<ChatOptions, 'model'>): ModelResolution {
  const known = providers.length === 0 ? [DEMO_PROVIDER] : providers;
  const name = options.model ?? known[0]?.name ?? DEMO_PROVIDER.name;
  const slash = name.indexOf('/');
  const provider = known.find((one) => one.name === (slash < 0 ? name : name.slice(0, slash)));
  if (!provider) return resolveBareModel(known, name);
  const model = slash < 0 ? modelsOf(provider)[0]?.id : name.slice(slash + 1);
  if (!model) return { ok: false, reason: slash < 0 ? 'no-model' : 'unknown-model', name };
  const listed = provider.models.find(({ id }) => id === model);
  if (!listed && provider.models.length > 0) return { ok: false, reason: 'unknown-model', name };
  return { ok: true, ...choiceOf(provider, listed ?? { id: model }) };
}

/** A model's id alone, which may contain slashes: known if exactly one provider lists it. */
function resolveBareModel(providers: ProviderRecord[], name: string): ModelResolution {
  const [found, ...others] = listModels(providers).filter(({ model }) => model === name);
  if (found && others.length === 0) return { ok: true, ...found };
  return { ok: false, reason: name.includes('/') ? 'unknown-provider' : 'unknown-model', name };
}

/** The models that a person may pick from: those that the providers list, else the engine's usual ones. */
export function listModels(providers: ProviderRecord[]): ModelChoice[] {
  const known = providers.length === 0 ? [DEMO_PROVIDER] : providers;
  return known.flatMap((provider) => modelsOf(provider).map((model) => choiceOf(provider, model)));
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

type ModelFacts = Omit<ModelRecord, 'id'> & { contextWindow: number };

const UNKNOWN_MODEL: ModelFacts = { contextWindow: 128_000 };

/**
 * What is known of models, by a part of their id; the first that fits counts, so the special ones come first. Where a
 * family's newer members may hold more, the smaller window stands: compacting early is harmless, too late fails.
 */
const CATALOG: readonly (readonly [RegExp, ModelFacts])[] = [
  [/^demo$/, { contextWindow: 32_000, maxOutputTokens: 4_000 }],
  [/claude-(3-|v|instant)/, { contextWindow: 200_000, maxOutputTokens: 4_096 }],
  [/claude-opus-4(-[01](\b|$)|-2025|@)/, { contextWindow: 200_000, maxOutputTokens: 32_000 }],
  [/claude-\w+-4(-[0-5](\b|$)|-2025|@)/, { contextWindow: 200_000, maxOutputTokens: 64_000 }],
  [/claude/, { contextWindow: 200_000, maxOutputTokens: 128_000 }],
  [/gpt-3\.5/, { contextWindow: 16_385, maxOutputTokens: 4_096 }],
  [/gpt-4\.1/, { contextWindow: 1_047_576, maxOutputTokens: 32_768 }],
  [/gpt-4o/, { contextWindow: 128_000, maxOutputTokens: 16_384 }],
  [/gpt-4-turbo/, { contextWindow: 128_000, maxOutputTokens: 4_096 }],
  [/gpt-4(\b|-)/, { contextWindow: 8_192, maxOutputTokens: 4_096 }],
  [/gpt-5.*-chat/, { contextWindow: 128_000, maxOutputTokens: 16_384 }],
  [/gpt-[5-9]/, { contextWindow: 400_000, maxOutputTokens: 128_000 }],
  [/gpt-oss/, { contextWindow: 131_072 }],
  [/(^|\/)o[1-4](-|$)/, { contextWindow: 200_000, maxOutputTokens: 100_000 }],
  [/gemini-2\.0/, { contextWindow: 1_048_576, maxOutputTokens: 8_192 }],
  [/gemini/, { contextWindow: 1_048_576, maxOutputTokens: 65_536 }],
  [/nova-micro/, { contextWindow: 128_000, maxOutputTokens: 10_000 }],
  [/nova/, { contextWindow: 300_000, maxOutputTokens: 10_000 }],
  [/llama-?3[.:-]?[1-3]/, { contextWindow: 128_000 }],
  [/llama-?3/, { contextWindow: 8_192 }],
];

function factsOf(id: string): ModelFacts {
  return CATALOG.find(([pattern]) => pattern.test(id))?.[1] ?? UNKNOWN_MODEL;
}
