import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TranscriptMessage } from '../../lib/ports/engine.ts';
import type { ProviderRecord } from '../../lib/ports/tenants.ts';
import { check } from '../reliability/check.ts';
import { isSummary, type SeenRequest } from '../reliability/engine.ts';
import type { Act } from '../reliability/scenarios.ts';
import { World } from '../reliability/world.ts';

/** Four providers, one with two models; their windows hold what the scripts say and little more. */
const PROVIDERS = ['one', 'two', 'three', 'four'].map(
  (name): ProviderRecord => ({
    ...{ name, engine: 'openai-compatible', settings: {}, secrets: {} },
    models: (name === 'one' ? ['m', 'n'] : ['m']).map((id) => ({ id, contextWindow: 32_000 })),
  }),
);
const MODELS = ['one/m', 'one/n', 'two/m', 'three/m', 'four/m'];
/** Between two things that the person does: whatever a turn takes. */
const EVERY_MS = 30_000;

const word = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...['short', 'reads', 'both', 'filling', 'full', 'too-long'].map((s) => `{m} [${s}]`)),
  },
  { weight: 3, arbitrary: fc.constantFrom(...MODELS.map((model) => `/model ${model}`)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('/clear', '/undo', '/compact', '/new', '/resume 1', '/resume 2', '/goal win'),
  },
);
/** Two things at once, or one after the other is over. */
const acts = fc.array(fc.record({ say: word, after: fc.constantFrom(EVERY_MS, EVERY_MS, EVERY_MS, 700) }), {
  minLength: 4,
  maxLength: 14,
});

function actsOf(said: readonly { say: string; after: number }[]): Act[] {
  let at = 0;
  const goal: Act = { at, say: '/goal win' };
  const rest = said.map(({ say, after }): Act => {
    at += after;
    return { at, say };
  });
  return [goal, ...rest];
}

const RUNS = Number(process.env.CONCH_RUNS ?? (process.env.CONCH_LONG === '1' ? 3_000 : 150));

test('SPEC 5.2, 5.7, 8.2: a chat moves between four providers, is cleared, undone, compacted and resumed at random: every request holds exactly what the memory says', {
  timeout: 600_000,
}, async () => {
  const keeps = async (said: { say: string; after: number }[]) => {
    const world = new World({ name: 'providers', acts: actsOf(said), mode: 'trust', providers: PROVIDERS });
    await world.play();
    // Exactly the messages, answers, results and summaries in force, each call with its result, and the goal.
    expect(await check(world)).toEqual([]);
    for (const seen of world.provider.requests) if (!isSummary(seen.request)) checkSteps(world, seen);
  };
  await fc.assert(fc.asyncProperty(acts, keeps), { seed: Number(process.env.CONCH_SEED ?? 7), numRuns: RUNS });
});

/** Steps replay to the provider that made them, in its own form to that very model; to others they are told in words. */
function checkSteps({ provider: { requests } }: World, { provider, request }: SeenRequest): void {
  const reader = `${provider}/${request.model}`;
  const makerOf = (n: string | undefined) => requests.find((one) => String(one.n) === n);
  for (const message of request.messages) {
    for (const maker of callsIn(message).map((n) => makerOf(n))) expect(maker?.provider).toBe(provider);
    if (message.role !== 'assistant') continue;
    const [n] = callsIn(message);
    const made = n === undefined ? undefined : makerOf(n);
    const by = made && `${made.provider}/${made.request.model}`;
    expect(message.own).toEqual(by === reader ? { by } : undefined);
    for (const [, told] of message.text.matchAll(/I used the tool \w+ with \{"of":"(\d+)\.\d"\}/gu)) {
      expect(makerOf(told)?.provider).not.toBe(provider);
    }
  }
}

/** By which requests the calls in a message were made. */
function callsIn(message: TranscriptMessage): string[] {
  const calls = 'calls' in message ? (message.calls ?? []) : [];
  return calls.map(({ input }) => String((input as { of: string }).of).split('.')[0] ?? '');
}
