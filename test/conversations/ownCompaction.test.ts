import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TURN_TRIES } from '../../lib/domain/limits.ts';
import type { Engine } from '../../lib/ports/engine.ts';
import { ProviderError } from '../../lib/providers/faults.ts';
import type { User } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

type Compact = NonNullable<Engine['compact']>;

/** A chat with an answer, whose provider has a compaction of its own. */
async function talked(own: Compact): Promise<[Bot, User, ReturnType<typeof vi.fn<Compact>>]> {
  const [bot, ana] = [await world.bot(), world.somebody()];
  await bot.ask(ana, 'My cat is Mitzi');
  const compact = vi.fn<Compact>(own);
  Object.assign(bot.engine, { compact });
  return [bot, ana, compact];
}

const OWN: Compact = async () => ({ summary: 'Her cat is Mitzi.', usage: { inputTokens: 900, outputTokens: 9 } });
const compacted = async (bot: Bot, ana: User) =>
  (await bot.log(bot.privatePlace(ana))).find(({ type }) => type === 'context.compacted')?.data;

describe('SPEC 8.2: the provider’s own compaction', () => {
  test('stands in the place of an ordinary request, and is told what to keep', async () => {
    const [bot, ana, compact] = await talked(OWN);
    await bot.ask(ana, '/compact the name');
    expect(bot.engine.requests).toHaveLength(1);
    const [request, instructions] = compact.mock.calls[0] ?? [];
    expect(request?.messages).toEqual([
      { role: 'user', text: 'My cat is Mitzi' },
      { role: 'assistant', text: 'You said: My cat is Mitzi' },
    ]);
    expect(instructions).toMatch(/^You sum up a conversation[\s\S]*\n\nThe person asks to keep in mind: the name$/);
    expect(await compacted(bot, ana)).toMatchObject({
      ...{ trigger: 'manual', summary: 'Her cat is Mitzi.', usage: { inputTokens: 900, outputTokens: 9 } },
    });
    await bot.ask(ana, 'Her name?');
    expect(bot.engine.last.messages).toMatchObject([
      { text: expect.stringContaining('Her cat is Mitzi.\n</summary>\n\nHer name?') },
    ]);
  });

  test.each<[string, Compact]>([
    ['it has none for this model', async () => undefined],
    ['it gives nothing', async () => ({ summary: ' ', usage: {} })],
    ['it finds the context too long', async () => Promise.reject(new ProviderError('too-long', 'x'))],
    ['it does not know the request', async () => Promise.reject(new ProviderError('bad-request', 'x'))],
  ])('where %s, an ordinary request asks for the summary', async (_case, own) => {
    const [bot, ana] = await talked(own);
    bot.engine.reply('Asked for.');
    await bot.ask(ana, '/compact');
    expect(bot.engine.last.system).toMatch(/^You sum up a conversation/);
    expect(await compacted(bot, ana)).toMatchObject({ summary: 'Asked for.' });
  });

  test('another failure of it is one of the provider: it is tried again, then nothing has changed, and it is said', async () => {
    const [bot, ana, compact] = await talked(async () => Promise.reject(new ProviderError('overloaded', 'x')));
    await bot.say(ana, '/compact');
    await bot.settle();
    expect(bot.engine.requests).toHaveLength(1);
    expect(compact).toHaveBeenCalledTimes(TURN_TRIES);
    expect(bot.newest(ana).text).toMatch(/^I could not sum this conversation up, and nothing has changed\./u);
    expect(await compacted(bot, ana)).toBeUndefined();
  });
});

test('SPEC 8.1: all requests of a memory have one cache key, those of another one another, and it names nobody', async () => {
  const [bot, ana] = [await world.bot(), world.somebody()];
  const keyOf = async (text: string) => {
    await bot.ask(ana, text);
    return bot.engine.last.cacheKey ?? '';
  };
  const first = await keyOf('one');
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(first).not.toContain(String(ana.id));
  expect(await keyOf('two')).toBe(first);
  await bot.ask(ana, '/new');
  expect(await keyOf('three')).not.toBe(first);
});
