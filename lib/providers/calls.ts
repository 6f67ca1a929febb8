import type { ToolCall, ToolResult } from '../domain/toolCalls.ts';
import type { TranscriptMessage } from '../ports/engine.ts';

/**
 * The transcript with each call beside its result, in the order of the calls. A call without a result or a result
 * without a call is left out: a provider refuses either for the rest of the conversation (SPEC 8.5). A step that lost a
 * call this way is no longer what its provider gave, so its `own` is left out as well.
 */
export function paired(messages: readonly TranscriptMessage[]): TranscriptMessage[] {
  return messages.flatMap((message, at): TranscriptMessage[] => {
    if (message.role === 'user') return [message];
    if (message.role === 'tool') return [];
    const { calls = [], own, ...said } = message;
    const next = messages[at + 1];
    const results = next?.role === 'tool' ? next.results : [];
    const pairs = calls.flatMap((call, index) => {
      const result = results.find(({ id }) => id === call.id);
      const isRepeated = calls.findIndex(({ id }) => id === call.id) < index;
      return result && !isRepeated ? [{ call, result }] : [];
    });
    if (pairs.length === 0) return [said];
    const isWhole = pairs.length === calls.length && own !== undefined;
    const step = { ...said, calls: pairs.map(({ call }) => call), ...(isWhole ? { own } : {}) };
    return [step, { role: 'tool', results: pairs.map(({ result }) => result) }];
  });
}

/**
 * The same in words, for a request that offers no tools: providers take no calls then. What a tool gave is fenced, so
 * that it cannot pass for the person's words.
 * @param messages in pairs.
 */
export function inWords(messages: readonly TranscriptMessage[]): TranscriptMessage[] {
  return messages.map((message): TranscriptMessage => {
    if (message.role === 'user') return message;
    if (message.role === 'tool') return { role: 'user', text: message.results.map(resultInWords).join('\n\n') };
    const { text, calls = [] } = message;
    const called = calls.map(({ name, input }) => `(used the tool ${toolName(name)} with ${JSON.stringify(input)})`);
    return { role: 'assistant', text: [text.trim(), ...called].filter(Boolean).join('\n\n') };
  });
}

/** What begins or ends the fence, however it is written: in a tool's words it is none. */
const FENCE = /<(?=[\s\p{Cc}\p{Cf}/]*tool-result)/giu;

function resultInWords({ name, output, error }: ToolResult): string {
  const attributes = `tool="${toolName(name)}"${error ? ' failed' : ''}`;
  return `<tool-result ${attributes}>\n${output.replace(FENCE, '&lt;')}\n</tool-result>`;
}

/** The name as every provider takes it; a model may have made one up. */
export function toolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}

/** The input as every provider takes it: an object. What a model wrote instead is said in the call's result. */
export function objectInput({ input }: ToolCall): Record<string, unknown> {
  return isObject(input) ? input : {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON without half a surrogate pair in its texts, which providers refuse. */
export function plainJson(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text === undefined) return undefined;
  return JSON.parse(text, (_key, part) => (typeof part === 'string' ? part.toWellFormed() : part));
}
