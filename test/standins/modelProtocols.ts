import { bedrockConverse } from './modelBedrock.ts';
import { bearer, conversation, type Protocol, textOf } from './modelProtocol.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const dataLine = (frame: unknown) => bytes(`data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`);
const eventLines = (frame: unknown) =>
  bytes(`event: ${(frame as { type: string }).type}\ndata: ${JSON.stringify(frame)}\n\n`);

const chatChunk = (rest: object) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'stand-in',
  ...rest,
});
const chatDelta = (delta: object, finish: string | null = null) =>
  chatChunk({ choices: [{ index: 0, delta, finish_reason: finish }] });

/** OpenAI's chat completions. Figures come in a chunk of their own, only if they were asked for. */
const chatCompletions: Protocol = {
  name: 'openai-compatible',
  path: /\/v1\/chat\/completions$/,
  basePath: '/v1',
  contentType: 'text/event-stream',
  key: bearer,
  read: (body) => ({ model: String(body.model), ...conversation(body.messages) }),
  head: () => [chatDelta({ role: 'assistant', content: '' })],
  reasoning: (text) => [chatDelta({ reasoning_content: text })],
  text: (text) => [chatDelta({ content: text })],
  // The first pieces of all calls, then the second ones.
  calls: (calls) => {
    const heads = calls.map(({ id, name }, index) =>
      chatDelta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    );
    const longest = Math.max(0, ...calls.map(({ pieces }) => pieces.length));
    const pieces = Array.from({ length: longest }, (_, n) =>
      calls.flatMap((call, index) =>
        call.pieces[n] === undefined
          ? []
          : [chatDelta({ tool_calls: [{ index, function: { arguments: call.pieces[n] } }] })],
      ),
    );
    return [...heads, ...pieces.flat()];
  },
  tail: ({ finish, usage }, body) => {
    const reasons = { stop: 'stop', length: 'length', filter: 'content_filter', calls: 'tool_calls' };
    const end = chatDelta({}, reasons[finish]);
    const figures = chatChunk({
      choices: [],
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached },
      },
    });
    const wanted = (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage;
    return wanted ? [end, figures, '[DONE]'] : [end, '[DONE]'];
  },
  error: (body) => [body],
  encode: dataLine,
};

/** Anthropic's messages. `input_tokens` does not count what was read from the cache. */
const anthropicMessages: Protocol = {
  name: 'anthropic',
  path: /\/v1\/messages$/,
  basePath: '/v1',
  contentType: 'text/event-stream',
  key: (headers) => headers['x-api-key'],
  read: (body) => ({ model: String(body.model), ...conversation(body.messages, textOf(body.system)) }),
  head: ({ model }, { usage }) => [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input - usage.cached - (usage.cacheWrites ?? 0),
          cache_creation_input_tokens: usage.cacheWrites ?? 0,
          cache_read_input_tokens: usage.cached,
          output_tokens: 1,
        },
      },
    },
    { type: 'ping' },
  ],
  reasoning: (text) =>
    anthropicBlock(0, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: text },
      { type: 'signature_delta', signature: 'c2ln' },
    ]),
  text: (text) => anthropicBlock(1, { type: 'text', text: '' }, [{ type: 'text_delta', text }]),
  calls: (calls) =>
    calls.flatMap(({ id, name, pieces }, n) =>
      anthropicBlock(
        n + 2,
        { type: 'tool_use', id, name, input: {} },
        pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
    ),
  tail: ({ finish, usage }) => [
    {
      type: 'message_delta',
      delta: {
        stop_reason: { stop: 'end_turn', length: 'max_tokens', filter: 'refusal', calls: 'tool_use' }[finish],
        stop_sequence: null,
      },
      usage: { output_tokens: usage.output },
    },
    { type: 'message_stop' },
  ],
  error: (body) => [body],
  encode: eventLines,
};

function anthropicBlock(index: number, block: object, deltas: object[]): unknown[] {
  return [
    { type: 'content_block_start', index, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

const responseOf = (rest: object) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  model: 'stand-in',
  ...rest,
});

/** OpenAI's Responses. */
const openaiResponses: Protocol = {
  name: 'openai',
  path: /\/v1\/responses$/,
  basePath: '/v1',
  contentType: 'text/event-stream',
  key: bearer,
  read: (body) => ({ model: String(body.model), ...conversation(body.input, textOf(body.instructions)) }),
  head: () => [{ type: 'response.created', sequence_number: 0, response: responseOf({ status: 'in_progress' }) }],
  reasoning: (text) => [
    responsesItem('added', 0, { type: 'reasoning', id: 'rs_1', summary: [] }),
    responsesSummary('added', { part: { type: 'summary_text', text: '' } }),
    { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', output_index: 0, summary_index: 0, delta: text },
    responsesSummary('done', { part: { type: 'summary_text', text } }),
    responsesItem('done', 0, {
      type: 'reasoning',
      id: 'rs_1',
      encrypted_content: 'gAAAAA-encrypted',
      summary: [{ type: 'summary_text', text }],
    }),
  ],
  text: (text) => [
    responsesItem('added', 1, { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] }),
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: text },
    responsesItem('done', 1, {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    }),
  ],
  calls: (calls) =>
    calls.flatMap(({ id, name, pieces }, n) => {
      const item = { type: 'function_call', id: `fc_${n + 1}`, call_id: id, name };
      return [
        responsesItem('added', n + 2, { ...item, status: 'in_progress', arguments: '' }),
        ...pieces.map((delta) => ({
          type: 'response.function_call_arguments.delta',
          item_id: item.id,
          output_index: n + 2,
          delta,
        })),
        responsesItem('done', n + 2, { ...item, status: 'completed', arguments: pieces.join('') }),
      ];
    }),
  tail: ({ finish, usage }) => {
    const reasons = { length: 'max_output_tokens', filter: 'content_filter' } as const;
    const reason = finish === 'length' || finish === 'filter' ? reasons[finish] : undefined;
    const response = responseOf({
      status: reason ? 'incomplete' : 'completed',
      incomplete_details: reason ? { reason } : null,
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.input + usage.output,
      },
    });
    return [{ type: reason ? 'response.incomplete' : 'response.completed', sequence_number: 9, response }];
  },
  error: (body) => [body],
  encode: eventLines,
};

const responsesItem = (state: 'added' | 'done', index: number, item: object) => ({
  type: `response.output_item.${state}`,
  output_index: index,
  item,
});
const responsesSummary = (state: 'added' | 'done', rest: object) => ({
  type: `response.reasoning_summary_part.${state}`,
  item_id: 'rs_1',
  output_index: 0,
  summary_index: 0,
  ...rest,
});

const geminiPart = (part: object) => ({ candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] });

/** Gemini's streamGenerateContent, as server-sent events. */
const geminiStream: Protocol = {
  name: 'google',
  path: /\/v1beta\/models\/[^/]+:streamGenerateContent$/,
  basePath: '/v1beta',
  contentType: 'text/event-stream',
  key: (headers) => headers['x-goog-api-key'],
  read: (body, path) => ({
    model: decodeURIComponent(/models\/([^/]+):/.exec(path)?.[1] ?? ''),
    ...conversation(body.contents, textOf((body.systemInstruction as { parts?: unknown } | undefined)?.parts)),
  }),
  head: () => [],
  reasoning: (text) => [geminiPart({ text, thought: true })],
  text: (text) => [geminiPart({ text })],
  // Gemini gives a call whole, and signs the first of a step.
  calls: (calls) =>
    calls.map(({ id, name, pieces }, n) =>
      geminiPart({
        functionCall: { id, name, args: JSON.parse(pieces.join('') || '{}') },
        ...(n === 0 ? { thoughtSignature: 'c2ln' } : {}),
      }),
    ),
  tail: ({ finish, usage }) => [
    {
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ text: '' }] },
          finishReason: { stop: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY', calls: 'STOP' }[finish],
        },
      ],
      usageMetadata: {
        promptTokenCount: usage.input,
        cachedContentTokenCount: usage.cached,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.output,
      },
    },
  ],
  error: (body) => [body],
  encode: dataLine,
};

export const PROTOCOLS: readonly Protocol[] = [
  chatCompletions,
  anthropicMessages,
  openaiResponses,
  geminiStream,
  bedrockConverse,
];
