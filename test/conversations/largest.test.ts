import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandContext } from '../../lib/commands/command.ts';
import type { Asker } from '../../lib/commands/gate.ts';
import { review } from '../../lib/commands/review.ts';
import { route } from '../../lib/conversations/route.ts';
import { modest } from '../../lib/domain/content.ts';
import type { Draft, Memory } from '../../lib/domain/events.ts';
import { fitted, LEFT_OUT } from '../../lib/domain/fitted.ts';
import {
  ANSWER_BYTES,
  ANSWER_LIMIT,
  EVENT_BYTES,
  GRANTS,
  MESSAGE_LIMIT,
  MESSAGES_WAITING,
} from '../../lib/domain/limits.ts';
import { initialState, type State, type Turn } from '../../lib/domain/state.ts';
import { jsonBytes } from '../../lib/domain/textSize.ts';
import { EXIT_PLAN_MODE } from '../../lib/domain/toolCalls.ts';
import type { EnginePart } from '../../lib/ports/engine.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';
import type { Tool } from '../../lib/ports/tools.ts';
import * as g from '../support/given.ts';
import { type Bot, World } from '../support/world.ts';

/** The largest of everything, into the real store, which refuses an item of more than 400 KB for good (DESIGN 2). */

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

/** Characters of one to six bytes a UTF-16 unit, as JSON. */
const SCRIPTS = ['x', '讀', '👋', '\u0001', '\ud800'];
const fill = (script: string, units: number) => script.repeat(Math.floor(units / script.length));
/** As much as an answer may have, or this share of it. */
const answerOf = (script: string, share = 1) =>
  fill(script, share * Math.min(ANSWER_LIMIT, (ANSWER_BYTES * script.length) / jsonBytes(script)));

const SEQ = 999_999_999_999;
const seqs = (most: number) => Array.from({ length: most }, (_, n) => SEQ - n);
const ids = (most: number) => Array.from({ length: most }, (_, n) => String(1_400_000_000_000_000_000n + BigInt(n)));

const memory: Required<Memory> = {
  ...{ id: SEQ, upTo: SEQ, summary: SEQ, last: SEQ },
  ...{ waited: seqs(MESSAGES_WAITING), messages: MESSAGES_WAITING },
};
const goal = '\u0001'.repeat(500);
const options = { model: `p/${'讀'.repeat(200)}`, effort: 'medium', fast: false, mode: 'plan' } as const;
const reading = { tokens: SEQ, model: options.model, compacted: true } as const;
const id = randomUUID();
const conversation = { conversation: SEQ, memory, first: SEQ, goal, plan: true, reading } as const;

const turn: Required<Turn> = {
  ...{ id, attempt: SEQ, leaseUntil: SEQ, kind: 'answer', messages: seqs(MESSAGES_WAITING), memory, options },
  ...{ start: SEQ, answers: SEQ, steps: SEQ, openStep: SEQ, parts: ids(300), reopened: true, stopAsked: true },
  ...{ tries: SEQ, notBefore: SEQ, answer: 'allow-chat' },
};

/** A state with all that it can hold at once, and more: a field that is added to it has to be given its largest here. */
const largest: Required<State> = {
  ...initialState,
  ...{
    ring: { entries: 'x'.repeat(12 * 32), floorS: SEQ },
    lastMessageAt: SEQ,
    conversation: SEQ,
    begun: true,
    first: SEQ,
  },
  ...{ memory, goal, options, modeBeforePlan: 'trust', waiting: seqs(MESSAGES_WAITING), turn },
  question: { id, kind: 'ToolApproval', turn, shown: SEQ },
  owed: {
    ...{ turn: id, attempt: SEQ, leaseUntil: SEQ, event: SEQ, answers: SEQ, question: id, reopened: true },
    ...{ shown: SEQ, tries: SEQ, parts: ids(2_000) },
  },
  clear: { seq: SEQ, memory, waiting: seqs(MESSAGES_WAITING), reading, before: SEQ },
  ...{ lastClear: SEQ, left: { ...conversation, leftAt: SEQ } },
  grants: Array.from({ length: GRANTS }, (_, n) => `${'s'.repeat(32)}/${'\u0001'.repeat(128)}#0123456${n % 10}`),
  ...{ compactAsked: SEQ, reading, gone: SEQ, strangerTold: 'owner-only', limitTold: SEQ, wrongClaims: seqs(5) },
};

async function store(draft: Draft, state: State): Promise<void> {
  const place = { tenant: 't', place: `p~${randomUUID()}~${'x'.repeat(900)}` };
  const event: StoredEvent = { ...draft, seq: 1, id: randomUUID(), at: g.NOON, state: { ...state, seq: 1 } };
  expect(await world.stores.log.append(place, event, { owed: true, first: true })).toEqual({ ok: true });
  expect(await world.stores.log.newest(place)).toEqual(event);
}

describe('with the largest state', () => {
  test('DESIGN 2: a worker’s largest event is stored, while a turn is held and nothing is owed', async () => {
    const { owed: _, ...held } = largest;
    for (const script of SCRIPTS) {
      const ended = g.turnEnded(seqs(MESSAGES_WAITING), { text: fill(script, EVENT_BYTES * 2) });
      const draft = fitted(ended);
      expect(Buffer.byteLength(JSON.stringify(draft.data))).toBeGreaterThan(EVENT_BYTES - 2_000);
      await store(draft, held);
    }
  });

  test('SPEC 2.1: a person’s largest message is stored, while a long reply is shown', async () => {
    const { turn: _, ...delivering } = largest;
    const name = '讀'.repeat(300);
    const attachments = Array.from({ length: 100 }, () => ({ kind: 'file' as const, name, ref: 'r'.repeat(500) }));
    const content = modest({
      text: '讀'.repeat(MESSAGE_LIMIT),
      forwardedFrom: name,
      quote: { text: '', by: name },
      attachments,
    });
    const to = { ...g.ADDRESS, token: 'x'.repeat(4_000) };
    const draft = g.draft('message', {
      ...g.base({ person: { id: name, name }, to }),
      content,
      memory: SEQ,
      conversation: SEQ,
      goal,
      options,
    });
    await store(draft, delivering);
  });

  test.each(SCRIPTS)(
    'DESIGN 2: the longest words that /review takes are stored, as they were typed and as they are read (%j)',
    async (script) => {
      const { turn: _, ...delivering } = largest;
      const asker: Asker = { role: 'let-in', group: false };
      const routed = (units: number) => {
        const text = `/review ${fill(script, units)}`;
        return route({ typed: text, content: { text }, addressed: true, namesUs: true }, asker);
      };
      let [fits, over] = [0, MESSAGE_LIMIT + 1];
      while (over - fits > 1) {
        const units = Math.floor((fits + over) / 2);
        if (routed(units).kind === 'command') fits = units;
        else over = units;
      }
      expect(routed(fits + script.length)).toMatchObject({
        kind: 'notice',
        notice: 'command-too-long',
        args: 'review',
      });
      const way = routed(fits);
      if (way.kind !== 'command') throw new Error('No command');
      const to = { ...g.ADDRESS, token: 'x'.repeat(4_000) };
      const context = { base: g.base({ to }), args: way.args };
      await store(review.decide(delivering, context as CommandContext), delivering);
    },
  );
});

/** How large a step of the model is: what it says, what it calls, what its provider keeps, what the tools give. */
interface Step {
  script: string;
  share: number;
  calls: number;
  idChars: number;
  inputChars: number;
  ownChars: number;
  outputChars: number;
  plans: boolean;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  script: fc.constantFrom(...SCRIPTS),
  share: fc.constantFrom(0, 0.5, 1),
  calls: fc.constantFrom(1, 8, 64),
  idChars: fc.constantFrom(4, 200, 1_400),
  inputChars: fc.constantFrom(0, 1_000, 12_000),
  ownChars: fc.constantFrom(0, 24_000),
  outputChars: fc.constantFrom(10, 50_000),
  plans: fc.boolean(),
});

function partsOf({ script, share, calls, idChars, inputChars, ownChars, plans }: Step): EnginePart[] {
  const all = Array.from({ length: calls }, (_, n): EnginePart => {
    const name = plans && n === 0 ? EXIT_PLAN_MODE : n % 2 ? 'find' : `nowhere${fill('x', idChars)}`;
    const input = { plan: fill(script, inputChars), ...(n === 2 ? { deep: [[[]]] } : {}) };
    return { type: 'call', call: { id: `${n}${'i'.repeat(idChars)}`, name, input } };
  });
  const own = ownChars === 0 ? {} : { own: { parts: fill(script, ownChars) } };
  return [
    { type: 'text', delta: answerOf(script, share) },
    ...all,
    {
      type: 'finish',
      usage: { inputTokens: 1, outputTokens: 1 },
      reason: 'tools',
      session: fill('s', share * 250_000),
      ...own,
    },
  ];
}

const toolsOf = ({ script, outputChars }: Pick<Step, 'script' | 'outputChars'>): Tool[] => [
  {
    ...{ name: 'find', title: 'desk: find', description: 'find', inputSchema: { type: 'object' }, grant: 'desk/find' },
    ...{ readOnly: true, run: async () => ({ text: fill(script, outputChars) }) },
  },
  {
    ...{
      name: 'write',
      title: fill('讀', 120),
      description: '',
      inputSchema: { type: 'object' },
      grant: fill('讀', 160),
    },
    ...{ readOnly: false, run: async () => ({ text: fill(script, outputChars) }) },
  },
];

const REFUSED = /event-too-large|larger than/u;

async function answered(bot: Bot): Promise<State> {
  const events = await bot.log(bot.textPlace('c'));
  expect(bot.logged.filter((line) => REFUSED.test(line))).toEqual([]);
  expect(bot.queue.waiting.count).toBe(0);
  const newest = events.at(-1);
  if (!newest) throw new Error('Nothing was written');
  return newest.state;
}

describe('a turn of the largest steps', () => {
  test.each(['trust', 'plan'] as const)(
    'DESIGN 2: each event is stored, and the turn comes to its end (%s)',
    async (mode) => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 3 }), async (steps) => {
          const bot = await world.bot({ settings: { mode } });
          bot.tools = steps[0] ? toolsOf(steps[0]) : [];
          for (const step of steps) bot.engine.parts(...partsOf(step));
          bot.engine.reply('Done.');
          await bot.sayText('c', 'go', 'm1');
          await bot.work();
          const { turn: running, owed } = await answered(bot);
          expect({ running, owed }).toEqual({});
        }),
        { numRuns: 12 },
      );
    },
    120_000,
  );

  test.each(SCRIPTS)('SPEC 7.5: the largest question is stored (%j)', async (script) => {
    const bot = await world.bot();
    bot.tools = toolsOf({ script, outputChars: 0 });
    const input = { text: fill(script, 200) };
    const calls = Array.from({ length: 64 }, (_, n): EnginePart => {
      return { type: 'call', call: { id: `${n}${'i'.repeat(150)}`, name: 'write', input } };
    });
    const finish = { type: 'finish', usage: {}, reason: 'tools', own: fill(script, 24_000) } as const;
    bot.engine.parts({ type: 'text', delta: answerOf(script) }, ...calls, finish);
    await bot.sayText('c', 'go', 'm1');
    await bot.work();
    const { question } = await answered(bot);
    expect(question).toMatchObject({ kind: 'ToolApproval' });
  });
});

describe('a compaction in mid-turn', () => {
  test('SPEC 8.8: what was said and the largest summary are stored together', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    bot.tools = toolsOf({ script: 'x', outputChars: 9 });
    const call = { type: 'call', call: { id: 'c', name: 'find', input: {} } } as const;
    const finish = { type: 'finish', usage: { inputTokens: 90_000, outputTokens: 1 }, reason: 'tools' } as const;
    bot.engine.reply('Hello.');
    await bot.ask(ana, 'hello');
    bot.engine.parts({ type: 'text', delta: fill('讀', 85_000) }, call, finish);
    bot.engine.parts({ type: 'text', delta: fill('\u0001', 60_000) }, { ...finish, reason: 'stop' });
    bot.engine.reply('Done.');
    await bot.ask(ana, 'go');
    const events = await bot.log(bot.privatePlace(ana));
    const compacted = events.find(({ type }) => type === 'context.compacted')?.data as {
      said: string;
      summary: string;
    };
    expect(compacted.said.endsWith(LEFT_OUT)).toBe(true);
    expect(bot.texts(ana).at(-1)).toBe('Done.');
  });
});
