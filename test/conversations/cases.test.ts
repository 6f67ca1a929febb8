import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentOf } from '../../lib/domain/events.ts';
import { wordsOf } from '../../lib/ports/engine.ts';
import { group } from '../standins/telegram.ts';
import { type Bot, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

type Person = ReturnType<World['somebody']>;
let groups = 0;
const freshGroup = () => group(-3_000_000 - ++groups);
const asked = (bot: Bot) =>
  bot.engine.requests.map(({ messages }) => wordsOf(messages.at(-1) ?? { role: 'user', text: '' }));
const contents = async (bot: Bot, who: Person) =>
  (await bot.log(bot.privatePlace(who))).flatMap((event) => contentOf(event) ?? []);
const commandsIn = async (bot: Bot, chat: { id: number }, who: Person) =>
  (await bot.log(bot.groupPlace(chat.id, who))).map(({ data }) => (data as { command?: string }).command);

describe('reading a message, on Telegram', () => {
  test.each(['@acme_bot /new', '/new@acme_bot', '/NEW@Acme_Bot'])('cases A 1, 4: in a group %j runs', async (text) => {
    const [bot, ana, chat] = [await world.bot(), world.somebody(), freshGroup()];
    await bot.deliver(bot.updates.groupMessage(text, ana, chat));
    expect(await commandsIn(bot, chat, ana)).toEqual(['new']);
  });

  test.each(['/анекдот', '/status@other_bot', '/imagine a cat'])(
    'cases A 2, 19: in a group %j is not ours',
    async (text) => {
      const [bot, ana, chat] = [await world.bot(), world.somebody(), freshGroup()];
      await bot.deliver(bot.updates.groupMessage(text, ana, chat));
      expect(await bot.log(bot.groupPlace(chat.id, ana))).toEqual([]);
      expect(bot.texts(chat.id)).toEqual([]);
    },
  );

  test.each([' /status', '\u00a0/status', '\u200b/status', '\n\t/status'])('case A 14: %j runs', async (text) => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, text);
    expect(bot.newest(ana).text).toContain('Goal: none');
    expect(bot.engine.requests).toEqual([]);
  });

  test.each([
    '```\n/clear\n```',
    'Try this:\n```\n/clear\n```',
    '`/clear`',
    'Is /model or /plan better here?',
    'that is not /tmp/x',
    '/usr/bin/env: not found, why?',
    '/README.md is empty',
  ])('cases A 7, 10, 11, 13: %j reaches the model byte for byte', async (text) => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, text);
    expect(asked(bot)).toEqual([text]);
    expect(await bot.types(ana)).not.toContain('context.cleared');
  });

  test('case A 20: an edited message runs no command and begins no turn', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, 'hi');
    const before = await bot.types(ana);
    const message = bot.updates.message({ id: ana.id, type: 'private' }, ana, '/clear');
    for (const text of ['/clear', 'hello']) await bot.deliver(bot.updates.edited(message, text));
    await bot.work();
    expect(await bot.types(ana)).toEqual(before);
  });

  test('cases A 22, 25: a caption and a forward are content, never a command', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const { text: _, entities: __, ...photo } = bot.updates.message({ id: ana.id, type: 'private' }, ana, '');
    const file = { file_id: 'f', file_unique_id: 'u', width: 1, height: 1 };
    await bot.deliver(bot.updates.update('message', { ...photo, photo: [file], caption: '/plan redo this chart' }));
    await bot.say(ana, '/settings', { forward_origin: { type: 'hidden_user', sender_user_name: 'Ben', date: 1 } });
    expect(await contents(bot, ana)).toMatchObject([
      { text: '/plan redo this chart', attachments: [{ kind: 'image' }] },
      { text: '/settings', forwardedFrom: 'Ben' },
    ]);
  });

  test('case A 23: of a reply the person’s own words count', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, 'hi');
    const replied = (text: string) => ({
      reply_to_message: bot.updates.message({ id: ana.id, type: 'private' }, ana, text),
    });
    await bot.say(ana, 'thanks', replied('/clear'));
    await bot.work();
    expect(await bot.types(ana)).not.toContain('context.cleared');
    await bot.say(ana, '/clear', replied('thanks'));
    expect((await bot.types(ana)).at(-1)).toBe('context.cleared');
  });

  test('case A 26: what a bot says is nothing to us', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.deliver(bot.updates.privateMessage('/help', { ...ana, is_bot: true }));
    expect(await bot.types(ana)).toEqual([]);
  });

  test('case A 28: a slip is asked about, and can be sent as it was typed', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, '/statsu');
    expect(
      bot
        .newest(ana)
        .buttons.flat()
        .map(({ text }) => text),
    ).toEqual(['/status', 'Send as a message']);
    await bot.ask(ana, '/imagine a cat');
    expect(bot.engine.requests).toEqual([]);
    await bot.deliver(bot.press(ana, bot.newest(ana), 'Send as a message'));
    await bot.work();
    expect(asked(bot)).toEqual(['/imagine a cat']);
  });

  test('case A 29: a message and a command right after it are both dealt with', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.say(ana, 'draft a mail');
    await bot.say(ana, '/status');
    await bot.work();
    expect(asked(bot)).toEqual(['draft a mail']);
    expect(bot.texts(ana).join('\n')).toMatch(/1 message waiting.*You said: draft a mail/su);
  });
});

describe('order', () => {
  test('case G 95: /stop is never read by the model, then or later', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    const held = bot.engine.hold('So far ');
    await bot.say(ana, 'a long question');
    const working = bot.workOnce();
    await held.begun;
    await bot.say(ana, '/stop');
    held.finish('all.');
    await working;
    await bot.ask(ana, 'next');
    expect(asked(bot)).toEqual(['a long question', 'next']);
    expect(bot.engine.requests.flatMap(({ messages }) => messages.map(wordsOf)).join()).not.toContain('/stop');
  });

  test('cases G 98, H 106: what waited is dropped by /new, and Go back brings the conversation back', async () => {
    const [bot, ana] = [await world.bot(), world.somebody()];
    await bot.ask(ana, 'My name is Ana.');
    await bot.say(ana, 'And what is yours?');
    await bot.say(ana, '/new');
    await bot.work();
    expect(asked(bot)).toEqual(['My name is Ana.']);
    expect(bot.newest(ana).text).toContain('1 message that was waiting is dropped.');
    await bot.deliver(bot.press(ana, bot.newest(ana), 'Go back'));
    await bot.ask(ana, 'Who am I?');
    expect(bot.engine.requests.at(-1)?.messages.map(wordsOf).join()).toContain('My name is Ana.');
  });
});
