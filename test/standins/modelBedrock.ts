import { crc32 } from 'node:zlib';
import { bearer, conversation, type Protocol, textOf } from './modelProtocol.ts';

const bedrockEvent = (type: string, payload: object) => ({ type, payload });

/** Bedrock's ConverseStream, in Amazon's binary event stream. `inputTokens` does not count what was read from a cache. */
export const bedrockConverse: Protocol = {
  name: 'bedrock',
  path: /\/model\/[^/]+\/converse-stream$/,
  basePath: '',
  contentType: 'application/vnd.amazon.eventstream',
  key: bearer,
  read: (body, path) => ({
    model: decodeURIComponent(/model\/([^/]+)\//.exec(path)?.[1] ?? ''),
    ...conversation(body.messages, textOf(body.system)),
  }),
  head: () => [bedrockEvent('messageStart', { role: 'assistant' })],
  reasoning: (text) => [
    bedrockEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text } } }),
    bedrockEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'c2ln' } } }),
    bedrockEvent('contentBlockStop', { contentBlockIndex: 0 }),
  ],
  text: (text) => [bedrockEvent('contentBlockDelta', { contentBlockIndex: 1, delta: { text } })],
  calls: (calls) =>
    calls.flatMap(({ id, name, pieces }, n) => [
      bedrockEvent('contentBlockStart', {
        contentBlockIndex: n + 2,
        start: { toolUse: { toolUseId: id, name } },
      }),
      ...pieces.map((input) =>
        bedrockEvent('contentBlockDelta', { contentBlockIndex: n + 2, delta: { toolUse: { input } } }),
      ),
      bedrockEvent('contentBlockStop', { contentBlockIndex: n + 2 }),
    ]),
  tail: ({ finish, usage }) => [
    bedrockEvent('contentBlockStop', { contentBlockIndex: 1 }),
    bedrockEvent('messageStop', {
      stopReason: { stop: 'end_turn', length: 'max_tokens', filter: 'content_filtered', calls: 'tool_use' }[finish],
    }),
    bedrockEvent('metadata', {
      usage: {
        inputTokens: usage.input - usage.cached - (usage.cacheWrites ?? 0),
        cacheReadInputTokens: usage.cached,
        cacheWriteInputTokens: usage.cacheWrites ?? 0,
        outputTokens: usage.output,
        totalTokens: usage.input + usage.output,
      },
      metrics: { latencyMs: 1 },
    }),
  ],
  error: (body) => [{ type: 'modelStreamErrorException', payload: body, exception: true }],
  encode: (frame) => eventStreamMessage(frame as { type: string; payload: object; exception?: boolean }),
};

/** One message of Amazon's event stream: lengths, their CRC, headers (name, type 7, text), payload, CRC of it all. */
function eventStreamMessage(frame: { type: string; payload: object; exception?: boolean }): Uint8Array {
  const headers = Buffer.concat(
    Object.entries({
      [frame.exception ? ':exception-type' : ':event-type']: frame.type,
      ':content-type': 'application/json',
      ':message-type': frame.exception ? 'exception' : 'event',
    }).map(([name, value]) => {
      const lengthOfValue = Buffer.alloc(2);
      lengthOfValue.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        lengthOfValue,
        Buffer.from(value),
      ]);
    }),
  );
  const payload = Buffer.from(JSON.stringify(frame.payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const whole = Buffer.concat([prelude, headers, payload]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(whole));
  return Buffer.concat([whole, end]);
}
