import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ToolCall, ToolResult } from '../../lib/domain/toolCalls.ts';
import type { Engine, EnginePart, EngineRequest, EngineSettings, TranscriptMessage } from '../../lib/ports/engine.ts';
import { ModelStandIn } from '../standins/model.ts';
import type { Protocol, StreamedCall } from '../standins/modelProtocol.ts';
import { failureOf, partsOf, requestOf } from './engine.ts';

/** The tools of these tests, not in the order of their names. */
export const TOOLS = [
  {
    name: 'search',
    description: 'Looks something up.',
    inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  },
  { name: 'now', description: 'Tells the time.', inputSchema: { type: 'object', properties: {} } },
] as const;

/** Two calls in one step, the first in pieces, the second without a word of input. */
export const TWO_CALLS: StreamedCall[] = [
  { id: 'call_1', name: 'search', pieces: ['{"q":', '"sh', 'ells"}'] },
  { id: 'call_2', name: 'now', pieces: [] },
];

/** A request that offers the tools. */
export const withTools = (rest: Partial<EngineRequest> = {}): EngineRequest => requestOf({ tools: TOOLS, ...rest });

export const callsIn = (parts: readonly EnginePart[]): ToolCall[] =>
  parts.flatMap((part) => (part.type === 'call' ? [part.call] : []));

/** The step's own form, as it comes back from a log. */
export function ownIn(parts: readonly EnginePart[]): unknown {
  const last = parts.at(-1);
  const own = last?.type === 'finish' ? last.own : undefined;
  return own === undefined ? undefined : JSON.parse(JSON.stringify(own));
}

/** The conversation after a step with these calls, and what they gave. */
export function afterStep(calls: ToolCall[], results: ToolResult[], own?: unknown): TranscriptMessage[] {
  return [
    { role: 'user', text: 'the-words-of-the-person' },
    { role: 'assistant', text: 'Let me look.', calls, ...(own === undefined ? {} : { own }) },
    { role: 'tool', results },
  ];
}

const FOUND = { id: 'call_1', name: 'search', output: 'Found three.' };
const TIME = { id: 'call_2', name: 'now', output: 'Noon.' };
const SEARCH = { id: 'call_1', name: 'search', input: { q: 'shells' } };
const NOW = { id: 'call_2', name: 'now', input: {} };

/** The rules of tools for every engine that asks a model API, against the stand-in. */
export function engineToolsContract(
  protocol: Protocol['name'],
  model: string,
  open: (settings: EngineSettings) => Engine,
): void {
  let standIn: ModelStandIn;
  const engine = () => open({ apiKey: standIn.apiKey, baseURL: standIn.baseURL(protocol), settings: {} });
  const sent = () => JSON.stringify(standIn.last.body);
  const ask = (rest: Partial<EngineRequest> = {}) => partsOf(engine(), withTools({ model, ...rest }));

  beforeAll(async () => {
    standIn = await ModelStandIn.start();
  });
  beforeEach(() => standIn.reset());
  afterAll(() => standIn.close());

  describe(`engine ${protocol}: the calls that it hears`, () => {
    test('SPEC 7.1: tools are offered by name, with description and schema, and none where none are given', async () => {
      await ask();
      for (const { name, description } of TOOLS) {
        expect(sent()).toContain(JSON.stringify(name));
        expect(sent()).toContain(JSON.stringify(description));
      }
      expect(sent()).toContain('"required":["q"]');
      await partsOf(engine(), requestOf({ model }));
      expect(sent()).not.toMatch(/tool/i);
    });

    test('a step gives its words, then each call whole and in order, and waits for the results', async () => {
      standIn.reply({ chunks: ['Let me ', 'look.'], calls: TWO_CALLS });
      const parts = await ask();
      expect(parts.map(({ type }) => type)).toEqual(['text', 'text', 'call', 'call', 'finish']);
      expect(callsIn(parts)).toEqual([SEARCH, NOW]);
      expect(parts.at(-1)).toMatchObject({ reason: 'tools', usage: { inputTokens: 120, outputTokens: 30 } });
      expect(standIn.requests).toHaveLength(1);
    });

    test('a call without a word before it', async () => {
      standIn.reply({ chunks: [], reasoning: 'Hm.', calls: [{ id: 'call_1', name: 'now', pieces: ['{}'] }] });
      expect((await ask()).map(({ type }) => type)).toEqual(['call', 'finish']);
    });

    test('a tool that was not offered is a call all the same, so that it can be answered', async () => {
      standIn.reply({ chunks: [], calls: [{ id: 'call_1', name: 'format_disk', pieces: ['{"now":true}'] }] });
      const parts = await ask();
      expect(callsIn(parts)).toEqual([{ id: 'call_1', name: 'format_disk', input: { now: true } }]);
      expect(parts.at(-1)).toMatchObject({ reason: 'tools' });
    });

    test.skipIf(protocol === 'google')('arguments that are no JSON come as they were written', async () => {
      for (const [pieces, finish] of [
        [['{"q": shells'], 'calls'],
        [['{"q":', '"she'], 'length'],
      ] as const) {
        standIn.reply({ chunks: [], finish, calls: [{ id: 'call_1', name: 'search', pieces: [...pieces] }] });
        const parts = await ask();
        expect(callsIn(parts)).toEqual([{ id: 'call_1', name: 'search', input: pieces.join('') }]);
        expect(parts.at(-1)).toMatchObject({ reason: 'tools' });
      }
    });

    test('a step with calls waits for their results whatever its server says, unless it was refused', async () => {
      for (const [finish, reason] of [
        ['stop', 'tools'],
        ['length', 'tools'],
        ['filter', 'refused'],
      ] as const) {
        standIn.reply({ chunks: [], finish, calls: TWO_CALLS });
        expect((await ask()).at(-1)).toMatchObject({ type: 'finish', reason });
      }
    });

    test('SPEC 13.5: a stream that breaks off within a call is unreachable, and nothing is called', async () => {
      standIn.breakOff({ chunks: ['a'], calls: TWO_CALLS }, 1, 'end');
      expect((await failureOf(engine(), withTools({ model }))).fault).toBe('unreachable');
    });
  });

  describe(`engine ${protocol}: the calls that it sends again`, () => {
    test('a step is sent again as its provider gave it, whatever else the transcript says of it', async () => {
      standIn.reply({ chunks: ['Let me look.'], reasoning: 'Hm.', calls: TWO_CALLS });
      const own = ownIn(await ask({ effort: 'high' }));
      expect(own).toBeDefined();
      const step = afterStep([SEARCH, NOW], [FOUND, TIME], own);
      await ask({ effort: 'high', messages: step });
      expect(sent()).toContain('Hm.');
      const before = sent();
      await ask({
        effort: 'high',
        messages: step.map((one) => (one.role === 'assistant' ? { ...one, text: '' } : one)),
      });
      expect(sent()).toBe(before);
    });

    test.each([
      ['of another engine', { version: 1, engine: 'demo', parts: [{ type: 'text', text: 'OWN' }] }],
      ['of another version', { version: 9, engine: protocol, parts: [{ type: 'text', text: 'OWN' }] }],
      ['without calls', { version: 1, engine: protocol, parts: [{ type: 'text', text: 'OWN' }] }],
      ['with parts that are none', { version: 1, engine: protocol, parts: [{ type: 'OWN' }] }],
      ['that is no object', 'OWN'],
    ])('a step in a form %s is sent as its words and calls', async (_case, own) => {
      await ask({ messages: afterStep([SEARCH], [FOUND]) });
      const plain = sent();
      await ask({ messages: afterStep([SEARCH], [FOUND], own) });
      expect(sent()).toBe(plain);
      for (const part of ['Let me look.', 'shells', 'Found three.']) expect(plain).toContain(part);
    });

    test('a step that is too large to be kept has no form of its own', async () => {
      const q = 'x'.repeat(151_000);
      standIn.reply({ chunks: [], calls: [{ id: 'call_1', name: 'search', pieces: [JSON.stringify({ q })] }] });
      const parts = await ask();
      expect(callsIn(parts)[0]?.input).toEqual({ q });
      expect(ownIn(parts)).toBeUndefined();
    });

    test('SPEC 8.5: a call without its result, or a result without its call, is never sent', async () => {
      const lost: [TranscriptMessage[], string[]][] = [
        [afterStep([SEARCH, NOW], [FOUND]), ['call_2']],
        [afterStep([SEARCH], [FOUND, TIME]), ['call_2', 'Noon.']],
        [afterStep([SEARCH, NOW], []), ['call_1', 'call_2']],
        [afterStep([], [FOUND]), ['call_1', 'Found three.']],
        [
          [{ role: 'tool', results: [FOUND] }, ...afterStep([NOW], [TIME])],
          ['call_1', 'Found three.'],
        ],
        [
          [...afterStep([SEARCH, NOW], [FOUND, TIME]).slice(0, 2), { role: 'user', text: 'And?' }],
          ['call_1', 'call_2', 'Noon.'],
        ],
      ];
      for (const [messages, parts] of lost) {
        await ask({ messages: [...messages, { role: 'user', text: 'go on' }] });
        for (const part of parts) expect(sent()).not.toContain(part);
        expect(sent()).toContain('the-words-of-the-person');
      }
    });

    test('SPEC 8.5: without tools on offer, calls and results are told in words, fenced', async () => {
      const results = [{ ...FOUND, output: 'Found </tool-result> three.' }];
      await partsOf(engine(), requestOf({ model, messages: afterStep([SEARCH], results) }));
      expect(sent()).not.toContain('call_1');
      const text = standIn.last.asked.messages.map((message) => message.text).join('\n');
      expect(text).toContain('Let me look.\n\n(used the tool search with {"q":"shells"})');
      expect(text).toContain('<tool-result tool="search">\nFound &lt;/tool-result> three.\n</tool-result>');
    });

    test('what no provider takes is sent as what each takes', async () => {
      const calls = [
        { id: 'functions.search:0', name: 'my search!', input: '{"q": shells' },
        { id: 'functions.search:0', name: 'twice', input: {} },
      ];
      const results = [{ id: 'functions.search:0', name: 'my search!', output: '\ud83d ', error: true as const }];
      await ask({ messages: afterStep(calls, results) });
      expect(sent()).not.toMatch(/functions\.search|my search|twice|\\ud83d/);
      expect(sent()).toContain('my_search_');
      await ask({ messages: afterStep([SEARCH], [{ ...FOUND, output: ' ' }]) });
      expect(sent()).toContain('(nothing)');
    });
  });
}
