import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TelegramAddress } from '../../../lib/channels/telegram/address.ts';
import { telegram } from '../../../lib/channels/telegram/index.ts';
import type { Channel, IncomingPress, Outgoing, Piece, Sender } from '../../../lib/ports/chatApp.ts';
import { group, person, TelegramStandIn, tooMany, Updates } from '../../standins/telegram.ts';
import { channel as connected } from './channel.ts';

const PRIVATE: TelegramAddress = { chat: '111', message: '5' };
const GROUP: TelegramAddress = { chat: '-1001111111111', message: '5', group: true };
const OPTIONS = { timeoutMs: 5_000 };

let standIn: TelegramStandIn;
let channel: Channel;
let sender: Sender;
beforeEach(async () => {
  standIn = await TelegramStandIn.start();
  channel = { ...connected, apiRoot: standIn.root, secrets: { token: standIn.token } };
  sender = telegram.sender(channel);
});
afterEach(() => standIn.close());

function piece(markdown: string, more: Partial<Outgoing> = {}): Piece {
  const [first] = telegram.render({ markdown, ...more });
  if (!first) throw new Error('Nothing was rendered');
  return first;
}

async function press(chat: 'private' | 'group', more: Outgoing = { markdown: 'Cleared.' }): Promise<IncomingPress> {
  const to = chat === 'private' ? PRIVATE : GROUP;
  const choices = [{ label: 'Undo', value: 'a:x1:0' }];
  await sender.post(to, piece(more.markdown, { choices }), OPTIONS);
  const message = standIn.messages(Number(to.chat)).at(-1);
  if (!message) throw new Error('Nothing was posted');
  const update = new Updates().press('a:x1:0', person(), standIn.asSent(message));
  standIn.know(update);
  const [read] = telegram.read(new TextEncoder().encode(JSON.stringify(update)), channel, 0);
  if (read?.kind !== 'press') throw new Error('No press was read');
  return read;
}

describe('where a message goes (SPEC 13.7)', () => {
  test('to a private chat, without a reply and without previews', async () => {
    expect(await sender.post(PRIVATE, piece('**hi**'), OPTIONS)).toEqual({ kind: 'sent', id: '1' });
    expect(standIn.calls.map(({ method, params }) => ({ method, params }))).toEqual([
      {
        method: 'sendMessage',
        params: {
          chat_id: 111,
          text: 'hi',
          entities: [{ type: 'bold', offset: 0, length: 2 }],
          link_preview_options: { is_disabled: true },
        },
      },
    ]);
  });

  test('in a group as a reply, even if the message is gone', async () => {
    expect(await sender.post(GROUP, piece('hi'), OPTIONS)).toEqual({ kind: 'sent', id: '1' });
    expect(standIn.calls[0]?.params.reply_parameters).toEqual({ message_id: 5, allow_sending_without_reply: true });
  });

  test('to its topic', async () => {
    standIn.addChat(group(-1001, { is_forum: true }), [77]);
    const to = { ...GROUP, chat: '-1001', thread: '77' };
    expect(await sender.post(to, piece('hi'), OPTIONS)).toEqual({ kind: 'sent', id: '1' });
    expect(standIn.messages(-1001)[0]?.thread).toBe(77);
  });

  test('never to another topic or chat when the topic is gone', async () => {
    const result = await sender.post({ ...GROUP, thread: '78' }, piece('hi'), OPTIONS);
    expect(result).toMatchObject({ kind: 'dead', scope: 'chat' });
    expect(standIn.calls).toHaveLength(1);
  });

  test('to the supergroup that the group became', async () => {
    standIn.addChat(group(-5, { type: 'group' }));
    standIn.migrate(-5, -1009);
    expect(await sender.post({ ...GROUP, chat: '-5' }, piece('hi'), OPTIONS)).toEqual({ kind: 'sent', id: '1' });
    expect(standIn.visible(-1009)).toEqual(['hi']);
  });
});

describe('what an answer means (SPEC 13.6)', () => {
  const refuse = (code: number, description: string) => ({ kind: 'refuse', code, description }) as const;

  test.each([
    ['flood', tooMany(7), { kind: 'refused', retryAfterMs: 7_000 }],
    ['a server error', refuse(502, 'Bad Gateway'), { kind: 'unknown' }],
    ['a connection that broke', { kind: 'reset', effect: true } as const, { kind: 'unknown' }],
    ['blocked', refuse(403, 'Forbidden: bot was blocked by the user'), { kind: 'dead', scope: 'chat' }],
    ['chat gone', refuse(400, 'Bad Request: chat not found'), { kind: 'dead', scope: 'chat' }],
    ['token revoked', refuse(401, 'Unauthorized'), { kind: 'dead', scope: 'channel' }],
    ['a time-out on their side', refuse(408, 'Request Timeout'), { kind: 'unknown' }],
  ])('%s', async (_case, failure, expected) => {
    standIn.fail(failure, { times: 9 });
    expect(await sender.post(PRIVATE, piece('hi'), OPTIONS)).toMatchObject(expected);
    expect(standIn.calls).toHaveLength(1);
  });

  test('no answer in time may have arrived, and is not sent again', async () => {
    standIn.fail({ kind: 'hang', effect: true });
    expect(await sender.post(PRIVATE, piece('hi'), { timeoutMs: 200 })).toEqual({ kind: 'unknown', reason: 'timeout' });
    expect(standIn.visible(111)).toEqual(['hi']);
  });

  test('a refused connection surely did not arrive', async () => {
    await standIn.close();
    expect(await sender.post(PRIVATE, piece('hi'), OPTIONS)).toMatchObject({ kind: 'refused', reason: 'ECONNREFUSED' });
    standIn = await TelegramStandIn.start();
  });

  test('refused formatting goes out plain, once, with its buttons (SPEC 13.1)', async () => {
    standIn.fail(refuse(400, "Bad Request: can't parse entities: byte offset 3"));
    const choices = [{ label: 'Undo', value: 'a:x1:0' }];
    expect(await sender.post(PRIVATE, piece('**hi**', { choices }), OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.messages(111)).toMatchObject([{ text: 'hi', entities: [], buttons: [[{ text: 'Undo' }]] }]);
  });

  test('a message that is refused plain too is given up', async () => {
    standIn.fail(refuse(400, "Bad Request: can't parse entities"), { times: 9 });
    expect(await sender.post(PRIVATE, piece('**hi**'), OPTIONS)).toMatchObject({ kind: 'dead', scope: 'message' });
    expect(standIn.calls).toHaveLength(2);
  });

  test.each([
    [403, { kind: 'refused' }],
    [429, { kind: 'refused', retryAfterMs: 3_000 }],
    [502, { kind: 'unknown' }],
    [200, { kind: 'unknown' }],
  ])("a proxy's own %i says nothing about the bot", async (status, expected) => {
    const proxy = createServer((_request, response) => {
      response.writeHead(status, status === 429 ? { 'retry-after': '3' } : {}).end('<html>');
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const apiRoot = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    expect(await telegram.sender({ ...channel, apiRoot }).post(PRIVATE, piece('hi'), OPTIONS)).toMatchObject(expected);
    proxy.closeAllConnections();
    proxy.close();
  });
});

describe('edits', () => {
  test('change a message, keep its history, and take its buttons away', async () => {
    const to = PRIVATE;
    await sender.post(to, piece('one', { choices: [{ label: 'Undo', value: 'a:x1:0' }] }), OPTIONS);
    expect(await sender.edit(to, '1', piece('*two*'), OPTIONS)).toEqual({ kind: 'sent', id: '1' });
    expect(standIn.messages(111)).toMatchObject([{ text: 'two', history: ['one', 'two'], buttons: [] }]);
  });

  test('"not modified" is success (SPEC 13.6)', async () => {
    await sender.post(PRIVATE, piece('one'), OPTIONS);
    expect(await sender.edit(PRIVATE, '1', piece('one'), OPTIONS)).toEqual({ kind: 'sent', id: '1' });
    expect(standIn.calls.at(-1)?.status).toBe(400);
  });

  test('of a message that is gone say so, and nothing else is sent', async () => {
    expect(await sender.edit(PRIVATE, '77', piece('one'), OPTIONS)).toMatchObject({ kind: 'missing' });
  });
});

describe('presses and messages for one person', () => {
  test('a press is answered in at most 200 characters', async () => {
    const pressed = await press('private');
    await sender.answerPress(pressed, 'Too late. '.repeat(40));
    expect(standIn.answers.get(pressed.pressId)).toHaveLength(200);
  });

  test('an answer that comes too late is let go (case 53)', async () => {
    const pressed = await press('private');
    await sender.answerPress({ ...pressed, pressId: '77' });
    expect(standIn.callsOf('answerCallbackQuery').map(({ status }) => status)).toEqual([400]);
  });

  test('the buttons of a used message are taken away (SPEC 11.2)', async () => {
    const pressed = await press('group');
    expect(sender.pressedMessage(pressed)).toBe('1');
    await sender.removeChoices(pressed);
    await sender.removeChoices(pressed);
    expect(standIn.messages(-1001111111111)).toMatchObject([{ text: 'Cleared.', buttons: [] }]);
  });

  test('only for one: as an ephemeral answer to a press, edited and cleared as such', async () => {
    const pressed = await press('group');
    const only = piece('Not yours.', { onlyFor: '111', choices: [{ label: 'OK', value: 'a:x2:0' }] });
    expect(await sender.post(pressed.to, only, OPTIONS)).toEqual({ kind: 'sent', id: 'e111.2' });
    expect(await sender.edit(pressed.to, 'e111.2', piece('Done.'), OPTIONS)).toEqual({ kind: 'sent', id: 'e111.2' });
    expect(standIn.messages(-1001111111111).at(-1)).toMatchObject({ onlyFor: 111, text: 'Done.', buttons: [] });
  });

  test('only for one: as a reply to an ephemeral command', async () => {
    const to: TelegramAddress = { chat: '-1001111111111', ephemeral: '7', group: true };
    expect(await sender.post(to, piece('hi', { onlyFor: '111' }), OPTIONS)).toMatchObject({
      kind: 'sent',
      id: 'e111.1',
    });
    expect(standIn.calls[0]?.params.reply_parameters).toEqual({ ephemeral_message_id: 7 });
  });

  test('only for one: a plain reply in the same group where Telegram does not allow it (SPEC 4.3, 13.7)', async () => {
    expect(await sender.post(GROUP, piece('hi', { onlyFor: '111' }), OPTIONS)).toEqual({ kind: 'sent', id: '1' });
    const late: TelegramAddress = { ...GROUP, press: 'long-ago' };
    expect(await sender.post(late, piece('hi', { onlyFor: '111' }), OPTIONS)).toEqual({ kind: 'sent', id: '2' });
    expect(standIn.messages(-1001111111111).map(({ onlyFor }) => onlyFor)).toEqual([undefined, undefined]);
    expect(standIn.calls.map(({ status }) => status)).toEqual([200, 400, 200]);
  });

  test('typing shows in the topic, and its failure does not matter (SPEC 13.3)', async () => {
    standIn.addChat(group(-1001, { is_forum: true }), [77]);
    await sender.typing({ ...GROUP, chat: '-1001', thread: '77' });
    await sender.typing({ ...GROUP, chat: '-404' });
    expect(standIn.callsOf('sendChatAction').map(({ params, status }) => [params.message_thread_id, status])).toEqual([
      [77, 200],
      [undefined, 400],
    ]);
  });
});

describe('the token (SPEC 14.2, case 133)', () => {
  test.each([
    ['unreachable', 'http://127.0.0.1:65530'],
    ['no address', 'not an address'],
    ['unknown host', 'http://nowhere.invalid'],
  ])('shows in no result: %s', async (_case, apiRoot) => {
    const result = await telegram.sender({ ...channel, apiRoot }).post(PRIVATE, piece('hi'), OPTIONS);
    expect(result.kind).toBe('refused');
    expect(JSON.stringify(result)).not.toContain(standIn.token);
  });

  test('shows in no result even if the answer repeats it', async () => {
    standIn.fail({ kind: 'refuse', code: 400, description: `Bad Request: /bot${standIn.token}/x` }, { times: 9 });
    expect(JSON.stringify(await sender.post(PRIVATE, piece('hi'), OPTIONS))).not.toContain(standIn.token);
  });
});

describe('a file (SPEC 13.6)', () => {
  const file = { name: 'notes.md', mimeType: 'text/markdown', bytes: new TextEncoder().encode('# Grüße 🎉') };

  test('is uploaded as a document, with its name and type', async () => {
    expect(await sender.file(PRIVATE, file, OPTIONS)).toEqual({ kind: 'sent', id: '1' });
    expect(standIn.calls.map(({ method, params }) => ({ method, params }))).toEqual([
      {
        method: 'sendDocument',
        params: { chat_id: '111', document: { name: 'notes.md', mimeType: 'text/markdown', text: '# Grüße 🎉' } },
      },
    ]);
  });

  test('in a topic of a group it goes there, as a reply, also to one that is gone (SPEC 13.7)', async () => {
    standIn.addChat(group(), [77]);
    expect(await sender.file({ ...GROUP, thread: '77' }, file, OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.callsOf('sendDocument')[0]?.params).toMatchObject({
      message_thread_id: '77',
      reply_parameters: { message_id: 5, allow_sending_without_reply: true },
    });
    expect(standIn.messages(Number(GROUP.chat)).at(-1)).toMatchObject({ thread: 77, document: { name: 'notes.md' } });
  });

  test('follows a group that became a supergroup', async () => {
    standIn.migrate(Number(GROUP.chat), -100_900);
    expect(await sender.file(GROUP, file, OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.messages(-100_900)).toHaveLength(1);
  });

  test.each<[string, () => void, object]>([
    ['asked to wait', () => standIn.fail(tooMany(3)), { kind: 'refused', retryAfterMs: 3_000 }],
    ['blocked', () => standIn.block(111), { kind: 'dead', scope: 'chat' }],
    ['no answer', () => standIn.fail({ kind: 'reset', effect: true }), { kind: 'unknown' }],
  ])('%s (SPEC 13.6)', async (_case, arrange, result) => {
    arrange();
    expect(await sender.file(PRIVATE, file, OPTIONS)).toMatchObject(result);
    expect(standIn.callsOf('sendDocument')).toHaveLength(1);
  });

  test('what the Bot API refuses of a file is dead', async () => {
    const empty = { ...file, bytes: new Uint8Array() };
    expect(await sender.file(PRIVATE, empty, OPTIONS)).toMatchObject({ kind: 'dead', scope: 'message' });
  });
});
