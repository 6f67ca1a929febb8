import type { MCPClient } from '@ai-sdk/mcp';
import type { ToolOutput } from '../ports/tools.ts';
import type { ToolServerError } from './fault.ts';
import { cut, oneLine, sizeOf } from './text.ts';

/** Longest result that a model reads, UTF-16 units. */
const RESULT_CHARS = 50_000;
const NAME_CHARS = 200;

type CallResult = Awaited<ReturnType<MCPClient['callTool']>>;
type PromptMessage = Awaited<ReturnType<MCPClient['getPrompt']>>['messages'][number];
type Part = { type: string } & Record<string, unknown>;

/** The text, as long as a model gets it. */
export function bounded(text: string): string {
  return cut(text, RESULT_CHARS, `There is more; only the first ${RESULT_CHARS} characters are here.`);
}

/** What a call gave, for a model: texts as they are, all else named in words. */
export function resultOf(result: CallResult): ToolOutput {
  const { content, structuredContent, toolResult, isError } = result as Record<string, unknown>;
  const parts = Array.isArray(content) ? (content as Part[]).map(partText) : [];
  const structured = structuredContent ?? toolResult;
  const text = parts.length > 0 || structured === undefined ? parts.join('\n\n') : (JSON.stringify(structured) ?? '');
  const given = text.trim() === '' ? '(The tool gave nothing.)' : text;
  return { text: given, ...(isError === true ? { error: true as const } : {}) };
}

/** The messages of a prompt; who speaks is said where it is not only the person. */
export function promptText(messages: readonly PromptMessage[]): string {
  const isOnlyUser = messages.every(({ role }) => role === 'user');
  const texts = messages.map(({ role, content }) => {
    const text = partText(content as unknown as Part);
    return isOnlyUser ? text : `${role === 'user' ? 'User' : 'Assistant'}: ${text}`;
  });
  return texts.join('\n\n') || '(The prompt is empty.)';
}

/** How each kind of content reads. */
const PARTS: Record<string, (part: Part) => string> = {
  text: ({ text }) => String(text ?? ''),
  image: (part) => `[An image${kindOf(part)}, ${sizeOf(bytesOf(part.data))}: it cannot be shown here.]`,
  audio: (part) => `[A recording${kindOf(part)}, ${sizeOf(bytesOf(part.data))}: it cannot be shown here.]`,
  resource: ({ resource }) => resourceText(resource as Record<string, unknown>),
  resource_link: (part) =>
    `[A link: ${oneLine(`${part.title ?? part.name ?? ''} ${part.uri ?? ''}`, NAME_CHARS)}${kindOf(part)}]`,
};

function partText(part: Part): string {
  const read = Object.hasOwn(PARTS, part.type) ? PARTS[part.type] : undefined;
  return read?.(part) ?? `[Something of the type ${oneLine(part.type, NAME_CHARS)}: it cannot be shown here.]`;
}

function resourceText(resource: Record<string, unknown>): string {
  const name = oneLine(String(resource.uri ?? ''), NAME_CHARS);
  if (typeof resource.text === 'string') return `[${name}]\n${resource.text}`;
  return `[A file: ${name}${kindOf(resource)}, ${sizeOf(bytesOf(resource.blob))}: it cannot be shown here.]`;
}

const kindOf = ({ mimeType }: Record<string, unknown>) =>
  typeof mimeType === 'string' && mimeType !== '' ? ` (${oneLine(mimeType, NAME_CHARS)})` : '';

/** How many bytes are in this base64. */
const bytesOf = (data: unknown) => (typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0);

/** What went wrong, for a model. */
export function failureOf(server: string, fault: ToolServerError): ToolOutput {
  const outcome = fault.mayHaveRun
    ? ' Whether the call was carried out is not known: do not simply repeat one that changes something.'
    : '';
  return { text: `The tool server “${server}” could not do this. ${fault.words}${outcome}`, error: true };
}
