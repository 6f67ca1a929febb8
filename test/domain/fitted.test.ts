import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modest, sizeOf } from '../../lib/domain/content.ts';
import { type Draft, type DraftOf, knownEvent } from '../../lib/domain/events.ts';
import { fitted, LEFT_OUT } from '../../lib/domain/fitted.ts';
import { EVENT_BYTES, MESSAGE_LIMIT } from '../../lib/domain/limits.ts';
import { jsonBytes } from '../../lib/domain/textSize.ts';
import { anyDraft } from '../support/arbitraryEvents.ts';
import * as g from '../support/given.ts';

/** One to six bytes a UTF-16 unit, as JSON. */
const characters = fc.constantFrom('x', '"', 'é', '讀', '👋', '\u0001', '\ud800');
const text = (mostChars: number) =>
  fc.tuple(characters, fc.integer({ min: 0, max: mostChars })).map(([one, chars]) => one.repeat(chars / one.length));
const ids = text(1_000).map((id) => `i${id}`);

const held = { turn: 't', attempt: 1, memory: 0 };
const [n, leaseUntil] = [1, g.NOON];
const MUCH = 200_000;

function draftOf(type: Draft['type'], data: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Draft> {
  const all = fc.record(data).map((made) => ({ ...held, n, leaseUntil, ...made }));
  return all.map((made) => ({ type, data: JSON.parse(JSON.stringify(made)) }) as Draft);
}

const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

const large: fc.Arbitrary<Draft> = fc.oneof(
  draftOf('step', {
    ...{ text: text(MUCH), own: maybe(text(MUCH)), session: maybe(text(MUCH)) },
    calls: fc.array(fc.record({ id: ids, name: ids, input: text(1_000) }), { maxLength: 12 }),
  }),
  draftOf('tool.result', {
    results: fc.array(fc.record({ id: ids, name: ids, output: text(MUCH) }), { minLength: 1, maxLength: 12 }),
  }),
  draftOf('turn.ended', {
    ...{ outcome: fc.constant('complete'), messages: fc.constant([1]), text: text(MUCH), session: maybe(text(MUCH)) },
    lastStepAt: maybe(fc.nat(MUCH)),
  }).map((draft) => {
    const { text: said, lastStepAt = 0, ...data } = (draft as DraftOf<'turn.ended'>).data;
    return { ...draft, data: { ...data, text: said, lastStepAt: Math.min(lastStepAt, said.length) } } as Draft;
  }),
  draftOf('question.asked', {
    ...{ messages: fc.constant([1]), question: fc.constant('q'), kind: fc.constant('ExitPlanMode') },
    ...{ text: maybe(text(MUCH)), plan: maybe(text(MUCH)) },
  }),
  draftOf('context.compacted', { upTo: fc.constant(1), summary: text(MUCH), said: maybe(text(MUCH)) }),
);

const bytesOf = ({ data }: Draft) => Buffer.byteLength(JSON.stringify(data));
const stored = (draft: Draft) => knownEvent({ ...draft, seq: 1, id: 'id', at: 0 });

describe('an event as the store can hold it', () => {
  test('DESIGN 2: whatever a provider or a tool says, its data takes no more bytes than it may, and it says what it left out', () => {
    fc.assert(
      fc.property(large, (draft) => {
        const fitting = fitted(draft);
        expect(bytesOf(fitting)).toBeLessThanOrEqual(EVENT_BYTES);
        expect(stored(fitting)).toBeDefined();
        if (bytesOf(draft) <= EVENT_BYTES) expect(fitting).toBe(draft);
        const { session: _, own: __, ...words } = draft.data as { session?: string; own?: unknown };
        const cut = bytesOf({ ...draft, data: words } as Draft) > EVENT_BYTES;
        if (cut) expect(JSON.stringify(fitting)).toContain(LEFT_OUT);
      }),
      { numRuns: 100 },
    );
  });

  test('SPEC 2.1: what fits is left as it is', () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        expect(fitted(draft)).toBe(draft);
      }),
    );
  });

  test('a step gives up its provider’s own form before its words', () => {
    const step = (more: object) =>
      g.draft('step', { ...{ turn: 't', attempt: 1, memory: 0, n: 1, text: 'x'.repeat(200_000), calls: [] }, ...more });
    expect(fitted(step({ own: 'x'.repeat(100_000) }))).toEqual(step({}));
  });

  test('what the steps before said gives way before the answer, and the answer is still told apart', () => {
    const answer = 'a'.repeat(100_000);
    const lead = 'b'.repeat(250_000);
    const ended = g.turnEnded([1], { text: `${lead}\n\n${answer}`, lastStepAt: lead.length + 2 });
    const { text: said, lastStepAt } = (fitted(ended) as DraftOf<'turn.ended'>).data;
    expect(said.slice(lastStepAt)).toBe(answer);
    expect(said.slice(0, lastStepAt)).toMatch(new RegExp(`^b{170000,}${LEFT_OUT.replaceAll(/[[\].]/g, '\\$&')}\n\n$`));
  });

  test('of several results the longest give way', () => {
    const results = ['short', 'x'.repeat(200_000), '讀'.repeat(60_000)].map((output, at) => ({
      id: `${at}`,
      name: 'n',
      output,
    }));
    const fitting = fitted(g.draft('tool.result', { turn: 't', attempt: 1, memory: 0, n: 1, results }));
    const [first, ...others] = (fitting as DraftOf<'tool.result'>).data.results.map(({ output }) => output);
    expect(first).toBe('short');
    for (const output of others) {
      expect(output.endsWith(LEFT_OUT)).toBe(true);
      expect(jsonBytes(output)).toBeGreaterThan(139_000);
    }
  });
});

describe('a person’s message', () => {
  test('counts as many characters as it has, and more where JSON writes them long', () => {
    for (const one of ['x', '\n', '"', 'é', '讀', '👋']) expect(sizeOf(one.repeat(50_000))).toBe(50_000 * one.length);
    expect(sizeOf('\u0001'.repeat(50_000))).toBe(100_000);
    expect(sizeOf('\u0001'.repeat(10_000), '\ud800'.repeat(25_000), undefined)).toBe(70_000);
  });

  test('that is taken takes at most three bytes a character of the limit', () => {
    fc.assert(
      fc.property(fc.array(text(40_000), { maxLength: 3 }), (texts) => {
        const bytes = texts.reduce((sum, one) => sum + jsonBytes(one), 0);
        if (sizeOf(...texts) <= MESSAGE_LIMIT) expect(bytes).toBeLessThanOrEqual(3 * MESSAGE_LIMIT);
      }),
    );
  });

  test('has names of a common length, and no more attachments than fit', () => {
    const file = (name: string) => ({ kind: 'file' as const, name, mimeType: 'text/plain', ref: 'r'.repeat(500) });
    const attachments = [file('a'.repeat(5_000)), ...Array.from({ length: 300 }, (_, at) => file(`f${at}`))];
    const long = 'b'.repeat(5_000);
    const content = modest({ text: 'hi', quote: { text: 'so', by: long }, forwardedFrom: long, attachments });
    expect(content.quote).toEqual({ text: 'so', by: `${'b'.repeat(199)}…` });
    expect(content.forwardedFrom).toBe(`${'b'.repeat(199)}…`);
    const kept = content.attachments ?? [];
    expect(kept[0]?.name).toBe(`${'a'.repeat(199)}…`);
    expect(kept.at(-1)).toEqual({ kind: 'other', name: `${301 - (kept.length - 1)} more`, ref: '' });
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(21_000);
    const small = { text: 'hi', attachments: [file('a'), file('b')] };
    expect(modest(small)).toEqual(small);
  });
});
