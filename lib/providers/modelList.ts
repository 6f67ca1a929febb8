import { jsonIn } from '../domain/json.ts';
import type { EngineSettings, ListedModel, ListModels } from '../ports/engine.ts';
import type { EngineName } from '../ports/tenants.ts';
import { isObject } from './calls.ts';
import { ProviderError, providerErrorOf } from './faults.ts';
import { providerFetch } from './http.ts';
import { addressOf, requiredKey } from './settings.ts';

const MAX_MS = 15_000;
const MAX_BYTES = 4_000_000;
const MAX_PAGES = 5;
const MAX_MODELS = 2_000;
const MAX_ID_CHARS = 200;

/** How a provider lists its models. */
interface ListForm {
  address: (settings: EngineSettings) => string;
  headers: (settings: EngineSettings) => Record<string, string>;
  /** The query of the first page. */
  first: Record<string, string>;
  /** The models of a page, and the query of the next one if there is one. */
  read: (page: Record<string, unknown>) => { ids: unknown[]; next?: Record<string, string> };
}

const openaiList = {
  first: {},
  read: ({ data }) => ({ ids: objectsIn(data).map(({ id }) => id) }),
} satisfies Partial<ListForm>;

const FORMS: Partial<Record<EngineName, ListForm>> = {
  anthropic: {
    address: (settings) => addressOf(settings, 'https://api.anthropic.com/v1'),
    headers: (settings) => ({ 'x-api-key': requiredKey(settings), 'anthropic-version': '2023-06-01' }),
    first: { limit: '1000' },
    read: ({ data, has_more: more, last_id: last }) => ({
      ids: objectsIn(data).map(({ id }) => id),
      ...(more === true && typeof last === 'string' ? { next: { limit: '1000', after_id: last } } : {}),
    }),
  },
  openai: {
    address: (settings) => addressOf(settings, 'https://api.openai.com/v1'),
    headers: (settings) => ({ authorization: `Bearer ${requiredKey(settings)}` }),
    ...openaiList,
  },
  google: {
    address: (settings) => addressOf(settings, 'https://generativelanguage.googleapis.com/v1beta'),
    headers: (settings) => ({ 'x-goog-api-key': requiredKey(settings) }),
    first: { pageSize: '1000' },
    read: ({ models, nextPageToken: token }) => ({
      ids: objectsIn(models)
        .filter(answers)
        .map(({ name }) => String(name).replace(/^models\//, '')),
      ...(typeof token === 'string' && token ? { next: { pageSize: '1000', pageToken: token } } : {}),
    }),
  },
  'openai-compatible': {
    address: (settings) => addressOf(settings),
    headers: ({ apiKey }): Record<string, string> =>
      apiKey?.trim() ? { authorization: `Bearer ${apiKey.trim()}` } : {},
    ...openaiList,
  },
};

/** Google lists models that embed or draw beside those that answer. */
function answers({ supportedGenerationMethods: methods }: Record<string, unknown>): boolean {
  return !Array.isArray(methods) || methods.includes('generateContent');
}

function objectsIn(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** What a provider lists; see `ListModels`. At most 2,000 models, in 15 seconds. */
export const listModelsOf: ListModels = async (engine, settings) => {
  const form = FORMS[engine];
  if (!form) return undefined;
  const signal = AbortSignal.timeout(MAX_MS);
  const ids = new Set<string>();
  let query: Record<string, string> | undefined = form.first;
  for (let pages = 0; query && pages < MAX_PAGES; pages++) {
    const { ids: listed, next } = form.read(await page(form, settings, query, signal));
    for (const id of listed) if (isId(id)) ids.add(id);
    query = next;
  }
  return [...ids].slice(0, MAX_MODELS).map((id): ListedModel => ({ id }));
};

function isId(id: unknown): id is string {
  return typeof id === 'string' && id.length > 0 && id.length <= MAX_ID_CHARS && !/\p{Cc}/u.test(id);
}

async function page(
  form: ListForm,
  settings: EngineSettings,
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const search = new URLSearchParams(query).toString();
  const url = `${form.address(settings).replace(/\/+$/, '')}/models${search && `?${search}`}`;
  const headers = form.headers(settings);
  const {
    status,
    text,
    headers: answered,
  } = await get(url, headers, signal).catch((error: unknown) => {
    throw providerErrorOf(error);
  });
  if (status >= 400)
    throw providerErrorOf({ statusCode: status, responseBody: text, responseHeaders: answered, message: '' });
  const body = jsonIn(text);
  if (isObject(body)) return body;
  throw new ProviderError('bad-request', 'What answered is no list of models');
}

async function get(url: string, headers: Record<string, string>, signal: AbortSignal) {
  const response = await providerFetch(url, { headers, signal });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new ProviderError('bad-request', 'What answered is too long for a list of models');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: response.status, text, headers: Object.fromEntries(response.headers) };
}
