import { type AssistantContent, type AssistantModelMessage, assistantModelMessageSchema, type ModelMessage } from 'ai';
import type { ToolCall } from '../domain/toolCalls.ts';
import type { EngineName } from '../ports/tenants.ts';
import { isObject, plainJson, toolName } from './calls.ts';

type Parts = Exclude<AssistantContent, string>;

/** A step as the AI SDK gives it to be sent again: thoughts with their signatures, texts, calls. */
interface OwnStep {
  /** Raised when this shape changes; an older one is not replayed. */
  version: 1;
  engine: EngineName;
  parts: Parts;
}

/** The most that an event has room for beside its text and calls, UTF-8 bytes. */
const MAX_OWN_BYTES = 150_000;

/** The step in the form that `replayed` reads, plain JSON; undefined if there is none, or it is too large to be kept. */
export function ownStep(engine: EngineName, messages: readonly ModelMessage[]): unknown {
  const said = messages.find((message): message is AssistantModelMessage => message.role === 'assistant');
  if (!said || typeof said.content === 'string') return undefined;
  const step: OwnStep = { version: 1, engine, parts: said.content.filter(isWorthKeeping) };
  const json = JSON.stringify(step);
  return Buffer.byteLength(json) <= MAX_OWN_BYTES ? plainJson(step) : undefined;
}

/** Blank text is refused by providers, unless it carries something of theirs, such as a signature. */
function isWorthKeeping(part: Parts[number]): boolean {
  return !('text' in part) || part.text.trim() !== '' || part.providerOptions !== undefined;
}

/**
 * The step exactly as its provider gave it. Undefined if `own` is of another engine or version, is malformed, or has
 * other calls than the step: then text and calls are sent.
 */
export function replayed(
  engine: EngineName,
  own: unknown,
  calls: readonly ToolCall[],
): AssistantModelMessage | undefined {
  if (!isObject(own) || own.version !== 1 || own.engine !== engine) return undefined;
  const read = assistantModelMessageSchema.safeParse({ role: 'assistant', content: own.parts });
  if (!read.success || typeof read.data.content === 'string') return undefined;
  const made = read.data.content.filter((part) => part.type === 'tool-call');
  const isSame = made.length === calls.length && made.every(({ toolCallId }, at) => toolCallId === calls[at]?.id);
  const isSound = made.every(({ input, toolName: name }) => isObject(input) && toolName(name) === name);
  return isSame && isSound ? read.data : undefined;
}
