import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  APPLICATION,
  command,
  type Delivered,
  DiscordStandIn,
  type Message,
  press,
  type Somebody,
  shownText,
  somebody,
} from '../standins/discord.ts';
import { ModelStandIn } from '../standins/model.ts';
import { Conch, until } from './conch.ts';

const conch = new Conch();
const owner = somebody('olga');
let discord: DiscordStandIn;
let model: ModelStandIn;

beforeAll(async () => {
  [discord, model] = await Promise.all([DiscordStandIn.start(), ModelStandIn.start(), conch.start()]);
  await conch.admin('PUT', '/tenants/acme', {});
  await conch.admin('PUT', '/tenants/acme/providers/main', {
    ...{ engine: 'openai-compatible', baseURL: model.baseURL('openai-compatible'), apiKey: model.apiKey },
    models: [{ id: 'one', contextWindow: 100_000 }],
  });
  const { botToken, root: apiRoot, signer } = discord;
  const connected = await conch.admin('PUT', '/tenants/acme/channels/bot', {
    ...{ app: 'discord', applicationId: APPLICATION, publicKey: signer.publicKey, botToken, apiRoot },
    ...{ access: 'list', owner: owner.id },
  });
  expect(connected.status).toBe(201);
});

afterAll(async () => {
  await Promise.all([conch.close(), discord.close(), model.close()]);
});

const run = (who: Somebody, name: string, text?: string): Promise<Delivered> =>
  discord.deliver(command(name, who, { channel: discord.direct(who.id) }, text));
const wordsOf = ({ body }: Delivered) => String((body?.data as { content?: string } | undefined)?.content);

function shows(who: Somebody, text: RegExp): Promise<Message> {
  const channel = discord.direct(who.id);
  const find = () => discord.messages.findLast((one) => one.channel === channel && text.test(shownText(one.content)));
  return until(find, `${text} in ${discord.shown(channel).join(' | ')}`);
}

test('SPEC 9.3: a stranger hears why each time, the owner is asked once, in their own chat, and whoever is let in is told', async () => {
  const ben = somebody('ben');
  const told = await run(ben, 'ask', 'May I?');
  expect(told).toMatchObject({ status: 200, failed: false, body: { type: 4, data: { flags: expect.any(Number) } } });
  const again = await run(ben, 'ask', 'Please?');
  expect(again).toMatchObject({ status: 200, failed: false, body: { type: 4, data: { flags: expect.any(Number) } } });
  for (const one of [told, again]) expect(wordsOf(one)).toMatch(/owner of this bot has to let you in/u);
  const asked = await shows(owner, /ben/i);
  expect(discord.messages.filter(({ channel }) => channel === discord.direct(owner.id))).toHaveLength(1);
  const place = { channel: discord.direct(owner.id) };
  const value = asked.buttons.flat().find(({ label }) => /let in/i.test(label))?.value ?? '';
  expect(await discord.deliver(press(value, owner, place, discord.asSent(asked)))).toMatchObject({ failed: false });
  await shows(ben, /has let you in/);
  model.reply('Welcome.');
  expect(await run(ben, 'ask', 'Now?')).toMatchObject({ body: { type: 5 } });
  await shows(ben, /^Welcome\.$/);
});

test('SPEC 9.4: a limit that is reached is said, and nothing is left deferred', async () => {
  await conch.admin('PUT', '/tenants/acme/settings', { messagesPerMinute: 1 });
  model.reply('One.');
  await run(owner, 'ask', 'First');
  await shows(owner, /^One\.$/);
  const limited = await run(owner, 'ask', 'Second');
  expect(limited).toMatchObject({ failed: false, body: { type: 4 } });
  expect(wordsOf(limited)).toMatch(/minute/);
  const third = await run(owner, 'ask', 'Third');
  expect(third).toMatchObject({ failed: false, body: { type: 4 } });
  expect(wordsOf(third)).toMatch(/Please send it again in/u);
  expect(discord.messages.filter(({ deferred }) => deferred)).toEqual([]);
  await conch.admin('PUT', '/tenants/acme/settings', {});
});

test('SPEC 4.2: the conversation comes as a file, for its person alone', async () => {
  expect(await run(owner, 'export', 'json')).toMatchObject({ failed: false });
  const sent = discord.messages.findLast(({ file }) => file);
  expect(sent).toMatchObject({ ephemeral: true, deferred: false, file: { name: expect.stringMatching(/\.json$/) } });
  expect(sent?.file?.text).toContain('One.');
});

test('SPEC 14.1: a channel that is deleted is taken away at Discord', async () => {
  expect((await conch.admin('DELETE', '/tenants/acme/channels/bot')).status).toBe(204);
  expect(discord.webhook).toBeUndefined();
});
