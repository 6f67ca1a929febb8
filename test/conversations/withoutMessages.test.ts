import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { telegram } from '../../lib/channels/telegram/index.ts';
import type { ReplyContext } from '../../lib/commands/command.ts';
import { question } from '../../lib/commands/question.ts';
import type { EnginePart } from '../../lib/ports/engine.ts';
import type { Tool } from '../../lib/ports/tools.ts';
import { World } from '../support/world.ts';
import { Room } from './room.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const limits = { deliversMessages: false };

describe('where an app delivers no messages, a sentence that asks for one names /ask (SPEC 12.2, 13.5)', () => {
  test('a greeting', async () => {
    const room = await Room.open({ limits });
    expect((await room.say('/start')).text).toMatch(/^Hello\. Ask me anything with \/ask; I answer here\./u);
  });

  test('whoever is let in', async () => {
    const room = await Room.open({ limits, access: 'list' });
    await room.say('hi', 'ben');
    const asked = room.messages.find(({ labels }) => labels.includes('Let in'));
    await room.press('Let in', 'ana', asked);
    expect(room.messages.findLast(({ chat }) => chat === 'ben')?.text).toContain('Write to me with /ask as you like;');
  });

  test('Keep planning', () => {
    const context = {
      event: { type: 'question.answered', data: { answer: 'keep' } },
      asker: { role: 'owner', group: false, withoutMessages: true },
      slash: (name: string) => `/${name}`,
    } as unknown as ReplyContext;
    expect(question.reply(context).markdown).toBe('Still planning. Tell me with /ask what to change.');
  });

  test.each<[string, EnginePart, string]>([
    [
      'a turn that has taken all its steps',
      { type: 'finish', usage: {}, reason: 'tools' },
      'I stopped after 1 step, as many as one answer may take. Tell me with /ask to go on if I should.',
    ],
    ['an answer that was cut off', { type: 'finish', usage: {}, reason: 'length' }, 'Ask me with /ask to go on.'],
  ])('%s', async (_case, finish, words) => {
    const [bot, ana] = [await world.bot({ settings: { stepsPerTurn: 1 } }), world.somebody()];
    bot.deps.apps.telegram = { ...telegram, limits: { ...telegram.limits, ...limits } };
    bot.tools = [
      {
        ...{ name: 'find', title: 'find', description: 'Finds.', readOnly: true, destructive: false, grant: 'find' },
        ...{ inputSchema: { type: 'object' }, run: async () => ({ text: 'found' }) },
      } satisfies Tool,
    ];
    const call: EnginePart = { type: 'call', call: { id: 'c', name: 'find', input: {} } };
    bot.engine.parts(
      { type: 'text', delta: 'So.' },
      ...(finish.type === 'finish' && finish.reason === 'tools' ? [call] : []),
      finish,
    );
    await bot.ask(ana, 'look');
    expect(bot.newest(ana).text).toContain(words);
  });
});
