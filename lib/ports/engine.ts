import type { ChatOptions, Effort, Usage } from '../domain/events.ts';
import type { ToolCall, ToolResult } from '../domain/toolCalls.ts';
import type { EngineName, ProviderRecord } from './tenants.ts';

/**
 * One message of the transcript that a provider reads. `calls` of an assistant's message are its own, and the next
 * message holds the result of each. `own`: what this provider's engine gave for that step (`finish`), to be replayed.
 * `session`: the provider keeps all up to and with this message under that id, as its engine said; never one from before
 * the memory began (SPEC 5.2).
 */
export type TranscriptMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls?: readonly ToolCall[]; own?: unknown; session?: string }
  | { role: 'tool'; results: readonly ToolResult[] };

/** A tool as a model is told of it. */
export interface ToolSpec {
  /** `[a-zA-Z0-9_-]{1,64}` */
  name: string;
  description: string;
  /** JSON Schema of an object. */
  inputSchema: Record<string, unknown>;
}

/** One step of a turn: one request to a provider. */
export interface EngineRequest {
  /** The provider's own name of the model. */
  model: string;
  system: string;
  messages: TranscriptMessage[];
  /** Absent: none. */
  tools?: readonly ToolSpec[];
  /** For an engine that asks by itself before it leaves plan mode: the turn is in plan mode, and somebody can press Start. */
  mayAskToStart?: true;
  effort?: Effort;
  fast?: boolean;
  maxOutputTokens?: number;
  /**
   * The same for every request of one memory, so that a provider finds what it has cached: opaque, without personal
   * data, 1 to 64 letters, digits, "-" or "_".
   */
  cacheKey?: string;
}

export type EnginePart =
  | { type: 'text'; delta: string }
  /** A whole call of a tool. */
  | { type: 'call'; call: ToolCall }
  /**
   * `own`: the step in the provider's own form, JSON, and `session`: where the provider keeps the conversation up to here,
   * both for `TranscriptMessage`. `tools`: it waits for results.
   */
  | {
      type: 'finish';
      usage: Usage;
      reason: 'stop' | 'length' | 'refused' | 'tools' | 'other';
      own?: unknown;
      session?: string;
    };

/** What a provider's failure means for the turn (SPEC 13.5). */
export type ProviderFault =
  | 'rate-limited' // wait, then try again
  | 'overloaded' // too many ask it; try again soon
  | 'failing' // the provider's own trouble; try again soon
  | 'unreachable' // network, a stream that broke
  | 'silent' // nothing came before the time was up
  | 'unauthorized' // the key is missing, wrong or revoked
  | 'billing' // no credit
  | 'unknown-model'
  | 'too-long' // the context does not fit
  | 'refused' // the provider's policy
  | 'bad-request'; // anything else that the same request will meet again

/** Thrown by an engine. `message` is for the log: without secrets and without a raw body. */
export interface ProviderFailure {
  fault: ProviderFault;
  retryAfterMs?: number;
}

/** What a provider's own compaction came to. */
export interface Compaction {
  summary: string;
  usage: Usage;
  /** What the conversation took before, tokens. */
  preTokens?: number;
}

/** Who answers. */
export interface Engine {
  /**
   * An engine that asks by itself before it leaves plan mode declares so (SPEC 7.1): it calls `exit_plan_mode` without
   * being offered it.
   */
  readonly planApproval?: 'native';
  /**
   * Streams one step.
   * @throws {ProviderError} for every failure of the provider; the signal's reason when it is aborted.
   */
  run(request: EngineRequest, signal: AbortSignal): AsyncIterable<EnginePart>;
  /**
   * Has the provider sum up the conversation by its own means (SPEC 8.2); absent where it has none that gives text.
   * @param instructions how, in full: they take the place of the provider's own.
   * @returns undefined if this model has none, or it ended without a summary: an ordinary request asks for one then.
   * @throws as `run`.
   */
  compact?(request: EngineRequest, instructions: string, signal: AbortSignal): Promise<Compaction | undefined>;
}

/** What an engine is built from: a provider of a tenant, its secrets opened. */
export interface EngineSettings {
  apiKey?: string;
  baseURL?: string;
  settings: Record<string, string>;
}

/** The provider and model that answer under these settings. */
export type ResolvedModel =
  | {
      ok: true;
      provider: ProviderRecord;
      /** The provider's own name of the model. */
      model: string;
      /** `provider/model`, as shown and as settings name it. */
      name: string;
      contextWindow: number;
      maxOutputTokens?: number;
      /** The levels of effort that the provider has (SPEC 4.7). */
      efforts: readonly Effort[];
      /** The provider has a faster service. */
      fast: boolean;
      /** The model can use tools. */
      tools: boolean;
    }
  /** Nobody can answer; `reason` is a sentence for the person. */
  | { ok: false; reason: string };

/** Finds who answers: the chat's own settings over the tenant's defaults. Pure. */
export type ResolveModel = (
  providers: readonly ProviderRecord[],
  options: Pick<ChatOptions, 'model'>,
  defaults: Pick<ChatOptions, 'model'>,
) => ResolvedModel;

/** Builds the engine of a provider, opening its secrets. */
export type OpenEngine = (tenant: string, provider: ProviderRecord) => Promise<Engine>;

/** A model by the provider's own name. */
export interface ListedModel {
  id: string;
}

/**
 * Asks a provider which models it has; undefined if its engine has no list.
 * @throws {ProviderError} if it does not tell: the key is refused, nobody answers.
 */
export type ListModels = (engine: EngineName, settings: EngineSettings) => Promise<ListedModel[] | undefined>;

/** Whether something thrown is a provider's failure, as every engine reports it. */
export function isProviderFailure(error: unknown): error is Error & ProviderFailure {
  return error instanceof Error && 'fault' in error && typeof error.fault === 'string';
}

/** All the words of a message, to measure it by. */
export function wordsOf(message: TranscriptMessage): string {
  return message.role === 'tool' ? message.results.map(({ output }) => output).join('\n') : message.text;
}
