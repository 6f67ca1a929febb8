import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { foundEntities, group, person, TelegramStandIn, tooMany, Updates } from './telegram.ts';

let standIn: TelegramStandIn;
beforeEach(async () => {
  standIn = await TelegramStandIn.start();
});
afterEach(() => standIn.close());

interface Answer {
  ok: boolean;
  error_code?: number;
  description?: string;
  parameters?: unknown;
  result?: unknown;
}

async function call(method: string, params: unknown, token = standIn.token): Promise<Answer> {
  const response = await fetch(`${standIn.root}/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  return response.json() as Promise<Answer>;
}

const send = (params: Record<string, unknown>) => call('sendMessage', { chat_id: 111, text: 'hi', ...params });
const entity = (type: string, offset: number, length: number, more = {}) => ({ type, offset, length, ...more });
const button = (fields: Record<string, unknown>) => ({ reply_markup: { inline_keyboard: [[fields]] } });

describe('what the Bot API refuses of a message', () => {
  test.each<[string, Record<string, unknown>]>([
    ['chat not found', { chat_id: 404 }],
    ['message thread not found', { message_thread_id: 7 }],
    ['message text is empty', { text: undefined }],
    ['text must be non-empty', { text: ' \u200b\n' }],
    ['message is too long', { text: 'x'.repeat(4097) }],
    ['text is too long', { text: 'x'.repeat(33_000) }],
    ['strings must be encoded in UTF-8', { text: '\ud800' }],
    ['entity ends after the end', { entities: [entity('bold', 0, 3)] }],
    ['entity is empty', { entities: [entity('bold', 0, 0)] }],
    ['no offset', { entities: [entity('bold', -1, 1)] }],
    ['in a UTF-16 pair', { text: '🎉🎉', entities: [entity('bold', 1, 2)] }],
    ['unsupported entity type', { entities: [entity('mention', 0, 2)] }],
    ['wrong HTTP URL', { entities: [entity('text_link', 0, 2, { url: 'tg://user?id=1' })] }],
    ['entities overlap', { text: 'abc', entities: [entity('bold', 0, 2), entity('italic', 1, 2)] }],
    ['code is nested', { entities: [entity('bold', 0, 2), entity('code', 0, 1)] }],
    ['quotations are nested', { entities: [entity('blockquote', 0, 2), entity('blockquote', 0, 1)] }],
    ['no parse_mode', { parse_mode: 'HTML' }],
    ['no parameter colour', { colour: 'red' }],
    ['BUTTON_DATA_INVALID', button({ text: 'x', callback_data: 'я'.repeat(33) })],
    ['BUTTON_TYPE_INVALID', button({ text: 'x' })],
    ['text buttons are unallowed', button({ text: ' ', callback_data: 'x' })],
    ['message to be replied not found', { reply_parameters: { message_id: 77 } }],
    ['not supported in private', { ephemeral_message_parameters: { receiver_user_id: 111 } }],
    ['not enough rights', { chat_id: -1001111111111, ephemeral_message_parameters: { receiver_user_id: 111 } }],
  ])('%s', async (description, params) => {
    const answer = await send(params);
    expect(answer).toMatchObject({ ok: false, error_code: 400, description: expect.stringContaining(description) });
    expect(standIn.visible(111)).toEqual([]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['4,096 code points beyond U+FFFF', { text: '🎉'.repeat(4096) }],
    ['nested entities', { entities: [entity('blockquote', 0, 2), entity('bold', 0, 2), entity('italic', 0, 1)] }],
    ['code in a quotation', { entities: [entity('blockquote', 0, 2), entity('pre', 0, 1)] }],
    ['64 bytes in a button', button({ text: 'x', callback_data: 'я'.repeat(32) })],
    ['a reply to what is gone', { reply_parameters: { message_id: 77, allow_sending_without_reply: true } }],
  ])('but not %s', async (_case, params) => {
    expect(await send(params)).toMatchObject({ ok: true, result: { message_id: 1 } });
  });

  test('a wrong token, an unknown method', async () => {
    expect(await call('getMe', {}, '1:x')).toMatchObject({ error_code: 401, description: 'Unauthorized' });
    expect(await call('sendAnything', {})).toMatchObject({ error_code: 404, description: 'Not Found' });
  });

  test('edits of unknown and of others’ messages, and edits that change nothing', async () => {
    await send({});
    standIn.know(new Updates().privateMessage('hello'));
    const edit = (id: number, text: string) => call('editMessageText', { chat_id: 111, message_id: id, text });
    expect(await edit(7, 'x')).toMatchObject({ description: 'Bad Request: message to edit not found' });
    expect(await edit(1001, 'x')).toMatchObject({ description: "Bad Request: message can't be edited" });
    expect(await edit(1, 'hi')).toMatchObject({ description: expect.stringContaining('is not modified') });
    expect(await edit(1, 'ho')).toMatchObject({ ok: true });
    expect(standIn.messages(111)).toMatchObject([{ text: 'ho', history: ['hi', 'ho'] }]);
  });

  test('presses it does not know, bad secrets, bad menus', async () => {
    const commands = (name: string, count = 1) => ({
      commands: Array.from({ length: count }, (_, i) => ({ command: count > 1 ? `c${i}` : name, description: 'x' })),
    });
    const refusals = await Promise.all([
      call('answerCallbackQuery', { callback_query_id: '7' }),
      call('setWebhook', { url: 'https://a.example', secret_token: 'a b' }),
      call('setWebhook', { url: 'nowhere' }),
      call('setMyCommands', commands('Deploy-Prod')),
      call('setMyCommands', commands('', 101)),
    ]);
    expect(refusals.map(({ description }) => description?.slice(13, 40))).toEqual([
      'query is too old and respon',
      'secret token contains unall',
      'bad webhook: invalid URL',
      'BOT_COMMAND_INVALID',
      'BOT_COMMANDS_TOO_MUCH',
    ]);
  });
});

describe('failures on demand', () => {
  test('a flood, for the next calls of one method', async () => {
    standIn.fail(tooMany(3), { method: 'sendMessage', times: 2 });
    expect(await call('getMe', {})).toMatchObject({ ok: true });
    expect(await send({})).toMatchObject({ error_code: 429, parameters: { retry_after: 3 } });
    expect(await send({})).toMatchObject({ error_code: 429 });
    expect(await send({})).toMatchObject({ ok: true });
    expect(standIn.calls.map(({ method, status }) => [method, status])).toEqual([
      ['getMe', 200],
      ['sendMessage', 429],
      ['sendMessage', 429],
      ['sendMessage', 200],
    ]);
  });

  test.each([
    ['hang', true, ['hi']],
    ['hang', false, []],
    ['reset', true, ['hi']],
    ['reset', false, []],
  ] as const)('%s, with effect: %s', async (kind, effect, visible) => {
    standIn.fail({ kind, effect });
    const sending = fetch(`${standIn.root}/bot${standIn.token}/sendMessage`, {
      method: 'POST',
      body: JSON.stringify({ chat_id: 111, text: 'hi' }),
      signal: AbortSignal.timeout(200),
    });
    await expect(sending).rejects.toThrow();
    expect(standIn.visible(111)).toEqual(visible);
  });

  test('a person who blocked the bot, a group that moved', async () => {
    standIn.block(111);
    expect(await send({})).toMatchObject({ error_code: 403, description: expect.stringContaining('blocked') });
    standIn.migrate(-1001111111111, -1002);
    expect(await send({ chat_id: -1001111111111 })).toMatchObject({ parameters: { migrate_to_chat_id: -1002 } });
  });
});

describe('updates', () => {
  test('are delivered to the webhook that was set, with its secret; a press is known from then on', async () => {
    const received: unknown[] = [];
    const bot = createServer(async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString();
      received.push([request.headers['x-telegram-bot-api-secret-token'], JSON.parse(body).update_id]);
      response.writeHead(received.length === 1 ? 200 : 503).end();
    });
    await once(bot.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(bot.address() as AddressInfo).port}/x`;
    await call('setWebhook', { url, secret_token: 'abc' });
    await send({ ...button({ text: 'Undo', callback_data: 'a:x:0' }) });
    const [message] = standIn.messages(111);
    if (!message) throw new Error('Nothing was sent');
    const press = new Updates().press('a:x:0', person(), standIn.asSent(message));
    expect(await standIn.deliver(press)).toBe(200);
    expect(await standIn.deliver(press)).toBe(503);
    expect(received).toEqual([
      ['abc', press.update_id],
      ['abc', press.update_id],
    ]);
    const { id } = press.callback_query as { id: string };
    expect(await call('answerCallbackQuery', { callback_query_id: id, text: 'Done' })).toMatchObject({ ok: true });
    expect(standIn.answers.get(id)).toBe('Done');
    bot.closeAllConnections();
    bot.close();
  });

  test('have the entities that Telegram finds itself: one over a command with a name (case 1)', () => {
    expect(foundEntities('/new@acme_bot')).toEqual([{ type: 'bot_command', offset: 0, length: 13 }]);
    expect(foundEntities('🎉 @acme_bot')).toEqual([{ type: 'mention', offset: 3, length: 9 }]);
    expect(foundEntities('/usr/bin a@b.example')).toEqual([]);
    const update = new Updates(() => 7).groupMessage('hi', person(222, 'Ben'), group(-5), { message_thread_id: 3 });
    expect(update).toEqual({
      update_id: 900_000_001,
      message: {
        message_id: 1001,
        date: 7,
        chat: { id: -5, type: 'supergroup', title: 'Lab' },
        from: { id: 222, is_bot: false, first_name: 'Ben' },
        text: 'hi',
        message_thread_id: 3,
      },
    });
  });
});
