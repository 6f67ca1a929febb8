import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addressOf, type DiscordAddress, withToken } from '../../../lib/channels/discord/address.ts';
import { discord } from '../../../lib/channels/discord/index.ts';
import type { Interaction } from '../../../lib/channels/discord/payload.ts';
import type { Channel, Outgoing, Piece, Sender } from '../../../lib/ports/chatApp.ts';
import {
  command,
  DiscordStandIn,
  GUILD,
  type Place,
  placeId,
  shownText,
  somebody,
  tooMany,
} from '../../standins/discord.ts';
import { channel as connected } from './channel.ts';

const OPTIONS = { timeoutMs: 5_000 };
const FIRST = { ...OPTIONS, first: true as const };
const OVER_MS = 16 * 60_000;

let standIn: DiscordStandIn;
let channel: Channel;
let sender: Sender;
beforeEach(async () => {
  standIn = await DiscordStandIn.start();
  channel = { ...connected, apiRoot: standIn.root, secrets: { botToken: standIn.botToken } };
  sender = discord.sender(channel);
});
afterEach(() => standIn.close());

function piece(markdown: string, more: Partial<Outgoing> = {}): Piece {
  const [first] = discord.render({ markdown, ...more });
  if (!first) throw new Error('Nothing was rendered');
  return first;
}

/** An interaction that was deferred (`answered` 5), a while ago. */
function asked(options: { place?: Place; age?: number; answered?: number } = {}): DiscordAddress & { channel: string } {
  const who = somebody();
  const place = options.place ?? { channel: standIn.direct(who.id) };
  const interaction = command('ask', who, place, 'why?');
  const { age = 0, answered } = options;
  standIn.know(interaction, { age, ...(answered === undefined ? {} : { answered }) });
  const to = addressOf(interaction as Interaction, who.id) ?? { chat: '' };
  const { token } = interaction as Interaction;
  return { ...withToken(to, token, channel, Date.now() - age), channel: place.channel, deferred: true };
}

const inGuild = (): Place => ({ channel: placeId(), guild: GUILD });
const paths = () =>
  standIn.calls.map(({ method, path }) => `${method} ${path.replace(/token-\d+/, 'TOKEN').replace(/\d{17,}/g, 'N')}`);

describe('where a message goes (SPEC 13.7, DESIGN 3a)', () => {
  test('the first of a reply takes the deferred message’s place, again if it is sent again', async () => {
    const to = asked({ answered: 5 });
    const sent = await sender.post(to, piece('…'), FIRST);
    expect(await sender.post(to, piece('…'), FIRST)).toEqual(sent);
    expect(await sender.edit(to, sent.kind === 'sent' ? sent.id : '', piece('**hi**'), OPTIONS)).toEqual(sent);
    expect(standIn.shown(to.channel)).toEqual(['hi']);
    expect(new Set(paths())).toEqual(new Set(['PATCH /webhooks/N/TOKEN/messages/@original']));
  });

  test('further ones stand behind it', async () => {
    const to = asked({ answered: 5, place: inGuild() });
    await sender.post(to, piece('one'), FIRST);
    const second = await sender.post(to, piece('two'), OPTIONS);
    await sender.edit(to, second.kind === 'sent' ? second.id : '', piece('two!'), OPTIONS);
    expect(standIn.shown(to.channel)).toEqual(['one', 'two!']);
  });

  test('a reply behind a command that was answered is a message of its own', async () => {
    const to = asked({ answered: 5, place: inGuild() });
    await sender.post(to, piece('the command’s'), FIRST);
    await sender.post({ ...to, deferred: false }, piece('the turn’s'), FIRST);
    expect(standIn.shown(to.channel)).toEqual(['the command’s', 'the turn’s']);
  });

  test('while the deferral is under way, the reply waits for it', async () => {
    const to = asked();
    const tooSoon = await sender.post(to, piece('…'), FIRST);
    expect(tooSoon).toMatchObject({ kind: 'refused', retryAfterMs: 300 });
    expect(standIn.messages).toEqual([]);
  });

  test('if the interaction was never answered, the reply is a message of the bot', async () => {
    const to = asked({ age: 10_000 });
    const sent = await sender.post(to, piece('late'), FIRST);
    expect(standIn.shown(to.channel)).toEqual(['late']);
    await sender.edit(to, sent.kind === 'sent' ? sent.id : '', piece('later'), OPTIONS);
    expect(standIn.shown(to.channel)).toEqual(['later']);
  });

  test('after 14 minutes it is a message of the bot, and an opened reply is edited as the bot’s own', async () => {
    const place = inGuild();
    const old = asked({ age: OVER_MS, place });
    expect(await sender.post(old, piece('new'), FIRST)).toMatchObject({ kind: 'sent' });
    const opened = standIn.messages[0];
    expect(await sender.edit(old, `o:${opened?.id}`, piece('newer'), OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.shown(place.channel)).toEqual(['newer']);
    expect(paths().filter((path) => path.includes('webhooks'))).toEqual([]);
  });

  test('a token that Discord takes no more is as good as none, for a message and for an edit', async () => {
    const to = asked({ answered: 5, age: 10_000, place: inGuild() });
    const over = { kind: 'refuse', status: 401, code: 50027, message: 'Invalid Webhook Token' } as const;
    standIn.fail(over, { path: /webhooks/, times: 9 });
    const sent = await sender.post(to, piece('one'), FIRST);
    expect(sent).toMatchObject({ kind: 'sent', id: expect.stringMatching(/^m:/) });
    const own = `f:${standIn.messages.at(-1)?.id}`;
    expect(await sender.edit(to, own, piece('two'), OPTIONS)).toEqual({ kind: 'sent', id: own });
    expect(standIn.shown(to.channel)).toEqual(['…', 'two']);
  });

  test('what is for one person is not shown to the others when the interaction is over', async () => {
    const old = asked({ age: OVER_MS, place: inGuild() });
    const only = piece('secret', { onlyFor: '1' });
    expect(await sender.post(old, only, OPTIONS)).toMatchObject({ kind: 'dead', scope: 'message' });
    expect(standIn.messages).toEqual([]);
  });

  test('a person’s private chat is opened by their id', async () => {
    const who = somebody();
    const to = discord.privateChat(who.id);
    expect(await sender.post(to ?? { chat: '' }, piece('hello'), OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.shown(standIn.direct(who.id))).toEqual(['hello']);
  });

  test('the same message under the same key is sent once (SPEC 2.3)', async () => {
    const to = { chat: placeId(), group: true };
    const options = { ...OPTIONS, idempotencyKey: 'an-event-with-a-long-id-0123456789:0' };
    const first = await sender.post(to, piece('once'), options);
    expect(await sender.post(to, piece('once'), options)).toEqual(first);
    expect(standIn.messages).toHaveLength(1);
  });

  test('a token of a bot that was reset opens nothing, and the bot writes by itself', async () => {
    const to = asked({ answered: 5 });
    const reset = discord.sender({ ...channel, secrets: { botToken: 'MTAw.another.token-0123456789' } });
    expect(await reset.post(to, piece('x'), FIRST)).toMatchObject({ kind: 'dead', scope: 'channel' });
    expect(paths()).toEqual(['POST /channels/N/messages']);
  });
});

describe('an edit of a message that was deleted', () => {
  test.each([
    ['by its interaction', 0],
    ['as the bot’s own', OVER_MS],
  ])('%s: says so, so that it is opened anew', async (_case, age) => {
    const to = asked({ answered: 5, age });
    expect(await sender.edit(to, `f:${placeId()}`, piece('one'), OPTIONS)).toMatchObject({ kind: 'missing' });
  });

  test('a channel that is gone is no message that was deleted', async () => {
    standIn.fail({ kind: 'refuse', status: 404, code: 10003, message: 'Unknown Channel' });
    const to = { chat: placeId(), group: true };
    expect(await sender.edit(to, `m:${placeId()}`, piece('one'), OPTIONS)).toMatchObject({ kind: 'dead' });
  });
});

describe('a deferred message that no reply comes to', () => {
  test('says so, also when its deferral is still under way', async () => {
    const to = asked({ answered: 5 });
    await sender.release?.(to, piece('Dropped.'));
    expect(standIn.shown(to.channel)).toEqual(['Dropped.']);
    const early = asked();
    await sender.release?.(early, piece('Dropped.'));
    expect(standIn.calls).toHaveLength(1 + 4);
  });

  test('is left alone when its token is over: nothing is said elsewhere', async () => {
    await sender.release?.(asked({ age: OVER_MS, place: inGuild() }), piece('Dropped.'));
    expect(standIn.calls).toEqual([]);
  });
});

describe('what an answer means (SPEC 13.6)', () => {
  const refuse = (status: number, code: number) => ({ kind: 'refuse', status, code, message: 'No' }) as const;
  const room = { chat: '300000000000000001', group: true };

  test.each([
    ['too many', tooMany(0.25), { kind: 'refused', retryAfterMs: 250 }],
    ['a slow channel', refuse(429, 20028), { kind: 'refused' }],
    ['a server error', refuse(502, 0), { kind: 'unknown' }],
    ['a connection that broke', { kind: 'reset', effect: true } as const, { kind: 'unknown' }],
    ['no access', refuse(403, 50001), { kind: 'dead', scope: 'chat' }],
    ['no permission', refuse(403, 50013), { kind: 'dead', scope: 'chat' }],
    ['no channel', refuse(404, 10003), { kind: 'dead', scope: 'chat' }],
    ['no private messages', refuse(403, 50007), { kind: 'dead', scope: 'chat' }],
    ['the token was reset', refuse(401, 0), { kind: 'dead', scope: 'channel' }],
  ])('%s', async (_case, failure, expected) => {
    standIn.fail(failure, { times: 9 });
    expect(await sender.post(room, piece('hi'), OPTIONS)).toMatchObject(expected);
    expect(standIn.calls).toHaveLength(1);
  });

  test('no answer in time may have arrived, and is not sent again', async () => {
    standIn.fail({ kind: 'hang', effect: true });
    expect(await sender.post(room, piece('hi'), { timeoutMs: 200 })).toEqual({ kind: 'unknown', reason: 'timeout' });
    expect(standIn.shown(room.chat)).toEqual(['hi']);
  });

  test('a refused form goes out plain, once, with its buttons (SPEC 13.1)', async () => {
    standIn.fail(refuse(400, 50035));
    const choices = [{ label: 'Undo', value: 'a:x1:0' }];
    expect(await sender.post(room, piece('**hi**', { choices }), OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.messages).toMatchObject([{ content: 'hi', buttons: [[{ label: 'Undo' }]] }]);
    standIn.fail(refuse(400, 50035), { times: 9 });
    expect(await sender.post(room, piece('**hi**'), OPTIONS)).toMatchObject({ kind: 'dead', scope: 'message' });
    expect(standIn.calls).toHaveLength(4);
  });

  test.each([
    [403, { kind: 'refused' }],
    [429, { kind: 'refused', retryAfterMs: 3_000 }],
    [502, { kind: 'unknown' }],
  ])('a wall’s own %i says nothing about the bot', async (status, expected) => {
    const wall = createServer((_request, response) => {
      response.writeHead(status, status === 429 ? { 'retry-after': '3' } : {}).end('<html>');
    });
    await once(wall.listen(0, '127.0.0.1'), 'listening');
    const apiRoot = `http://127.0.0.1:${(wall.address() as AddressInfo).port}`;
    expect(await discord.sender({ ...channel, apiRoot }).post(room, piece('hi'), OPTIONS)).toMatchObject(expected);
    wall.closeAllConnections();
    wall.close();
  });

  test('a user’s own application that may send no more follow-ups writes as the bot, where it can', async () => {
    const to = asked({ answered: 5, place: inGuild() });
    await sender.post(to, piece('one'), FIRST);
    standIn.fail(refuse(400, 40094), { path: /webhooks/ });
    expect(await sender.post(to, piece('two'), OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.shown(to.channel)).toEqual(['one', 'two']);
  });

  test('a closed channel takes nothing', async () => {
    standIn.closeChannel(room.chat);
    expect(await sender.post(room, piece('hi'), OPTIONS)).toMatchObject({ kind: 'dead', scope: 'chat' });
  });
});

describe('signs and files', () => {
  test('typing is shown where nothing is deferred (SPEC 13.3)', async () => {
    await sender.typing(asked({ answered: 5 }));
    await sender.typing({ chat: '300000000000000001', group: true });
    expect(paths()).toEqual(['POST /channels/N/typing']);
  });

  test('a file resolves what is deferred', async () => {
    const to = asked({ answered: 5 });
    const file = { name: 'chat.md', mimeType: 'text/markdown', bytes: new TextEncoder().encode('# Grüße') };
    expect(await sender.file(to, file, OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.messages).toMatchObject([{ deferred: false, file: { name: 'chat.md', text: '# Grüße' } }]);
  });

  test('a file goes to a private chat when the interaction is over, and to no server', async () => {
    const file = { name: 'chat.md', mimeType: 'text/markdown', bytes: new TextEncoder().encode('x') };
    expect(await sender.file(asked({ age: OVER_MS }), file, OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(await sender.file(asked({ age: OVER_MS, place: inGuild() }), file, OPTIONS)).toMatchObject({ kind: 'dead' });
    expect(standIn.messages).toHaveLength(1);
  });
});

describe('secrets (SPEC 14.2, case 133)', () => {
  test('the token of an interaction is sealed in its address', () => {
    const to = asked({ answered: 5 });
    expect(JSON.stringify(to)).not.toMatch(/token-\d/);
    expect(to.token).not.toBe('');
  });

  test.each([
    ['unreachable', 'http://127.0.0.1:65530'],
    ['no address', 'not an address'],
  ])('no token shows in a result: %s', async (_case, apiRoot) => {
    const result = await discord.sender({ ...channel, apiRoot }).post(asked({ answered: 5 }), piece('x'), FIRST);
    expect(JSON.stringify(result)).not.toMatch(/token-\d/);
    expect(JSON.stringify(result)).not.toContain(standIn.botToken);
  });

  test('nor when Discord’s own words hold it', async () => {
    const message = `Invalid ${standIn.botToken}`;
    standIn.fail({ kind: 'refuse', status: 403, code: 50001, message }, { times: 9 });
    const result = await sender.post({ chat: '300000000000000001', group: true }, piece('x'), OPTIONS);
    expect(JSON.stringify(result)).not.toContain(standIn.botToken);
  });
});

test('every message that was sent mentions nobody', async () => {
  const to = asked({ answered: 5, place: inGuild() });
  await sender.post(to, piece('@everyone'), FIRST);
  await sender.post(to, piece('@here'), OPTIONS);
  await sender.post({ chat: to.chat, group: true }, piece('<@1>'), OPTIONS);
  expect(standIn.calls.map(({ body }) => body.allowed_mentions)).toEqual([{ parse: [] }, { parse: [] }, { parse: [] }]);
  expect(standIn.messages.map(({ content }) => shownText(content))).toEqual(['@everyone', '@here', '<@1>']);
});
