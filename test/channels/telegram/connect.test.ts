import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { telegram } from '../../../lib/channels/telegram/index.ts';
import { fittedMenu } from '../../../lib/channels/telegram/menu.ts';
import { ALLOWED_UPDATES } from '../../../lib/channels/telegram/payload.ts';
import type { Channel } from '../../../lib/ports/chatApp.ts';
import vectors from '../../fixtures/telegram/vectors.json' with { type: 'json' };
import { TelegramStandIn } from '../../standins/telegram.ts';
import { channel as connected, SECRET, signed } from './channel.ts';

let standIn: TelegramStandIn;
let channel: Channel;
beforeEach(async () => {
  standIn = await TelegramStandIn.start();
  channel = { ...connected, apiRoot: standIn.root, secrets: { token: standIn.token, webhookSecret: SECRET } };
});
afterEach(() => standIn.close());

describe('the secret of the webhook', () => {
  test.each(vectors.vectors)('header $name: $expect', ({ header, expect: expected }) => {
    const body = new TextEncoder().encode(vectors.body);
    const request = header === null ? { ...signed(body), headers: {} } : signed(body, header);
    const secrets = { webhookSecret: vectors.secretToken };
    expect(telegram.verify(request, { ...channel, secrets }, 0)).toMatchObject({ ok: expected === 'accept' });
  });

  test.each(vectors.secretTokenFormat)('setWebhook takes $value: $valid', async ({ value, valid }) => {
    const secrets = { ...channel.secrets, webhookSecret: value };
    const result = await telegram.register({ ...channel, secrets }, 'https://conch.example/telegram/t1.abc');
    expect(result.ok).toBe(valid);
  });

  test.each(['hex', 'base64', 'base64url'] as const)('a generated one is in the form that is taken: %s', (encoding) => {
    const { webhookSecret } = telegram.fields.generate((bytes) => randomBytes(bytes).toString(encoding));
    expect(webhookSecret).toMatch(/^[A-Za-z0-9_-]{64}$/);
  });
});

describe('the token', () => {
  test('is taken alone, white space around it dropped', () => {
    const body = { token: ` ${standIn.token}\n`, app: 'telegram', access: 'owner' };
    expect(telegram.fields.parse(body)).toEqual({ ok: true, secrets: { token: standIn.token }, settings: {} });
  });

  test.each([
    ['a pasted paragraph', `Done! Use this token to access the HTTP API:\n999:${'x'.repeat(35)}\nKeep it secure`],
    ['another secret', `xoxb-${'1'.repeat(40)}`],
    ['an address', `https://api.telegram.org/bot999:${'x'.repeat(35)}/getMe`],
    ['a number', 999],
    ['nothing', undefined],
  ])('refused and not echoed (case 134): %s', (_case, token) => {
    const result = telegram.fields.parse({ token });
    expect(result).toMatchObject({ ok: false, field: 'token', reason: expect.stringMatching(/token/) });
    expect(JSON.stringify(result)).not.toMatch(/xxx|111|999/);
  });

  test('names the bot', async () => {
    expect(await telegram.identify(channel)).toEqual({
      ok: true,
      bot: { id: '999', username: 'acme_bot', name: 'Conch' },
    });
  });

  test('that Telegram does not know is a fault of the field, without its value', async () => {
    const revoked = { ...channel, secrets: { token: `1:${'y'.repeat(35)}` } };
    expect(await telegram.identify(revoked)).toEqual({
      ok: false,
      field: 'token',
      reason: 'Telegram does not know this token. It may have been revoked.',
    });
  });

  test('cannot be checked when the API cannot be reached', async () => {
    const result = await telegram.identify({ ...channel, apiRoot: 'http://127.0.0.1:65530' });
    expect(result).toMatchObject({ ok: false, field: 'apiRoot', reason: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('connecting', () => {
  test('sets the webhook with every parameter, and nothing that is not read', async () => {
    expect(await telegram.register(channel, 'https://conch.example/telegram/t1.abc')).toEqual({ ok: true });
    expect(standIn.webhook).toEqual({
      url: 'https://conch.example/telegram/t1.abc',
      secret_token: SECRET,
      allowed_updates: ['message', 'callback_query', 'my_chat_member'],
      max_connections: 40,
      drop_pending_updates: false,
    });
  });

  test('asks for exactly the kinds of update that are read', () => {
    const isRead = (kind: string) => {
      const body = new TextEncoder().encode(JSON.stringify({ update_id: 1, [kind]: {} }));
      return telegram.read(body, channel, 0)[0]?.kind === 'malformed';
    };
    const kinds = ['message', 'edited_message', 'channel_post', 'callback_query', 'my_chat_member', 'chat_member'];
    expect(kinds.filter(isRead)).toEqual([...ALLOWED_UPDATES]);
  });

  test('without a secret no webhook is set', async () => {
    const open = { ...channel, secrets: { token: standIn.token } };
    expect(await telegram.register(open, 'https://conch.example/x')).toMatchObject({ ok: false });
    expect(standIn.calls).toEqual([]);
  });

  test('a claim link opens the private chat with the code (SPEC 9.2)', () => {
    expect(telegram.claimLink(channel, 'Ab_9-')).toBe('https://t.me/acme_bot?start=Ab_9-');
    expect(telegram.claimLink(channel, 'no code')).toBeUndefined();
    expect(telegram.claimLink({ ...channel, bot: {} }, 'Ab_9-')).toBeUndefined();
  });
});

describe('the menu (SPEC 12.1, 12.2)', () => {
  const menu = {
    private: [{ name: 'new', description: 'Starts a new conversation' }],
    group: [{ name: 'stop', description: 'Ends the running turn' }],
  };

  test('every scope in use is set, so that no leftover hides ours (case 68); none is deleted', async () => {
    expect(await telegram.publishMenu(channel, menu)).toEqual({ ok: true });
    expect(Object.fromEntries(standIn.menus)).toEqual({
      all_private_chats: [{ command: 'new', description: 'Starts a new conversation' }],
      all_group_chats: [{ command: 'stop', description: 'Ends the running turn' }],
      all_chat_administrators: [{ command: 'stop', description: 'Ends the running turn' }],
    });
    expect(new Set(standIn.calls.map(({ method }) => method))).toEqual(new Set(['setMyCommands']));
  });

  describe('lists that an earlier use of the bot left for a language (case D 68)', () => {
    const old = [{ command: 'weather', description: 'Wetter' }];
    const leave = (...lists: string[]) => {
      for (const list of lists) standIn.menus.set(list, old);
    };
    const check = async () =>
      (await telegram.check(channel, { webhookUrl: undefined, now: 1 })).filter(({ what }) => /older menu/u.test(what));

    test('are taken away once ours stand, and nobody is without a menu meanwhile', async () => {
      leave('all_private_chats de', 'all_private_chats ru', 'all_group_chats de', 'all_chat_administrators es');
      await telegram.publishMenu(channel, menu);
      const ours = Object.fromEntries(standIn.menus.entries().filter(([list]) => !list.includes(' ')));
      await telegram.clearOldMenus?.(channel);
      expect(Object.fromEntries(standIn.menus)).toEqual(ours);
      const changing = standIn.calls.filter(({ method }) => method !== 'getMyCommands').map(({ method }) => method);
      expect(changing).toEqual([...Array(3).fill('setMyCommands'), ...Array(4).fill('deleteMyCommands')]);
    });

    test('are found by the check, which changes nothing', async () => {
      leave('all_private_chats ru', 'all_private_chats de', 'all_group_chats de');
      expect(await check()).toEqual([
        {
          ...{
            status: 'problem',
            what: 'People with Telegram in these languages see an older menu of commands: de, ru.',
          },
          todo: expect.stringContaining('Put the channel again'),
        },
      ]);
      expect(standIn.menus.size).toBe(3);
    });

    test('stay where Telegram does not tell of them, and nothing is said', async () => {
      leave('all_private_chats de');
      for (const run of [() => telegram.clearOldMenus?.(channel), check]) {
        standIn.fail({ kind: 'refuse', code: 429, description: 'Too Many Requests' }, { method: 'getMyCommands' });
        expect((await run()) ?? []).toEqual([]);
      }
      expect(standIn.menus.get('all_private_chats de')).toEqual(old);
    });

    test('of none there is nothing to take away or to say', async () => {
      await telegram.publishMenu(channel, menu);
      await telegram.clearOldMenus?.(channel);
      expect(standIn.calls.some(({ method }) => method === 'deleteMyCommands')).toBe(false);
      expect(await check()).toEqual([]);
    });
  });

  test('an empty list is never set', async () => {
    expect(await telegram.publishMenu(channel, { private: [], group: [] })).toEqual({ ok: true });
    expect(standIn.calls).toEqual([]);
  });

  test('a refusal is told', async () => {
    standIn.fail({ kind: 'refuse', code: 400, description: 'Bad Request: BOT_COMMAND_INVALID' });
    expect(await telegram.publishMenu(channel, menu)).toEqual({
      ok: false,
      field: 'token',
      reason: 'Telegram refused: Bad Request: BOT_COMMAND_INVALID',
    });
  });

  test('names take the safe form that leads to the same command; others are left out (case 67)', () => {
    const names = ['Deploy-Prod', 'deploy_prod', 'c++', 'Баланс', 'ok_1'];
    const { commands, leftOut } = fittedMenu(names.map((name) => ({ name, description: ` ${name}\n does it ` })));
    expect(commands).toEqual([
      { command: 'deploy_prod', description: 'Deploy-Prod does it' },
      { command: 'ok_1', description: 'ok_1 does it' },
    ]);
    expect(leftOut.map(({ name }) => name)).toEqual(['deploy_prod', 'c++', 'Баланс']);
    expect(leftOut[0]?.reason).toMatch(/name of another command/u);
  });

  test('of too many the least wanted are left out and named; a description is one line that can be seen (case 64)', () => {
    const commands = Array.from({ length: 120 }, (_, n) => ({ name: `c${n}`, description: `\u200b${'\n'.repeat(n)}` }));
    const fitted = fittedMenu(commands);
    expect(fitted.commands).toHaveLength(100);
    expect(fitted.commands.every(({ command, description }) => description === `/${command}`)).toBe(true);
    expect(fitted.leftOut.map(({ name }) => name)).toEqual(commands.slice(100).map(({ name }) => name));
  });

  test('a menu that Telegram refuses goes out shorter, at last without the tenant’s own commands (SPEC 12.1)', async () => {
    const own = Array.from({ length: 60 }, (_, n) => ({ name: `own-${n}`, description: 'x', custom: true as const }));
    const all = { private: [...menu.private, ...own, { name: 'status', description: 'y' }], group: menu.group };
    const refusal = { kind: 'refuse' as const, code: 400, description: 'Bad Request: BOT_COMMANDS_TOO_MUCH' };
    standIn.fail(refusal);
    const shorter = await telegram.publishMenu(channel, all);
    expect(standIn.menus.get('all_private_chats')).toHaveLength(50);
    expect(shorter.ok && shorter.leftOut).toHaveLength(12);
    standIn.fail(refusal, { times: 2 });
    const least = await telegram.publishMenu(channel, all);
    expect(standIn.menus.get('all_private_chats')?.map(({ command }) => command)).toEqual(['new', 'status']);
    expect(least.ok && least.leftOut?.map(({ name }) => name)).toEqual(own.map(({ name }) => name));
    standIn.fail({ kind: 'refuse', code: 401, description: 'Unauthorized' });
    expect(await telegram.publishMenu(channel, all)).toMatchObject({ ok: false, field: 'token' });
  });
});
