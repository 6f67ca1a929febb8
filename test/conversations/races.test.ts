import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { append } from '../../lib/conversations/append.ts';
import * as decide from '../../lib/domain/decide.ts';
import { contentOf, type Draft, eventOf } from '../../lib/domain/events.ts';
import { fold } from '../../lib/domain/evolve.ts';
import type { State } from '../../lib/domain/state.ts';
import { initialState } from '../../lib/domain/state.ts';
import { decideClaim, decideEnd } from '../../lib/domain/turns.ts';
import { base, NOON } from '../support/given.ts';
import { VirtualTime } from '../support/virtualTime.ts';
import { type Bot, SECRETS, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const FAR = NOON + 10 ** 9;
const finish = { outcome: 'complete', text: 'ok', contextTokens: 7 } as const;

/** What one writer may want; undefined: it has nothing to append on this state. */
const intents: Record<string, (state: State) => Draft | undefined> = {
  message: (state) => decide.decideMessage(state, base(), { text: 'hi' }),
  clear: (state) => decide.decideClear(state, base()),
  undo: (state) => decide.decideUndo(state, base()),
  goal: (state) => decide.decideGoal(state, base(), `goal ${state.seq}`),
  new: (state) => decide.decideNew(state, base(), { text: 'hello' }),
  goBack: (state) => decide.decideGoBack(state, base(), state.left?.leftAt ?? 0),
  stop: (state) => decide.decideStop(state, base()),
  claim: (state) => decideClaim(state, { now: FAR, turnId: `t${state.seq}`, options: {}, hintUntil: FAR + 90_000 }),
  end: (state) => state.turn && decideEnd(state, { turn: state.turn.id, attempt: state.turn.attempt }, finish, NOON),
  deliver: ({ owed }) => owed && { type: 'reply.delivered', data: { turn: owed.turn, attempt: owed.attempt } },
};

let places = 0;

test('SPEC 2.2, 2.4: of writers that race none loses an event, and every event carries the fold from the first', async () => {
  const writer = fc.array(fc.constantFrom(...Object.keys(intents)), { minLength: 1, maxLength: 6 });
  const property = fc.asyncProperty(fc.array(writer, { minLength: 2, maxLength: 5 }), async (writers) => {
    places += 1;
    const place = { tenant: 'races', place: `place-${places}` };
    const deps = { log: world.stores.log, runtime: new VirtualTime(`r${places}-`) };
    const write = async (names: string[]) => {
      let count = 0;
      let state = initialState;
      for (const name of names) {
        const outcome = await append<'nothing'>(deps, place, state, (current) => {
          const draft = intents[name]?.(current);
          return draft ? { draft } : { give: 'nothing' };
        });
        count += 'event' in outcome ? 1 : 0;
        state = 'event' in outcome ? outcome.event.state : outcome.state;
      }
      return count;
    };
    const counts = await Promise.all(writers.map(write));
    const log = await Array.fromAsync(world.stores.log.range(place, { from: 1 }));
    expect(log).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
    for (const [index, event] of log.entries()) {
      expect(event.seq).toBe(index + 1);
      expect(event.state).toStrictEqual(fold(log.slice(0, index + 1)));
    }
  });
  await fc.assert(property, { numRuns: 16, seed: 4_711 });
});

const say = ['hi', '/clear', '/undo', '/goal whales', '/new', '/new hello', '/stop', '/status', 'more', '/goal clear'];

/** Two webhooks' processes, a worker that comes and goes, and one person who presses and types at once. */
async function atOnce(bot: Bot, texts: string[]): Promise<void> {
  const ana = world.somebody();
  const updates = texts.map((text) => bot.updates.privateMessage(text, ana));
  const twice = updates.flatMap((update, n) => (n % 3 === 0 ? [update, update] : [update]));
  await Promise.all([...twice.map((update) => bot.deliver(update)), bot.work(), bot.work()]);
  for (const update of updates) await bot.deliver(update);
  bot.time.advance(70_000);
  await bot.settle();
  const log = await bot.log(bot.privatePlace(ana));
  const keys = log.flatMap(({ data }) => (data as { delivery?: { key: string } }).delivery?.key ?? []);
  expect(keys).toHaveLength(texts.length);
  expect(new Set(keys).size).toBe(texts.length);
  const answered = log.flatMap((event) => eventOf(event, 'turn.ended')?.data.messages ?? []);
  expect(new Set(answered).size).toBe(answered.length);
  for (const seq of answered) expect(contentOf(log[seq - 1] ?? ({ ...log[0], data: {} } as never))).toBeDefined();
  expect(log.at(-1)?.state.waiting).toEqual([]);
  expect(log.at(-1)?.state.owed).toBeUndefined();
}

test('SPEC 2.2, 2.3: webhooks, redeliveries and workers that race leave one event each, and nothing owed', async () => {
  const bot = await world.bot();
  const property = fc.asyncProperty(fc.array(fc.constantFrom(...say), { minLength: 3, maxLength: 9 }), (texts) =>
    atOnce(bot, texts),
  );
  await fc.assert(property, { numRuns: 10, seed: 4_712 });
});

test('SPEC 14.2: no secret in a log line, an event or a reply, also when everything fails', async () => {
  const [bot, ana] = [await world.bot(), world.somebody()];
  bot.engine.fail('unauthorized');
  await bot.ask(ana, 'hi');
  bot.engine.fail('unreachable');
  await bot.ask(ana, 'again');
  await bot.settle();
  world.telegram.fail({ kind: 'reset', effect: false }, { method: 'sendMessage', times: 3 });
  await bot.say(ana, '/status');
  world.telegram.fail({ kind: 'refuse', code: 401, description: 'Unauthorized' }, { method: 'sendMessage' });
  await bot.ask(ana, 'and again');
  bot.faults.set('append', { when: 'before', times: 1 });
  await bot.deliver(bot.updates.privateMessage('more', ana));
  await bot.settle();
  const all = [bot.logged.join('\n'), JSON.stringify(await bot.log(bot.privatePlace(ana))), ...bot.texts(ana)].join();
  expect(bot.logged.length).toBeGreaterThan(4);
  for (const secret of [...Object.values(SECRETS), world.telegram.token]) expect(all).not.toContain(secret);
});
