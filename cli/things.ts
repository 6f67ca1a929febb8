import { readFileSync } from 'node:fs';
import { TENANT_LIMITS } from '../lib/domain/events.ts';
import { Failure } from './failure.ts';

/** The things of the API: how each is named on the command line, and where it is. */

/** Where the commands stand: the tenant that they are about. */
type Path = (tenant: string, names: readonly string[]) => string;

export interface Thing {
  /** What its words stand for, in order. */
  words: readonly string[];
  path: Path;
  verbs: readonly ('get' | 'put' | 'delete' | 'refresh')[];
  /** The options that `put` has; `any`: the API says which. */
  fields?: readonly string[] | 'any';
  /** The options as the API's body. */
  body?: (options: Record<string, string>, flags: ReadonlySet<string>) => Record<string, unknown>;
  /** Flags of `put` that go into the query. */
  query?: readonly string[];
}

export interface List {
  words: readonly string[];
  path: Path;
  /** Options that go into the query. */
  query?: readonly string[];
  /** It is for a machine to read: shown as JSON. */
  json?: true;
}

const at =
  (below: (names: readonly string[]) => readonly string[]): Path =>
  (tenant, names) =>
    ['/v1/tenants', tenant, ...below(names).map(encodeURIComponent)].join('/');

/** Settings that are numbers. */
const NUMBERS = [...TENANT_LIMITS, 'stepsPerTurn', 'tokensPerTurn', 'minutesPerTurn'] as const;

/** What `conch get`, `put`, `delete` and `refresh` know. */
export const THINGS: Record<string, Thing> = {
  tenant: {
    words: ['TENANT'],
    path: (_tenant, [name = '']) => `/v1/tenants/${encodeURIComponent(name)}`,
    verbs: ['get', 'put', 'delete'],
  },
  channel: {
    words: ['NAME'],
    path: at(([name = '']) => ['channels', name]),
    verbs: ['get', 'put', 'delete'],
    fields: 'any',
    body: (options, flags) => ({ ...options, ...(flags.has('reclaim') ? { reclaim: true } : {}) }),
  },
  provider: {
    words: ['NAME'],
    path: at(([name = '']) => ['providers', name]),
    verbs: ['get', 'put', 'delete'],
    fields: 'any',
    body: providerBody,
    query: ['check'],
  },
  command: {
    words: ['NAME'],
    path: at(([name = '']) => ['commands', name]),
    verbs: ['get', 'put', 'delete'],
    fields: ['description', 'argumentHint', 'who', 'enabled', 'template', 'file'],
    body: commandBody,
  },
  skill: {
    words: ['NAME'],
    path: at(([name = '']) => ['skills', name]),
    verbs: ['get', 'put', 'delete'],
    fields: ['description', 'text', 'file'],
    body: ({ file, ...options }) => ({ ...options, ...fromFile('text', file) }),
  },
  'tool-server': {
    words: ['NAME'],
    path: at(([name = '']) => ['tool-servers', name]),
    verbs: ['get', 'put', 'delete', 'refresh'],
    fields: 'any',
    body: toolServerBody,
  },
  settings: {
    words: [],
    path: at(() => ['settings']),
    verbs: ['get', 'put', 'delete'],
    fields: ['model', 'fallback', 'effort', 'fast', 'mode', ...NUMBERS],
    body: settingsBody,
  },
  person: {
    words: ['CHANNEL', 'PERSON'],
    path: at(([channel = '', person = '']) => ['channels', channel, 'people', person]),
    verbs: ['get', 'put', 'delete'],
    fields: ['name'],
  },
  data: {
    words: ['CHANNEL', 'PERSON'],
    path: at(([channel = '', person = '']) => ['channels', channel, 'people', person, 'data']),
    verbs: ['delete'],
  },
  installation: {
    words: ['CHANNEL', 'WORKSPACE'],
    path: at(([channel = '', workspace = '']) => ['channels', channel, 'installations', workspace]),
    verbs: ['delete'],
  },
  place: { words: ['PLACE'], path: at(([place = '']) => ['places', place]), verbs: ['delete'] },
};

/** What a plural shows. */
export const LISTS: Record<string, List> = {
  tenants: { words: [], path: () => '/v1/tenants' },
  channels: { words: [], path: at(() => ['channels']) },
  providers: { words: [], path: at(() => ['providers']) },
  'providers models': { words: ['NAME'], path: at(([name = '']) => ['providers', name, 'models']) },
  settings: { words: [], path: at(() => ['settings']) },
  commands: { words: [], path: at(() => ['commands']) },
  skills: { words: [], path: at(() => ['skills']) },
  'tool-servers': { words: [], path: at(() => ['tool-servers']) },
  usage: { words: [], path: at(() => ['usage']), query: ['days'] },
  places: { words: [], path: at(() => ['places']) },
  events: {
    words: ['PLACE'],
    path: at(([place = '']) => ['places', place, 'events']),
    query: ['after', 'limit'],
  },
  manifest: {
    words: ['CHANNEL'],
    path: at(([channel = '']) => ['channels', channel, 'manifest']),
    query: ['app'],
    json: true,
  },
  installations: { words: ['CHANNEL'], path: at(([channel = '']) => ['channels', channel, 'installations']) },
  people: { words: ['CHANNEL'], path: at(([channel = '']) => ['channels', channel, 'people']) },
};

/**
 * `gpt-5,my-model=32000,small-one=8000:no-tools`: names of models, each with its context window if it has one, and whether
 * it can use tools.
 */
function modelsOf(text: string): Record<string, unknown>[] {
  const names = text.split(',').map((one) => one.trim());
  return names.filter(Boolean).map((one) => {
    const [, named = one, tools] = /^(.*):(tools|no-tools)$/.exec(one) ?? [];
    const [, id = named, tokens] = /^(.*)=(\d+)$/.exec(named) ?? [];
    return {
      id,
      ...(tokens === undefined ? {} : { contextWindow: Number(tokens) }),
      ...(tools === undefined ? {} : { tools: tools === 'tools' }),
    };
  });
}

/** What is no field of every provider is a setting of its engine, such as `region`. */
function providerBody(options: Record<string, string>): Record<string, unknown> {
  const { engine, apiKey, baseUrl, baseURL = baseUrl, models, ...settings } = options;
  return {
    ...{ engine, apiKey, baseURL },
    ...(models === undefined ? {} : { models: modelsOf(models) }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}

/** `--token` is a bearer token; `--header-x-key` is the header `x-key`, whose letters' case means nothing. */
function toolServerBody({ address, only, token, ...options }: Record<string, string>): Record<string, unknown> {
  const isHeader = (name: string) => /^header[A-Z0-9]/.test(name);
  const headers = Object.entries(options).filter(([name]) => isHeader(name));
  const named = headers.map(([name, value]) => [
    name
      .slice(6)
      .replace(/\B[A-Z]/g, '-$&')
      .toLowerCase(),
    value,
  ]);
  const bearer = token === undefined ? [] : [['authorization', `Bearer ${token}`]];
  const rest = Object.entries(options).filter(([name]) => !isHeader(name));
  return {
    ...Object.fromEntries(rest),
    ...(address === undefined ? {} : { url: address }),
    ...(only === undefined ? {} : { only: only.split(',').map((one) => one.trim()) }),
    headers: Object.fromEntries([...bearer, ...named]),
  };
}

/** A field that stands in a file. */
function fromFile(field: string, file: string | undefined): Record<string, string> {
  if (file === undefined) return {};
  try {
    return { [field]: readFileSync(file, 'utf8') };
  } catch {
    throw new Failure(`The file ${file} cannot be read.`, 2);
  }
}

function commandBody({ template, file, enabled, ...meta }: Record<string, string>): Record<string, unknown> {
  return {
    meta: { ...meta, ...(enabled === undefined ? {} : { enabled: SWITCH[enabled.toLowerCase()] ?? enabled }) },
    ...(template === undefined ? {} : { template }),
    ...fromFile('template', file),
  };
}

const SWITCH: Record<string, boolean> = { on: true, true: true, yes: true, off: false, false: false, no: false };

function settingsBody({ fast, ...options }: Record<string, string>): Record<string, unknown> {
  const limits = NUMBERS.flatMap((name) => {
    const text = options[name];
    return text === undefined ? [] : [[name, /^\d+$/.test(text) ? Number(text) : text] as const];
  });
  return {
    ...options,
    ...Object.fromEntries(limits),
    ...(fast === undefined ? {} : { fast: SWITCH[fast.toLowerCase()] ?? fast }),
  };
}
