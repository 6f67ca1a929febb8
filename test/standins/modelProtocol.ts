/** What a request asked for, whichever protocol it came in. */
export interface AskedModel {
  model: string;
  system: string;
  messages: { role: 'user' | 'assistant'; text: string }[];
}

/** What an answer's frames are made from. */
export interface AnswerShape {
  finish: 'stop' | 'length' | 'filter' | 'calls';
  usage: { input: number; output: number; cached: number; cacheWrites?: number };
}

/** A call of a tool as it is streamed: the pieces together are the JSON of its arguments. */
export interface StreamedCall {
  id: string;
  name: string;
  pieces: string[];
}

/** A JSON body as it came. */
export type Body = Record<string, unknown>;

/** How one model API speaks: its path, where the key stands, and the frames of a streamed answer. */
export interface Protocol {
  name: 'openai-compatible' | 'openai' | 'anthropic' | 'google' | 'bedrock';
  path: RegExp;
  /** What a client's base URL has after the host. */
  basePath: string;
  contentType: string;
  key(headers: Record<string, string>): string | undefined;
  read(body: Body, path: string): AskedModel;
  head(asked: AskedModel, shape: AnswerShape): unknown[];
  /** What it thinks, with what the provider wants to see again: a signature or the encrypted thoughts. */
  reasoning(text: string): unknown[];
  text(text: string): unknown[];
  /** All calls of a step. A provider that may stream several at once does so. */
  calls(calls: readonly StreamedCall[]): unknown[];
  tail(shape: AnswerShape, body: Body): unknown[];
  /** An error event inside a stream. */
  error(body: unknown): unknown[];
  encode(frame: unknown): Uint8Array;
}

/** The key of an `authorization` header. */
export const bearer = (headers: Record<string, string>) => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];

/** The text of a message's content: a string, or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('');
}

type RawMessage = { role?: string; content?: unknown; parts?: unknown };

/** Splits a list of messages into the system's words and the conversation. */
export function conversation(list: unknown, system = ''): Omit<AskedModel, 'model'> {
  const messages = (Array.isArray(list) ? list : []) as RawMessage[];
  const isSystem = ({ role }: RawMessage) => role === 'system' || role === 'developer';
  return {
    system: [system, ...messages.filter(isSystem).map(({ content }) => textOf(content))].filter(Boolean).join('\n'),
    messages: messages
      .filter((message) => !isSystem(message))
      .map(({ role, content, parts }) => ({
        role: role === 'user' ? 'user' : 'assistant',
        text: textOf(content ?? parts),
      })),
  };
}
