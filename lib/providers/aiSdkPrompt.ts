import { type JSONSchema7, jsonSchema, type ModelMessage, type SystemModelMessage, type ToolSet, tool } from 'ai';
import type { ToolCall, ToolResult } from '../domain/toolCalls.ts';
import type { EngineRequest, ToolSpec, TranscriptMessage } from '../ports/engine.ts';
import type { EngineName } from '../ports/tenants.ts';
import { inWords, objectInput, paired, toolName } from './calls.ts';
import type { Kept } from './kept.ts';
import { replayed } from './ownStep.ts';
import { plainSchema } from './toolSchema.ts';

/** Options of one provider, by its name in the AI SDK. */
export type ProviderOptions = NonNullable<SystemModelMessage['providerOptions']>;

/** What a request says, in the AI SDK's form. */
interface Prompt {
  instructions?: SystemModelMessage;
  messages: ModelMessage[];
  tools?: ToolSet;
}

/**
 * The system prompt, the tools and the conversation of a request.
 * @param cacheMark what marks the end of a part that the provider is to keep cached: what is stable comes first, so the
 * tools, the system prompt, the conversation as the request before had it, and all of it are marked, at most four marks.
 * @param kept what the provider keeps of the conversation itself: only what has come since is sent.
 */
export function promptOf(engine: EngineName, request: EngineRequest, cacheMark?: ProviderOptions, kept?: Kept): Prompt {
  const { tools = [] } = request;
  const pairs = kept?.since ?? paired(request.messages);
  const messages = (tools.length > 0 || kept ? pairs : inWords(pairs)).flatMap(modelMessagesOf(engine));
  const system = request.system.toWellFormed();
  return {
    ...(system ? { instructions: { role: 'system', content: system, ...marked(cacheMark) } } : {}),
    messages: cacheMark ? markedMessages(messages, cacheMark) : messages,
    ...(tools.length > 0 ? { tools: toolsOf(tools, cacheMark) } : {}),
  };
}

function marked(cacheMark: ProviderOptions | undefined): { providerOptions?: ProviderOptions } {
  return cacheMark ? { providerOptions: cacheMark } : {};
}

/** The last message, and the one with which the request before ended: a provider looks for its cache at marks. */
function markedMessages(messages: ModelMessage[], cacheMark: ProviderOptions): ModelMessage[] {
  const last = messages.length - 1;
  const before = messages.findLastIndex(({ role }, at) => at < last && role !== 'assistant');
  return messages.map((message, at) =>
    at === last || at === before ? { ...message, providerOptions: cacheMark } : message,
  );
}

/** No tool has an `execute`, so that the AI SDK ends the step at a call. */
function toolsOf(specs: readonly ToolSpec[], cacheMark: ProviderOptions | undefined): ToolSet {
  return Object.fromEntries(
    specs.map(({ name, description, inputSchema }, at) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema(plainSchema(inputSchema) as JSONSchema7),
        ...(at === specs.length - 1 ? marked(cacheMark) : {}),
      }),
    ]),
  );
}

/** Providers refuse a blank message, and half of a surrogate pair, for the rest of the conversation: neither is sent. */
function modelMessagesOf(engine: EngineName): (message: TranscriptMessage, at: number) => ModelMessage[] {
  let ids = new Map<string, string>();
  return (message, at) => {
    if (message.role === 'tool')
      return [{ role: 'tool', content: message.results.map((one) => resultOf(engine, one, ids)) }];
    const text = message.text.toWellFormed();
    const calls = message.role === 'assistant' ? (message.calls ?? []) : [];
    if (message.role === 'user' || calls.length === 0)
      return text.trim() === '' ? [] : [{ role: message.role, content: text }];
    const own = replayed(engine, message.own, calls);
    ids = new Map(calls.map(({ id }, n) => [id, own || SAFE_ID.test(id) ? id : `call_${at}_${n}`]));
    if (own) return [own];
    const said = text.trim() === '' ? [] : [{ type: 'text', text } as const];
    return [{ role: 'assistant', content: [...said, ...calls.map((call) => callOf(call, ids))] }];
  };
}

/** An id of a call that every provider takes; each takes its own. */
const SAFE_ID = /^[a-zA-Z0-9_-]{1,64}$/;

function callOf(call: ToolCall, ids: ReadonlyMap<string, string>) {
  return {
    type: 'tool-call',
    toolCallId: ids.get(call.id) ?? call.id,
    toolName: toolName(call.name),
    input: objectInput(call),
  } as const;
}

/** Engines whose requests have no mark for a failed call: it is said in the result. */
const WITHOUT_ERROR_MARK: ReadonlySet<EngineName> = new Set<EngineName>(['openai-compatible', 'bedrock']);

function resultOf(engine: EngineName, { id, name, output, error }: ToolResult, ids: ReadonlyMap<string, string>) {
  const text = output.trim() === '' ? '(nothing)' : output.toWellFormed();
  const isSaid = error && WITHOUT_ERROR_MARK.has(engine);
  return {
    type: 'tool-result',
    toolCallId: ids.get(id) ?? id,
    toolName: toolName(name),
    output: { type: error ? 'error-text' : 'text', value: isSaid ? `Error: ${text}` : text },
  } as const;
}
