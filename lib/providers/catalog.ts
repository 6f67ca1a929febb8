import type { Effort } from '../domain/events.ts';
import { nearestEffort } from '../domain/settings.ts';
import type { EngineName } from '../ports/tenants.ts';

/** What an engine offers when the provider's record lists no models; the first is the one to begin with. */
export const USUAL_MODELS: Record<EngineName, readonly string[]> = {
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
  // Most servers know these three only, and refuse another word.
  'openai-compatible': { efforts: UP_TO_HIGH, fast: false },
};

interface Size {
  /** Tokens. */
  contextWindow: number;
  maxOutputTokens?: number;
}

const UNKNOWN_MODEL: Size = { contextWindow: 128_000 };

/**
 * How much models hold, by a part of their id; the first that fits counts, so the special ones come first. Where a
 * family's newer members may hold more, the smaller window stands: compacting early is harmless, too late fails.
 * `maxOutputTokens` stands only where the API demands a limit with each request (Claude), within what such models take
 * beside a context that is 85% full; elsewhere a limit would only be held against the window, or against the credit.
 */
const SIZES: readonly (readonly [RegExp, Size])[] = [
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
  [/gemma-?3/, { contextWindow: 128_000 }],
  [/nova-micro/, { contextWindow: 128_000 }],
  [/nova/, { contextWindow: 300_000 }],
  [/llama-?3[.:-]?[1-3]/, { contextWindow: 128_000 }],
  [/llama-?3/, { contextWindow: 8_192 }],
];

/** What a model lacks of what its engine can be asked for. */
type Lack = 'effort' | 'fast' | 'tools';

/** What is known to be missing, by a part of the id; every row that fits counts. Unknown models get what is asked for. */
const LACKS: readonly (readonly [RegExp, readonly Lack[], EngineName?])[] = [
  // Models that think for nobody: they refuse to be asked, or pass it over.
  [/claude-(3-(5|opus|sonnet|haiku)|v|instant|2)/, ['effort']],
  [/gpt-(3\.5|4)|gpt-\d.*-chat/, ['effort']],
  [/gemini-(1|2\.0)|gemma/, ['effort']],
  [/nova-(micro|lite|pro|premier)-v1|llama|mistral|mixtral|titan|command-r|jamba/, ['effort'], 'bedrock'],
  // OpenAI's priority service.
  [/gpt-3\.5|gpt-oss|gpt-[5-9].*-(chat|nano)|(^|\/)o1/, ['fast']],
  // Tools, on Bedrock those of a streamed answer.
  [/claude-(v|instant|2)|o1-(mini|preview)|gemma-?[23]|deepseek[.-]r1/, ['tools']],
  [/llama|titan|jamba-instruct|mistral-7b|mixtral/, ['tools'], 'bedrock'],
];

/** All that is known of a model. */
export interface ModelFacts extends Size {
  efforts: readonly Effort[];
  fast: boolean;
  tools: boolean;
}

/** What is known of a model of this engine, by its id. Pure. */
export function factsOf(engine: EngineName, id: string): ModelFacts {
  const size = SIZES.find(([pattern]) => pattern.test(id))?.[1] ?? UNKNOWN_MODEL;
  const lacks = LACKS.flatMap(([pattern, what, only = engine]) => (only === engine && pattern.test(id) ? what : []));
  const { efforts, fast } = SERVICES[engine];
  return {
    ...size,
    efforts: lacks.includes('effort') ? [] : efforts,
    fast: fast && !lacks.includes('fast'),
    tools: !lacks.includes('tools'),
  };
}

/** The level that a model is asked for: the nearest that it has (SPEC 4.7), none if it has none. */
export function effortAsked(engine: EngineName, id: string, effort: Effort | undefined): Effort | undefined {
  const { efforts } = factsOf(engine, id);
  return effort === undefined || efforts.length === 0 ? undefined : nearestEffort(effort, efforts);
}
