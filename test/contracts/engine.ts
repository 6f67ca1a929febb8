import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { EXIT_PLAN_MODE } from '../../lib/domain/toolCalls.ts';
import type { Engine, EnginePart, EngineRequest, EngineSettings } from '../../lib/ports/engine.ts';
import { ProviderError } from '../../lib/providers/faults.ts';
import { DEFAULT_USAGE, ModelStandIn } from '../standins/model.ts';
import type { Protocol } from '../standins/modelProtocol.ts';
import { FAULTS_BY_STATUS, type FaultCase } from './engineFaults.ts';

/** The person's words in these tests: they must not stand in an error. */
const WORDS = 'the-words-of-the-person';
const KEY = 'canary-key-4f1d9c7a2b';

/** A request with a system prompt and a message. */
export function requestOf(rest: Partial<EngineRequest> = {}): EngineRequest {
  return { model: 'model-1', system: 'Be brief.', messages: [{ role: 'user', text: WORDS }], ...rest };
}

/** Everything that a step gives. */
export async function partsOf(engine: Engine, request: EngineRequest, signal = neverAborted()): Promise<EnginePart[]> {
  return Array.fromAsync(engine.run(request, signal));
}

/** The texts of a step, joined. */
export async function answerOf(engine: Engine, request: EngineRequest): Promise<string> {
  return textOf(await partsOf(engine, request));
}

function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

function textOf(parts: EnginePart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.delta : '')).join('');
}

/** What differs between engines for the rules that hold for each of them. */
export interface EngineSubject {
  name: string;
  open: () => Promise<Engine>;
  /** Sees to it that the answer to the request takes longer than two seconds, in many pieces. */
  slowRequest: () => EngineRequest;
}

/** The rules of every engine. */
export function engineContract({ name, open, slowRequest }: EngineSubject): void {
  describe(`engine ${name}`, () => {
    test('SPEC 13.3: streams its text in pieces, then exactly one finish, with figures', async () => {
      const parts = await partsOf(await open(), requestOf());
      expect(parts.filter(({ type }) => type === 'text').length).toBeGreaterThan(1);
      expect(parts.filter(({ type }) => type === 'finish')).toHaveLength(1);
      const last = parts.at(-1);
      expect(last).toMatchObject({ type: 'finish', reason: 'stop' });
      expect(last?.type === 'finish' && last.usage.inputTokens).toBeGreaterThan(0);
      expect(last?.type === 'finish' && last.usage.outputTokens).toBeGreaterThan(0);
      expect(textOf(parts)).toContain(WORDS);
    });

    test('SPEC 4.10: an abort in mid-stream ends it within a second, with the reason of the signal', async () => {
      const stop = new AbortController();
      const reason = new Error('stopped by the person');
      let abortedAt = 0;
      const read = async () => {
        for await (const part of (await open()).run(slowRequest(), stop.signal)) {
          if (part.type === 'finish') throw new Error('It went on to its end');
          if (abortedAt === 0) {
            abortedAt = performance.now();
            stop.abort(reason);
          }
        }
      };
      await expect(read()).rejects.toBe(reason);
      expect(performance.now() - abortedAt).toBeLessThan(1_000);
    });

    test('SPEC 4.10: a signal that is aborted already asks nothing', async () => {
      const reason = new Error('stopped before');
      await expect(partsOf(await open(), requestOf(), AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    test('SPEC 7.1: an engine asks to start by itself if it says so, and only then', async () => {
      const engine = await open();
      const request = requestOf({ mayAskToStart: true, messages: [{ role: 'user', text: 'Book a room.' }] });
      const parts = await partsOf(engine, request);
      const calls = parts.flatMap((part) => (part.type === 'call' ? [part.call] : []));
      const plan = { id: expect.any(String), name: EXIT_PLAN_MODE, input: { plan: expect.stringMatching(/\S/) } };
      expect(calls).toEqual(engine.planApproval === 'native' ? [plan] : []);
      expect(parts.at(-1)).toMatchObject({ reason: calls.length > 0 ? 'tools' : 'stop' });
    });

    test('SPEC 14.3: one engine serves two requests at once', async () => {
      const engine = await open();
      const [one, two] = await Promise.all([answerOf(engine, requestOf()), answerOf(engine, requestOf())]);
      expect(one).toContain(WORDS);
      expect(two).toContain(WORDS);
    });
  });
}

/** What differs between the engines that ask a model API. */
export interface ApiEngineSubject {
  protocol: Protocol['name'];
  open: (settings: EngineSettings) => Engine;
  /** The provider's own errors. */
  faults: FaultCase[];
  /** The provider's error event in a stream that has begun, which says that it is overloaded or fails. */
  overloadedEvent: unknown;
}

/** The rules of every engine that asks a model API, against the stand-in. */
export function apiEngineContract({ protocol, open, faults, overloadedEvent }: ApiEngineSubject): void {
  let standIn: ModelStandIn;
  const settings = (): EngineSettings => ({ apiKey: KEY, baseURL: standIn.baseURL(protocol), settings: {} });
  const engine = () => open(settings());

  beforeAll(async () => {
    standIn = await ModelStandIn.start(KEY);
  });
  beforeEach(() => standIn.reset());
  afterAll(() => standIn.close());

  engineContract({
    name: protocol,
    open: async () => engine(),
    slowRequest: () => {
      standIn.reply({ chunks: Array.from({ length: 60 }, (_, n) => `${n} `), delayMs: 50 });
      return requestOf();
    },
  });

  describe(`engine ${protocol}: what it asks`, () => {
    test('SPEC 6.2: the system prompt and every message arrive, in order, at the model of the request', async () => {
      const messages = [
        { role: 'user', text: 'one' },
        { role: 'assistant', text: 'two' },
        { role: 'user', text: 'three' },
        { role: 'assistant', text: 'four' },
        { role: 'user', text: 'five' },
      ] as const;
      await partsOf(
        engine(),
        requestOf({ model: 'vendor.some-model', system: 'The system.', messages: [...messages] }),
      );
      expect(standIn.last.asked).toEqual({ model: 'vendor.some-model', system: 'The system.', messages });
      expect(standIn.requests).toHaveLength(1);
    });

    test('case 112: a blank message or half a surrogate pair does not spoil the history', async () => {
      await partsOf(
        engine(),
        requestOf({
          messages: [
            { role: 'user', text: 'a\ud83d b' },
            { role: 'assistant', text: ' \n' },
            { role: 'user', text: 'c' },
          ],
        }),
      );
      const text = JSON.stringify(standIn.last.asked.messages);
      expect(text).toContain('a\ufffd b');
      expect(standIn.last.asked.messages.map((message) => message.text.trim())).not.toContain('');
    });

    test('SPEC 14.2: without a key of the tenant, the key of the environment is not used', async () => {
      if (protocol === 'openai-compatible') return;
      for (const name of ENVIRONMENT_KEYS) vi.stubEnv(name, KEY);
      const error = await failureOf(open({ baseURL: standIn.baseURL(protocol), settings: {} }));
      vi.unstubAllEnvs();
      expect(error.fault).toBe('unauthorized');
      expect(standIn.requests).toHaveLength(0);
    });
  });

  describe(`engine ${protocol}: what it hears`, () => {
    test('SPEC 13.3: the pieces come as they were sent, in order', async () => {
      const chunks = ['Hel', 'lo ', 'wörld ', '👩‍👩‍👧', '\n\n', '**x**'];
      standIn.reply({ chunks, delayMs: 5 });
      expect(await answerOf(engine(), requestOf())).toBe(chunks.join(''));
    });

    test('SPEC 8.1: the figures are all that was read, cached or not, and what was written', async () => {
      const { input, output, cached } = DEFAULT_USAGE;
      const parts = await partsOf(engine(), requestOf());
      expect(parts.at(-1)).toEqual({
        type: 'finish',
        reason: 'stop',
        usage: { inputTokens: input, outputTokens: output, cachedTokens: cached },
      });
    });

    test.each([
      ['length', 'length'],
      ['filter', 'refused'],
    ] as const)('SPEC 13.5: an answer cut by %s says so', async (finish, reason) => {
      standIn.reply({ chunks: ['half'], finish });
      expect((await partsOf(engine(), requestOf())).at(-1)).toMatchObject({ type: 'finish', reason });
    });

    test('case 110: an answer without text, thought about or not, is a finish alone', async () => {
      standIn.empty();
      standIn.empty('Let me think.');
      for (const _ of ['empty', 'reasoning only']) {
        const parts = await partsOf(engine(), requestOf());
        expect(parts.map(({ type }) => type)).toEqual(['finish']);
      }
    });

    test('DESIGN 3: a reader that stops, or aborts, closes the request to the provider', async () => {
      standIn.breakOff(['a', 'b'], 1, 'hang');
      for await (const part of engine().run(requestOf(), neverAborted())) if (part.type === 'text') break;
      await vi.waitFor(() => expect(standIn.last.closedAt).toBeDefined(), { timeout: 1_000 });

      standIn.hang();
      const stop = new AbortController();
      const reading = partsOf(engine(), requestOf(), stop.signal);
      await vi.waitFor(() => expect(standIn.requests).toHaveLength(2));
      stop.abort(new Error('stopped'));
      await expect(reading).rejects.toThrow('stopped');
      await vi.waitFor(() => expect(standIn.last.closedAt).toBeDefined(), { timeout: 1_000 });
    });
  });

  describe(`engine ${protocol}: failures`, () => {
    test.each([...FAULTS_BY_STATUS, ...faults])('SPEC 13.5: $case ($status) is $fault', async (row) => {
      standIn.fail(row.status, row.body, row.headers);
      const error = await failureOf(engine());
      expect(error.fault).toBe(row.fault);
      expect(error.retryAfterMs).toBe(row.retryAfterMs);
      expect(standIn.requests).toHaveLength(1);
    });

    test('SPEC 13.5: what the person wrote never decides what a failure is', async () => {
      const text = 'insufficient_quota context_length_exceeded model_not_found content_filter invalid_api_key';
      const request = requestOf({ system: text, messages: [{ role: 'user', text }] });
      standIn.fail(400, {});
      expect((await failureOf(engine(), request)).fault).toBe('bad-request');
      standIn.breakOff(['a', 'b'], 1, 'reset');
      expect((await failureOf(engine(), request)).fault).toBe('unreachable');
    });

    test('SPEC 4.10: a signal that is aborted already sends nothing', async () => {
      await expect(partsOf(engine(), requestOf(), AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
      expect(standIn.requests).toHaveLength(0);
    });

    test('SPEC 13.5: a wait until a date is counted from now', async () => {
      standIn.fail(429, {}, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
      const { retryAfterMs } = await failureOf(engine());
      expect(retryAfterMs).toBeGreaterThan(55_000);
      expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    });

    test.each([['reset'], ['end']] as const)('SPEC 13.5: a stream that breaks off (%s) is unreachable', async (how) => {
      for (const chunks of [2, 0]) {
        standIn.breakOff(['a', 'b', 'c'], chunks, how);
        expect((await failureOf(engine())).fault).toBe('unreachable');
      }
    });

    test('SPEC 13.5: an error event after the first words is what it says', async () => {
      standIn.breakOff(['a', 'b'], 1, { error: overloadedEvent });
      expect(['overloaded', 'failing']).toContain((await failureOf(engine())).fault);
    });

    test('SPEC 13.5: a host that nobody listens on is unreachable', async () => {
      const error = await failureOf(open({ ...settings(), baseURL: 'http://127.0.0.1:1/v1' }));
      expect(error).toMatchObject({ fault: 'unreachable', retryable: true });
    });

    test('SPEC 14.2: a key that the provider repeats in its answer stands in no error', async () => {
      const error = await failureOf(open({ ...settings(), apiKey: `wrong-${KEY}` }));
      expect(error.fault).toBe('unauthorized');
      const body = { error: { message: KEY, type: KEY, code: KEY, status: KEY } };
      standIn.fail(400, body);
      expect((await failureOf(engine())).fault).toBe('bad-request');
    });

    test('SPEC 14.2: a redirect is not followed, so that no key goes to another host', async () => {
      const other = await ModelStandIn.start(KEY);
      standIn.fail(307, {}, { location: `${other.baseURL(protocol)}/elsewhere` });
      await failureOf(engine());
      standIn.fail(308, {}, { location: other.baseURL(protocol) + standIn.last.path.replace(/^\/v1(beta)?/, '') });
      await failureOf(engine());
      expect(other.requests).toHaveLength(0);
      await other.close();
    });
  });
}

const ENVIRONMENT_KEYS = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
];

/** The error of a step that must fail, after a look for what must not be in it (SPEC 14.2). */
export async function failureOf(engine: Engine, request = requestOf()): Promise<ProviderError> {
  const outcome = await partsOf(engine, request).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(ProviderError);
  const error = outcome as ProviderError;
  const printed = [inspect(error, { depth: 20, showHidden: true }), error.stack, JSON.stringify(error)].join('\n');
  expect(printed).not.toContain(KEY);
  expect(printed).not.toContain(WORDS);
  expect(printed).not.toMatch(/<html>|message"/);
  return error;
}
