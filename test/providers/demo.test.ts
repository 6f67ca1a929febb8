import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../lib/commands/registry.ts';
import { goalPrompt } from '../../lib/domain/goal.ts';
import type { EngineRequest, TranscriptMessage } from '../../lib/ports/engine.ts';
import { demoEngine, type Sleep } from '../../lib/providers/demo.ts';
import { answerOf, engineContract, partsOf, requestOf } from '../contracts/engine.ts';

const atOnce: Sleep = async () => {};
const quick = demoEngine({ settings: {} }, atOnce);
const user = (text: string): TranscriptMessage => ({ role: 'user', text });
const assistant = (text: string): TranscriptMessage => ({ role: 'assistant', text });
const ask = (text: string, rest: Partial<EngineRequest> = {}) =>
  answerOf(quick, requestOf({ messages: [user(text)], ...rest }));

engineContract({
  name: 'demo',
  open: async () => demoEngine({ settings: { delayMs: '1' } }),
  slowRequest: () => requestOf({ messages: [user('Write me a long answer')] }),
});

describe('demo engine', () => {
  test('SPEC 1: the same request gets the same answer, and another one another', async () => {
    expect(await ask('Tell me about tides')).toBe(await ask('Tell me about tides'));
    expect(await ask('Tell me about tides')).not.toBe(await ask('Tell me about dunes'));
  });

  test('SPEC 6.2: quotes the goal that the system prompt holds, without its fence', async () => {
    const goal = 'Plan the party\n</goal> and <b>sing</b>';
    const system = `You are Conch.\n\n${goalPrompt(goal)}`;
    const answer = await ask('What is your goal?', { system });
    expect(answer).toContain('> Plan the party\n> </goal> and <b>sing</b>');
    expect(answer).not.toContain('> >');
    expect(await ask('what is my goal', { system: 'You are Conch.' })).toContain('No goal is set');
  });

  test('SPEC 5.2: tells what is in its memory, and only that', async () => {
    const messages = [user('My cat is Tom'), assistant('Nice.'), user('What did I say?')];
    expect(await answerOf(quick, requestOf({ messages }))).toContain('- My cat is Tom');
    expect(await ask('What did I say?')).toContain('I remember nothing');
  });

  test('SPEC 8.2: summarises what the person said', async () => {
    const messages = [user('My cat is Tom'), assistant('Nice.'), user('Summarise the conversation')];
    expect(await answerOf(quick, requestOf({ messages }))).toContain('- My cat is Tom');
  });

  test('SPEC 4.1: every command that it names is one of the registry', async () => {
    const named = (await ask('Which commands are there?')).match(/`\/\w+`/g) ?? [];
    expect(named.length).toBeGreaterThan(3);
    for (const name of named) expect(COMMANDS.map((row) => `\`/${row.name}\``)).toContain(name);
  });

  test.each([
    ['What is Conch?', /backend for chat bots/],
    ['what can you do', /built-in demo engine/],
    ['Hello there', /^Hello!/],
    ['Show me a table', /\n\| Queen conch \|/],
    ['Show me some code', /\n```ts\n[\s\S]*\n```\n/],
    ['', /nothing that I can read/],
  ])('SPEC 13.1: %j shows what Markdown can do', async (text, expected) => {
    expect(await ask(text)).toMatch(expected);
  });

  test('SPEC 13.2: a long answer is longer than one message of any app', async () => {
    expect((await ask('Give me a long answer')).length).toBeGreaterThan(4_096);
  });

  test.each([
    ['what is 12 * 7?', '**84**'],
    ['2 + 3 * (4 - 1)', '**11**'],
    ['-3 + 1', '**-2**'],
    ['0.1+0.2', '**0.3**'],
    ['9 ÷ 2 please', '**4.5**'],
  ])('calculates %j', async (text, expected) => {
    expect(await ask(text)).toContain(expected);
  });

  test.each([['1 / 0'], ['2 +'], ['1 2 + 3'], ['call 555-'], [`${'('.repeat(5_000)}1+1`]])(
    'does not calculate %j',
    async (text) => {
      expect(await ask(text)).toContain('You said:');
    },
  );

  test('a message of any size is answered at once', async () => {
    const startedAt = performance.now();
    for (const text of ['1'.repeat(200_000), 'the '.repeat(50_000), '('.repeat(200_000), '1+'.repeat(100_000)]) {
      await ask(text);
    }
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  test('SPEC 8.1: the figures grow with what is read and what is written', async () => {
    const short = (await partsOf(quick, requestOf({ messages: [user('tides')] }))).at(-1);
    const long = (await partsOf(quick, requestOf({ messages: [user('tides '.repeat(100))] }))).at(-1);
    if (short?.type !== 'finish' || long?.type !== 'finish') throw new Error('No finish');
    expect(long.usage.inputTokens).toBeGreaterThan(short.usage.inputTokens ?? 0);
    expect(long.usage.outputTokens).toBeGreaterThan(short.usage.outputTokens ?? 0);
  });

  test('an answer over the limit is cut, and says so', async () => {
    const parts = await partsOf(quick, requestOf({ messages: [user('a long answer')], maxOutputTokens: 20 }));
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
    expect(parts.at(-1)).toHaveProperty(
      'usage.outputTokens',
      expect.toSatisfy((tokens: number) => tokens <= 20),
    );
  });

  test('SPEC 13.3: pauses before each word, for as long as its settings say', async () => {
    const pauses: number[] = [];
    const engine = demoEngine({ settings: { delayMs: '40' } }, async (ms) => void pauses.push(ms));
    const parts = await partsOf(engine, requestOf());
    expect(pauses).toEqual(parts.slice(1).map(() => 40));
  });
});
