import { generateText, type LanguageModel, streamText, type TextStreamPart, type ToolSet } from 'ai';
import type { Effort, Usage } from '../domain/events.ts';
import { MINUTE_MS, STEP_LIMIT_MS } from '../domain/limits.ts';
import type { ToolCall } from '../domain/toolCalls.ts';
import type { Compaction, Engine, EnginePart, EngineRequest } from '../ports/engine.ts';
import type { EngineName } from '../ports/tenants.ts';
import { type ProviderOptions, promptOf } from './aiSdkPrompt.ts';
import { plainJson } from './calls.ts';
import { effortAsked } from './catalog.ts';
import { ProviderError, providerErrorOf } from './faults.ts';
import { isForgotten, type Kept, keptOf } from './kept.ts';
import { ownStep } from './ownStep.ts';

type StreamOptions = Parameters<typeof streamText>[0];
type StreamPart = TextStreamPart<ToolSet>;

/** What differs between the AI SDK's providers. */
export interface AiSdkProvider {
  name: EngineName;
  /**
   * Builds the model with this id; called once a step.
   * @throws {ProviderError} if the provider's record lacks what it needs.
   */
  model: (id: string) => LanguageModel;
  /** The provider's own options of a request; `session`: of the conversation that it goes on with. */
  options?: (request: EngineRequest, session?: string) => ProviderOptions;
  /** The provider keeps conversations itself, each step under the id of its response (SPEC 5.2, 5.7). */
  keeps?: boolean;
  /** What marks the end of a part that the provider is to keep cached; undefined where this model has no such marks. */
  cacheMark?: (model: string) => ProviderOptions | undefined;
  /** What asks for a summary of the conversation instead of an answer; undefined where this model cannot. */
  compaction?: (model: string, instructions: string) => ProviderOptions | undefined;
}

/** How long one step may take, ms. */
export interface StepLimits {
  stepMs: number;
  /** Until the first piece of output. A model that thinks says nothing meanwhile, so hard thinking gets longer. */
  firstChunkMs: number;
  firstChunkOfHardThinkingMs: number;
  /** Between pieces of output. */
  chunkMs: number;
}

/** One step is at most five minutes (DESIGN 3). */
export const STEP_LIMITS: StepLimits = {
  stepMs: STEP_LIMIT_MS,
  firstChunkMs: 2 * MINUTE_MS,
  firstChunkOfHardThinkingMs: 4 * MINUTE_MS,
  chunkMs: MINUTE_MS,
};

// The SDK prints a warning for every option that a model lacks; those options are optional here by design.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** An engine that asks its provider through the AI SDK. Retries are the caller's. */
export function aiSdkEngine(provider: AiSdkProvider, limits: StepLimits = STEP_LIMITS): Engine {
  return {
    run: (request, signal) => runKept(provider, request, signal, limits),
    ...(provider.compaction && {
      compact: (request, instructions, signal) => compact(provider, request, instructions, signal, limits),
    }),
  };
}

async function compact(
  provider: AiSdkProvider,
  request: EngineRequest,
  instructions: string,
  signal: AbortSignal,
  limits: StepLimits,
): Promise<Compaction | undefined> {
  const providerOptions = provider.compaction?.(request.model, instructions);
  if (!providerOptions) return undefined;
  const { onError: _, ...options } = requestOptions(provider, request, limits);
  try {
    const timeout = { totalMs: limits.stepMs };
    const step = await generateText({ ...options, providerOptions, timeout, abortSignal: signal });
    const summary = step.text.trim();
    if (step.rawFinishReason !== 'compaction' || summary === '') return undefined;
    const usage = usageOf(step.usage);
    return { summary, usage, ...(usage.inputTokens === undefined ? {} : { preTokens: usage.inputTokens }) };
  } catch (error) {
    signal.throwIfAborted();
    throw providerErrorOf(error);
  }
}

/** Goes on with the conversation that the provider keeps, if it does; if that is gone, all of it is sent again. */
async function* runKept(
  provider: AiSdkProvider,
  request: EngineRequest,
  signal: AbortSignal,
  limits: StepLimits,
): AsyncGenerator<EnginePart> {
  const kept = provider.keeps ? keptOf(request.messages) : undefined;
  if (!kept) return yield* runStep(provider, request, signal, limits);
  let isOut = false;
  try {
    for await (const part of runStep(provider, request, signal, limits, kept)) {
      isOut = true;
      yield part;
    }
  } catch (error) {
    if (isOut || !isForgotten(error)) throw error;
    yield* runStep(provider, request, signal, limits);
  }
}

async function* runStep(
  provider: AiSdkProvider,
  request: EngineRequest,
  signal: AbortSignal,
  limits: StepLimits,
  kept?: Kept,
): AsyncGenerator<EnginePart> {
  const options = requestOptions(provider, request, limits, kept);
  // Closes the HTTP request however this ends, also when the reader stops reading.
  const closing = new AbortController();
  // The SDK's own limit for the first chunk begins with the response's headers, and so never ends without them.
  const firstChunk = setTimeout(() => closing.abort(), firstChunkMs(request.effort, limits));
  try {
    const step = streamText({
      ...options,
      abortSignal: AbortSignal.any([signal, closing.signal]),
    });
    const finish = yield* enginePartsOf(step.stream, () => clearTimeout(firstChunk));
    if (!finish) return;
    const session = provider.keeps ? (await step.response).id : undefined;
    const own = finish.reason === 'tools' ? ownStep(provider.name, await step.responseMessages) : undefined;
    yield { ...finish, ...(own === undefined ? {} : { own }), ...(session ? { session } : {}) };
  } catch (error) {
    signal.throwIfAborted();
    throw providerErrorOf(error);
  } finally {
    clearTimeout(firstChunk);
    closing.abort();
  }
}

/** What one request is made with. @throws {ProviderError} by the model alone: what else fails here is no failure of a provider. */
function requestOptions(
  provider: AiSdkProvider,
  request: EngineRequest,
  limits: StepLimits,
  kept?: Kept,
): StreamOptions {
  const { maxOutputTokens } = request;
  const effort = effortAsked(provider.name, request.model, request.effort);
  const providerOptions = provider.options?.(request, kept?.session);
  return {
    model: modelOf(provider, request.model),
    ...promptOf(provider.name, request, provider.cacheMark?.(request.model), kept),
    ...(effort === undefined ? {} : { reasoning: effort }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
    maxRetries: 0,
    timeout: { stepMs: limits.stepMs, chunkMs: limits.chunkMs },
    // Without a handler the SDK prints the error, body and all, to the console.
    onError: () => {},
  };
}

function modelOf(provider: AiSdkProvider, id: string): LanguageModel {
  try {
    return provider.model(id);
  } catch (error) {
    throw providerErrorOf(error);
  }
}

function firstChunkMs(effort: Effort | undefined, limits: StepLimits): number {
  return effort === 'high' || effort === 'max' ? limits.firstChunkOfHardThinkingMs : limits.firstChunkMs;
}

/**
 * Gives what the person sees and the calls as they come, and returns the finish.
 * @param heard is called with every piece of output, thoughts too.
 */
async function* enginePartsOf(
  stream: AsyncIterable<StreamPart>,
  heard: () => void,
): AsyncGenerator<EnginePart, Finish | undefined> {
  const ids = new Set<string>();
  let finish: Finish | undefined;
  for await (const part of stream) {
    if (OUTPUT.has(part.type)) heard();
    if (part.type === 'text-delta' && part.text) yield { type: 'text', delta: part.text };
    else if (part.type === 'tool-call' && !part.providerExecuted) yield { type: 'call', call: callOf(part, ids) };
    else if (part.type === 'finish-step') finish = finishOf(part, ids.size > 0);
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'abort') {
      throw new ProviderError('silent', 'The provider did not answer in time');
    }
  }
  return finish;
}

/** What shows that the provider works on the answer. */
const OUTPUT = new Set<StreamPart['type']>([
  'text-delta',
  'reasoning-delta',
  'tool-input-start',
  'tool-input-delta',
  'tool-call',
]);

type CallPart = Extract<StreamPart, { type: 'tool-call' }>;

/**
 * The call as the model wrote it, also if its input is no JSON (then it is text) or no such tool was offered.
 * @param ids of the calls before it in the step: some servers give several calls one id, or none.
 */
function callOf({ toolCallId, toolName, input }: CallPart, ids: Set<string>): ToolCall {
  let id = toolCallId || 'call-0';
  for (let n = ids.size; ids.has(id); n++) id = `${toolCallId || 'call'}-${n}`;
  ids.add(id);
  return { id, name: toolName || 'unknown', input: plainJson(input) ?? {} };
}

type Finish = Extract<EnginePart, { type: 'finish' }>;
type FinishStep = Extract<StreamPart, { type: 'finish-step' }>;

/** @throws {ProviderError} if the stream ended before the provider said that it was complete. */
function finishOf({ finishReason, rawFinishReason, usage }: FinishStep, hasCalls: boolean): Finish {
  const incomplete = finishReason === 'other' && rawFinishReason === undefined;
  if (incomplete || finishReason === 'interrupted')
    throw new ProviderError('unreachable', 'The stream ended before its end');
  if (finishReason === 'error') throw new ProviderError('failing', 'The provider ended its answer with an error');
  const reason = REASONS[finishReason] ?? 'other';
  // Some servers say `stop` after calls. A step that was cut off in a call waits for results too: one says what happened.
  return { type: 'finish', usage: usageOf(usage), reason: hasCalls && reason !== 'refused' ? 'tools' : reason };
}

const REASONS: Partial<Record<FinishStep['finishReason'], Finish['reason']>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'refused',
};

/**
 * `inputTokens` is all that was read, from a cache or not; `cachedTokens` is the part read from one, `cacheWriteTokens`
 * the part that was written to one (SPEC 8.1).
 */
function usageOf({ inputTokens, outputTokens, inputTokenDetails }: FinishStep['usage']): Usage {
  const { cacheReadTokens: cachedTokens, cacheWriteTokens } = inputTokenDetails;
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(cacheWriteTokens ? { cacheWriteTokens } : {}),
  };
}
