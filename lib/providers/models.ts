import type { ResolvedModel, ResolveModel } from '../ports/engine.ts';
import type { ModelRecord, ProviderRecord } from '../ports/tenants.ts';
import { factsOf, USUAL_MODELS } from './catalog.ts';

/** A model that a tenant can use. */
export type ModelChoice = Omit<Extract<ResolvedModel, { ok: true }>, 'ok'>;

/** The provider of a tenant that has none of its own. */
const DEMO_PROVIDER: ProviderRecord = { name: 'demo', engine: 'demo', models: [], settings: {}, secrets: {} };

/**
 * The model that answers in a chat: `model` of the chat's settings, else of the tenant's defaults, else the first model
 * of the first provider, which is the one that was added first (SPEC 14.4). It is written `provider/model`, where the model's own id may contain slashes; the name of a
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

/** The same, as commands show them: no provider's record, and so no secret. Made once for the records of one version. */
export function modelFacts(providers: readonly ProviderRecord[]) {
  const known = FACTS.get(providers);
  if (known) return known;
  const facts = factsOfModels(providers);
  FACTS.set(providers, facts);
  return facts;
}

const FACTS = new WeakMap<readonly ProviderRecord[], ReturnType<typeof factsOfModels>>();

function factsOfModels(providers: readonly ProviderRecord[]) {
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
  const facts = factsOf(provider.engine, record.id);
  const maxOutputTokens = record.maxOutputTokens ?? facts.maxOutputTokens;
  return {
    provider,
    model: record.id,
    name: `${provider.name}/${record.id}`,
    contextWindow: record.contextWindow ?? facts.contextWindow,
    ...{ efforts: facts.efforts, fast: facts.fast, tools: record.tools ?? facts.tools },
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}
