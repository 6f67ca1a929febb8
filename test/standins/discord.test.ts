import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  APPLICATION,
  command,
  DiscordStandIn,
  type Place,
  placeId,
  press,
  shownText,
  somebody,
  tooMany,
} from './discord.ts';
import { refusedCommands, refusedMessage } from './discordRules.ts';

const HEADERS = { 'user-agent': 'DiscordBot (https://conch.example, 1.0)', 'content-type': 'application/json' };
const NOBODY = { allowed_mentions: { parse: [] } };
const ana = somebody();

let standIn: DiscordStandIn;
let webhook: Server;
let answers: { status: number; body?: unknown; afterMs?: number }[];
let place: Place;
beforeEach(async () => {
  standIn = await DiscordStandIn.start();
  answers = [];
  webhook = createServer((_request, response) => {
    const { status, body, afterMs = 0 } = answers.shift() ?? { status: 204 };
    setTimeout(() => response.writeHead(status).end(body === undefined ? undefined : JSON.stringify(body)), afterMs);
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  standIn.webhook = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
  place = { channel: standIn.direct(ana.id) };
});
afterEach(async () => {
  webhook.closeAllConnections();
  webhook.close();
  await standIn.close();
});

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const authorization =
    path.startsWith('/webhooks') || path.startsWith('/interactions')
      ? {}
      : { authorization: `Bot ${standIn.botToken}` };
  const init = { method, headers: { ...HEADERS, ...authorization, ...headers } };
  const response = await fetch(`${standIn.root}${path}`, body ? { ...init, body: JSON.stringify(body) } : init);
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as Record<string, unknown> };
}

describe('who may call', () => {
  test('only a bot that says who it is', async () => {
    expect(await call('GET', '/applications/@me', undefined, { 'user-agent': 'node' })).toMatchObject({
      status: 403,
      body: { code: 40333 },
    });
    expect(await call('GET', '/applications/@me', undefined, { authorization: 'Bot x' })).toMatchObject({
      status: 401,
    });
    expect(await call('GET', '/applications/@me')).toMatchObject({ status: 200, body: { id: APPLICATION } });
    expect(await call('GET', '/nowhere')).toMatchObject({ status: 404 });
  });

  test('a wait is given as a number with a fraction', async () => {
    standIn.fail(tooMany(0.25));
    expect(await call('GET', '/applications/@me')).toMatchObject({ status: 429, body: { retry_after: 0.25 } });
  });
});

describe('an interaction', () => {
  const token = (interaction: Record<string, unknown>) => `/webhooks/${APPLICATION}/${String(interaction.token)}`;

  test('that is deferred can be edited, and has further messages behind it', async () => {
    const asked = command('ask', ana, place, 'x');
    expect(await call('PATCH', `${token(asked)}/messages/@original`, { content: 'x', ...NOBODY })).toMatchObject({
      body: { code: 10015 },
    });
    answers.push({ status: 200, body: { type: 5 } });
    expect(await standIn.deliver(asked)).toMatchObject({ failed: false });
    expect(standIn.shown(place.channel)).toEqual(['…']);
    expect((await call('PATCH', `${token(asked)}/messages/@original`, { content: 'one', ...NOBODY })).status).toBe(200);
    expect((await call('POST', token(asked), { content: 'two', ...NOBODY })).status).toBe(200);
    expect(standIn.shown(place.channel)).toEqual(['one', 'two']);
  });

  test('the first message behind a deferral takes its place, and is seen by the same people', async () => {
    const asked = command('ask', ana, place, 'x');
    answers.push({ status: 200, body: { type: 5, data: { flags: 64 } } });
    await standIn.deliver(asked);
    await call('POST', token(asked), { content: 'one', ...NOBODY });
    expect(standIn.messages).toMatchObject([{ content: 'one', ephemeral: true, deferred: false }]);
  });

  test('is given up without an answer, with a bad one, and after 3 s', { timeout: 10_000 }, async () => {
    const bad = { type: 4, data: { content: '@everyone' } };
    answers.push(
      { status: 503 },
      { status: 200, body: { message: 'ok' } },
      { status: 200, body: bad },
      { status: 200, body: { type: 5 }, afterMs: 3_100 },
    );
    for (let n = 0; n < 4; n++) {
      const asked = command('ask', ana, place, 'x');
      expect(await standIn.deliver(asked)).toMatchObject({ failed: true });
      const path = `/interactions/${String(asked.id)}/${String(asked.token)}/callback`;
      expect(await call('POST', path, { type: 5 })).toMatchObject({ status: 404, body: { code: 10062 } });
    }
    expect(standIn.messages).toEqual([]);
  });

  test('is acknowledged once', async () => {
    const asked = command('ask', ana, place, 'x');
    answers.push({ status: 200, body: { type: 5 } });
    await standIn.deliver(asked);
    const path = `/interactions/${String(asked.id)}/${String(asked.token)}/callback`;
    expect(await call('POST', path, { type: 5 })).toMatchObject({ status: 400, body: { code: 40060 } });
  });

  test('has a token for 15 minutes', async () => {
    const asked = command('ask', ana, place, 'x');
    standIn.know(asked, { age: 15 * 60_000 + 1, answered: 5 });
    expect(await call('PATCH', `${token(asked)}/messages/@original`, { content: 'x', ...NOBODY })).toMatchObject({
      body: { code: 50027 },
    });
  });

  test('a press changes the message that it is on', async () => {
    await call('POST', `/channels/${place.channel}/messages`, { content: 'one', ...NOBODY });
    const [message] = standIn.messages;
    const pressed = press('a:x:0', ana, place, message ? standIn.asSent(message) : {});
    answers.push({ status: 200, body: { type: 7, data: { components: [] } } });
    expect(await standIn.deliver(pressed)).toMatchObject({ failed: false });
    expect((await call('PATCH', `${token(pressed)}/messages/@original`, { content: 'two', ...NOBODY })).status).toBe(
      200,
    );
    expect(standIn.shown(place.channel)).toEqual(['two']);
  });
});

describe('the address of the webhook', () => {
  const set = () => call('PATCH', '/applications/@me', { interactions_endpoint_url: standIn.webhook });

  test('is taken if it answers a PING and refuses a wrong signature, which come in any order', async () => {
    answers.push({ status: 200, body: { type: 1 } }, { status: 200, body: { type: 1 } });
    expect(await set()).toMatchObject({ status: 400, body: { code: 50035 } });
    answers.push({ status: 401 }, { status: 401 });
    expect(await set()).toMatchObject({ status: 400 });
  });
});

describe('messages', () => {
  const button = { type: 2, style: 1, label: 'x', custom_id: 'a' };
  const row = (...components: object[]) => ({ type: 1, components });

  test.each([
    ['no mention', { content: 'x' }],
    ['nothing', { content: '', ...NOBODY }],
    ['too long', { content: 'x'.repeat(2_001), ...NOBODY }],
    ['half a character', { content: '\ud800', ...NOBODY }],
    ['an unknown field', { content: 'x', tts: true, ...NOBODY }],
    ['a flag', { content: 'x', flags: 2, ...NOBODY }],
    ['six buttons in a row', { content: 'x', components: [row(...Array(6).fill(button))], ...NOBODY }],
    ['six rows', { content: 'x', components: Array(6).fill(row(button)), ...NOBODY }],
    ['the same button twice', { content: 'x', components: [row(button, button)], ...NOBODY }],
    ['a long label', { content: 'x', components: [row({ ...button, label: 'x'.repeat(81) })], ...NOBODY }],
    ['a long nonce', { content: 'x', nonce: 'x'.repeat(26), enforce_nonce: true, ...NOBODY }],
  ])('refused: %s', (_case, body) => {
    expect(refusedMessage(body)).toBeDefined();
  });

  test('an edit of a message for one person takes no flag for that', () => {
    expect(refusedMessage({ content: 'x', flags: 64, ...NOBODY })).toBeUndefined();
    expect(refusedMessage({ content: 'x', flags: 64, ...NOBODY }, { edit: true })).toBeDefined();
  });

  test('a message for one person is no message of a channel', async () => {
    const asked = command('status', ana, place);
    answers.push({ status: 200, body: { type: 4, data: { content: 'x', flags: 64, ...NOBODY } } });
    await standIn.deliver(asked);
    const path = `/channels/${place.channel}/messages/${standIn.messages[0]?.id}`;
    expect(await call('PATCH', path, { content: 'y', ...NOBODY })).toMatchObject({ body: { code: 10008 } });
    const posted = await call('POST', `/channels/${placeId()}/messages`, { content: 'x', flags: 64, ...NOBODY });
    expect(posted).toMatchObject({ body: { code: 50035 } });
  });
});

describe('commands', () => {
  const good = { name: 'a', description: 'x' };
  test.each([
    ['101', Array.from({ length: 101 }, (_, n) => ({ ...good, name: `c${n}` }))],
    ['a capital', [{ ...good, name: 'A' }]],
    ['a space', [{ ...good, name: 'a b' }]],
    ['the same twice', [good, good]],
    ['no description', [{ name: 'a' }]],
    ['a long one', [{ ...good, description: 'x'.repeat(101) }]],
    [
      '26 choices',
      [
        {
          ...good,
          options: [
            {
              type: 3,
              name: 'v',
              description: 'x',
              choices: Array.from({ length: 26 }, (_, n) => ({ name: `${n}`, value: `${n}` })),
            },
          ],
        },
      ],
    ],
    [
      'choices and autocomplete',
      [{ ...good, options: [{ type: 3, name: 'v', description: 'x', choices: [], autocomplete: true }] }],
    ],
    [
      'over 8,000 in all',
      [
        {
          ...good,
          options: Array.from({ length: 25 }, (_, n) => ({
            type: 3,
            name: `o${n}`,
            description: 'x'.repeat(100),
            choices: Array.from({ length: 5 }, (_c, i) => ({ name: `${i}${'x'.repeat(90)}`, value: `${i}` })),
          })),
        },
      ],
    ],
    ['a description of a message’s', [{ type: 3, name: 'Ask', description: 'x' }]],
  ])('refused: %s', (_case, commands) => {
    expect(refusedCommands(commands)).toBeDefined();
  });

  test('others are taken', () => {
    expect(
      refusedCommands([good, { ...good, name: 'баланс' }, { type: 3, name: 'Ask Acme', contexts: [0] }]),
    ).toBeUndefined();
  });
});

test.each([
  ['**a** *b* ~~c~~ `d`', 'a b c d'],
  ['\\*a\\* \\@everyone', '*a* @everyone'],
  ['@everyone <@1> :x: ||y||', '⟨everybody⟩ ⟨mention⟩ ⟨emoji⟩ ⟨y⟩'],
  ['# a\n> b\n- c', 'a\nb\n⟨bullet⟩c'],
  ['[a](<https://b.example>) <https://c.example>', 'a https://c.example'],
  ['```ts\n*a*\n```', '*a*'],
  ['__a__ _b_', '⟨a⟩ ⟨b⟩'],
])('what people read of %s', (content, shown) => {
  expect(shownText(content)).toBe(shown);
});
