import { type LanguageModel, type ModelMessage, streamText, type TextStreamPart, type ToolSet } from 'ai';
import type { Effort, Usage } from '../domain/events.ts';
import type { ToolCall, ToolResult } from '../domain/toolCalls.ts';
import type { Engine, EnginePart, EngineRequest, TranscriptMessage } from '../ports/engine.ts';
import { ProviderError, providerErrorOf } from './faults.ts';

type StreamOptions = Parameters<typeof streamText>[0];
type ProviderOptions = NonNullable<StreamOptions['providerOptions']>;
type StreamPart = TextStreamPart<ToolSet>;

/** What differs between the AI SDK's providers. */
export interface AiSdkProvider {
  /**
   * Builds the model with this id; called once a step.
   * @throws {ProviderError} if the provider's record lacks what it needs.
   */
  model: (id: string) => LanguageModel;
  /** The provider's own options of every request. */
  options?: ProviderOptions;
  /** Those of a request for the faster service; absent where there is none. */
  fastOptions?: ProviderOptions;
  /** What `max` is asked as where there is no such level (SPEC 4.7); `max` by default. */
  maxEffort?: Effort;
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
  stepMs: 300_000,
  firstChunkMs: 120_000,
  firstChunkOfHardThinkingMs: 240_000,
  chunkMs: 60_000,
};

// The SDK prints a warning for every option that a model lacks; those options are optional here by design.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** An engine that asks its provider through the AI SDK. Retries are the caller's. */
export function aiSdkEngine(provider: AiSdkProvider, limits: StepLimits = STEP_LIMITS): Engine {
  return { run: (request, signal) => runStep(provider, request, signal, limits) };
}

async function* runStep(
  provider: AiSdkProvider,
  request: EngineRequest,
  signal: AbortSignal,
  limits: StepLimits,
): AsyncGenerator<EnginePart> {
  // Closes the HTTP request however this ends, also when the reader stops reading.
  const closing = new AbortController();
  // The SDK's own limit for the first chunk begins with the response's headers, and so never ends without them.
  const firstChunk = setTimeout(() => closing.abort(), firstChunkMs(request.effort, limits));
  try {
    const { stream } = streamText({
      ...requestOptions(provider, request, limits),
      abortSignal: AbortSignal.any([signal, closing.signal]),
    });
    yield* enginePartsOf(stream, () => clearTimeout(firstChunk));
  } catch (error) {
    signal.throwIfAborted();
    throw providerErrorOf(error);
  } finally {
    clearTimeout(firstChunk);
    closing.abort();
  }
}

function requestOptions(provider: AiSdkProvider, request: EngineRequest, limits: StepLimits): StreamOptions {
  const { effort, maxOutputTokens } = request;
  const providerOptions = { ...provider.options, ...(request.fast ? provider.fastOptions : {}) };
  return {
    model: provider.model(request.model),
    ...(request.system ? { instructions: request.system.toWellFormed() } : {}),
    messages: messagesOf(request.messages),
    ...(effort === undefined ? {} : { reasoning: effort === 'max' ? (provider.maxEffort ?? effort) : effort }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    providerOptions,
    maxRetries: 0,
    timeout: { stepMs: limits.stepMs, chunkMs: limits.chunkMs },
    // Without a handler the SDK prints the error, body and all, to the console.
    onError: () => {},
  };
}

function firstChunkMs(effort: Effort | undefined, limits: StepLimits): number {
  return effort === 'high' || effort === 'max' ? limits.firstChunkOfHardThinkingMs : limits.firstChunkMs;
}

/** Providers refuse a blank message, and half of a surrogate pair, for the rest of the conversation: neither is sent. */
function messagesOf(messages: TranscriptMessage[]): ModelMessage[] {
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'tool') return [{ role: 'tool', content: message.results.map(resultOf) }];
    const text = message.text.toWellFormed();
    const calls = message.role === 'assistant' ? (message.calls ?? []).map(callOf) : [];
    if (calls.length > 0)
      return [{ role: 'assistant', content: [...(text.trim() ? [{ type: 'text', text } as const] : []), ...calls] }];
    return text.trim() === '' ? [] : [{ role: message.role, content: text }];
  });
}

function callOf({ id, name, input }: ToolCall) {
  return { type: 'tool-call', toolCallId: id, toolName: name, input } as const;
}

function resultOf({ id, name, output }: ToolResult) {
  return {
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type: 'text', value: output.toWellFormed() },
  } as const;
}

/** @param heard is called with every piece of output, thoughts too. */
async function* enginePartsOf(stream: AsyncIterable<StreamPart>, heard: () => void): AsyncGenerator<EnginePart> {
  for await (const part of stream) {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') heard();
    if (part.type === 'text-delta' && part.text) yield { type: 'text', delta: part.text };
    else if (part.type === 'finish-step') yield finishOf(part);
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'abort') throw new ProviderError('unreachable', 'The provider did not answer in time');
  }
}

type FinishStep = Extract<StreamPart, { type: 'finish-step' }>;

/** @throws {ProviderError} if the stream ended before the provider said that it was complete. */
function finishOf({ finishReason, rawFinishReason, usage }: FinishStep): EnginePart {
  const incomplete = finishReason === 'other' && rawFinishReason === undefined;
  if (incomplete || finishReason === 'interrupted')
    throw new ProviderError('unreachable', 'The stream ended before its end');
  if (finishReason === 'error') throw new ProviderError('overloaded', 'The provider ended its answer with an error');
  return { type: 'finish', usage: usageOf(usage), reason: REASONS[finishReason] ?? 'other' };
}

const REASONS: Partial<Record<FinishStep['finishReason'], Extract<EnginePart, { type: 'finish' }>['reason']>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'refused',
};

/** `inputTokens` is all that was read, from a cache or not; `cachedTokens` is the part read from one (SPEC 8.1). */
function usageOf({ inputTokens, outputTokens, inputTokenDetails }: FinishStep['usage']): Usage {
  const cachedTokens = inputTokenDetails.cacheReadTokens;
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
  };
}
