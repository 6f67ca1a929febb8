import type { EngineSettings } from '../ports/engine.ts';
import { type Finding, fine, note, problem } from '../ports/health.ts';
import type { EngineName, ProviderRecord } from '../ports/tenants.ts';
import { providerFetch } from './http.ts';

const TIMEOUT_MS = 10_000;

type Probe = (settings: EngineSettings) => { url: string; headers: Record<string, string> } | undefined;

const bearer = (apiKey: string | undefined) => (apiKey ? { authorization: `Bearer ${apiKey}` } : {});
const listOf = (address: string, query = '') => `${address.replace(/\/+$/, '')}/models${query}`;

/** How each engine lists its models: a request that costs nothing and needs the key. */
const PROBES: Partial<Record<EngineName, Probe>> = {
  anthropic: ({ apiKey = '', baseURL = 'https://api.anthropic.com/v1' }) => ({
    url: listOf(baseURL, '?limit=1000'),
    headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
  }),
  openai: ({ apiKey, baseURL = 'https://api.openai.com/v1' }) => ({ url: listOf(baseURL), headers: bearer(apiKey) }),
  google: ({ apiKey = '', baseURL = 'https://generativelanguage.googleapis.com/v1beta' }) => ({
    url: listOf(baseURL, '?pageSize=1000'),
    headers: { 'x-goog-api-key': apiKey },
  }),
  'openai-compatible': ({ apiKey, baseURL }) =>
    baseURL ? { url: listOf(baseURL), headers: bearer(apiKey) } : undefined,
};

/**
 * Whether a provider takes the tenant's key, by asking it for its models. Never throws, and tells no key.
 * @param tenant names it in what to do. @param model the one that is used by default, if it is of this provider.
 */
export async function checkProvider(
  tenant: string,
  provider: ProviderRecord,
  apiKey: string | undefined,
  model?: string,
): Promise<Finding> {
  const { name, engine, baseURL, settings } = provider;
  if (engine === 'demo') return fine('The built-in demo needs no key.');
  const probe = PROBES[engine]?.({ settings, ...(apiKey ? { apiKey } : {}), ...(baseURL ? { baseURL } : {}) });
  if (!probe)
    return note(`Whether the key of “${engine}” works cannot be asked for nothing.`, 'Write to a bot to see.');
  const again = `Put it again: npx conch put provider ${name} --tenant ${tenant} --engine ${engine}${baseURL ? ` --base-url ${baseURL}` : ''} --api-key -`;
  try {
    const response = await providerFetch(probe.url, {
      headers: probe.headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return findingOf(response.status, await modelsOf(response), { again, model });
  } catch {
    return problem(`Nobody answers at ${URL.parse(probe.url)?.host ?? 'its address'}.`, `Check the address. ${again}`);
  }
}

function findingOf(
  status: number,
  models: readonly string[],
  { again, model }: { again: string; model: string | undefined },
): Finding {
  if (status === 200) {
    const isListed = model === undefined || models.length === 0 || models.some((one) => one.startsWith(model));
    if (isListed) return fine('It takes the key.');
    return problem(
      `It takes the key, and does not know the model “${model}”.`,
      `It has: ${models.slice(0, 8).join(', ')}.`,
    );
  }
  if (status === 401 || status === 403) return problem('It does not take the key.', again);
  if (status === 402) return problem('It says that there is no credit.', 'Add credit on the provider’s page.');
  if (status === 429) return note('It takes no requests for now: too many came.', 'Try again in a minute.');
  if (status >= 500) return problem(`It answers with a fault of its own (${status}).`, 'Try again later.');
  return note(`It does not list its models (${status}), so that the key cannot be checked.`, 'Write to a bot to see.');
}

/** The models that the answer names, in either of two forms. */
async function modelsOf(response: Response): Promise<string[]> {
  const body = (await response.json().catch(() => ({}))) as { data?: unknown; models?: unknown };
  const list = Array.isArray(body?.data) ? body.data : Array.isArray(body?.models) ? body.models : [];
  return list.flatMap((one: { id?: unknown; name?: unknown } | null) => {
    const name = one?.id ?? one?.name;
    return typeof name === 'string' ? [name.replace(/^models\//, '')] : [];
  });
}
