import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  APPLICATION,
  aboutMessage,
  autocomplete,
  command,
  type Delivered,
  DiscordStandIn,
  form,
  GUILD,
  type Message,
  type Place,
  placeId,
  press,
  type Somebody,
  shownText,
  somebody,
  tooMany,
} from '../standins/discord.ts';
import { ModelStandIn } from '../standins/model.ts';
import { Conch, until } from './conch.ts';

const conch = new Conch();
let discord: DiscordStandIn;
let model: ModelStandIn;
let claimCommand = '';

beforeAll(async () => {
  [discord, model] = await Promise.all([DiscordStandIn.start(), ModelStandIn.start(), conch.start()]);
  expect((await conch.admin('PUT', '/tenants/acme', {})).status).toBeLessThan(300);
  const provider = await conch.admin('PUT', '/tenants/acme/providers/main', {
    engine: 'openai-compatible',
    baseURL: model.baseURL('openai-compatible'),
    apiKey: model.apiKey,
    models: [{ id: 'one', contextWindow: 100_000 }],
  });
  expect(provider.status).toBeLessThan(300);
  const { botToken, root: apiRoot } = discord;
  const { publicKey } = discord.signer;
  const fields = { app: 'discord', applicationId: APPLICATION, publicKey, botToken, apiRoot, access: 'anyone' };
  const connected = await conch.admin<{ claimCommand: string }>('PUT', '/tenants/acme/channels/bot', fields);
  expect(connected.status).toBe(201);
  claimCommand = connected.body.claimCommand;
});

afterAll(async () => {
  await Promise.all([conch.close(), discord.close(), model.close()]);
});

beforeEach(() => model.reset());

interface Person {
  who: Somebody;
  direct: Place;
  run: (name: string, text?: string, place?: Place) => Promise<Delivered>;
}

/** A new person, with the bot's private chat. */
function person(name = 'ana'): Person {
  const who = somebody(name);
  const direct = { channel: discord.direct(who.id) };
  return { who, direct, run: (command_, text, place = direct) => discord.deliver(command(command_, who, place, text)) };
}

const room = (): Place => ({ channel: placeId(), guild: GUILD });

async function shows(channel: string, text: string | RegExp, withinMs?: number): Promise<Message> {
  const matches = (shown: string) => (typeof text === 'string' ? shown === text : text.test(shown));
  const find = () => discord.messages.findLast((one) => one.channel === channel && matches(shownText(one.content)));
  return until(find, `${text} in ${discord.shown(channel).join(' | ')}`, withinMs);
}

const dataOf = ({ body }: Delivered) => body?.data as { content: string; flags?: number; components?: object[] };
const settle = () => new Promise((resolve) => setTimeout(resolve, 400));

describe('the webhook', () => {
  test('SPEC 12.1, 14.1: connecting sets the address and the menu, with real options and choices', () => {
    expect(discord.webhook).toContain('/discord/acme.');
    const named = (name: string) => discord.commands.find((one) => one.name === name);
    expect(named('ask')).toMatchObject({ contexts: [0, 1, 2], options: [{ type: 3 }] });
    expect(named('effort')).toMatchObject({ contexts: [1], options: [{ choices: expect.any(Array) }] });
    expect(named('model')).toMatchObject({ options: [{ autocomplete: true }] });
    expect(named('clear')?.options).toBeUndefined();
    expect(named('Ask Acme')).toMatchObject({ type: 3 });
  });

  test('a wrong signature is refused with 401', async () => {
    const ana = person();
    const refused = await discord.deliver(command('status', ana.who, ana.direct), { signed: false });
    expect(refused.status).toBe(401);
    expect(discord.shown(ana.direct.channel)).toEqual([]);
  });

  test('SPEC 12.2: what can be typed is suggested to whom it is for', async () => {
    const ana = person();
    const models = await discord.deliver(autocomplete('model', ana.who, ana.direct, 'ON'));
    expect(models.body).toEqual({ type: 8, data: { choices: [{ name: 'main/one', value: 'main/one' }] } });
    const names = await discord.deliver(autocomplete('help', ana.who, ana.direct, 'goa'));
    expect(names.body).toEqual({ type: 8, data: { choices: [{ name: 'goal', value: 'goal' }] } });
  });
});

describe('a private chat', () => {
  test('SPEC 12.2, 13.3: /ask is deferred, and the answer takes the deferred message’s place', async () => {
    const ana = person();
    model.reply({ chunks: ['It ', 'rains.'] });
    const asked = await ana.run('ask', 'Will it rain?');
    expect(asked).toEqual({ status: 200, body: { type: 5 }, failed: false });
    await shows(ana.direct.channel, 'It rains.');
    expect(discord.shown(ana.direct.channel)).toEqual(['It rains.']);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.last.body)).toContain('Will it rain?');
    expect(discord.calls.filter(({ path }) => path.endsWith(`/channels/${ana.direct.channel}/messages`))).toEqual([]);
  });

  test('SPEC 3.3: what is asked runs no command', async () => {
    const ana = person();
    model.reply('A slash and a word.');
    await ana.run('ask', '/clear');
    await shows(ana.direct.channel, 'A slash and a word.');
    expect(JSON.stringify(model.last.body)).toContain('/clear');
  });

  test('/ask alone opens a form for several lines, which is a message', async () => {
    const ana = person();
    const opened = await ana.run('ask');
    expect(opened.body).toMatchObject({ type: 9, data: { custom_id: 'ask' } });
    model.reply('Both.');
    await discord.deliver(form('ask', ana.who, ana.direct, 'first\nsecond'));
    await shows(ana.direct.channel, 'Both.');
    expect(JSON.stringify(model.last.body)).toContain('first\\nsecond');
  });

  test('SPEC 12.2: a command is shown back with its reply, to the person alone, in the HTTP answer (case 73)', async () => {
    const ana = person();
    const set = await ana.run('goal', 'Speak of *whales*');
    expect(set.body).toMatchObject({ type: 4, data: { flags: 68, allowed_mentions: { parse: [] } } });
    expect(dataOf(set).content).toMatch(/^`\/goal Speak of \*whales\*`\n[\s\S]*Goal/);
    model.reply('Whales sing.');
    await ana.run('ask', 'Something');
    await shows(ana.direct.channel, 'Whales sing.');
    expect(JSON.stringify(model.last.body)).toContain('> Speak of *whales*');
  });

  test('SPEC 2.3: the same interaction five times at once is one request and one reply', async () => {
    const ana = person();
    model.reply('Once.');
    const asked = command('ask', ana.who, ana.direct, 'How often?');
    const answers = await Promise.all(Array.from({ length: 5 }, () => discord.deliver(asked)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await shows(ana.direct.channel, 'Once.');
    await settle();
    expect(model.requests).toHaveLength(1);
    const again = await discord.deliver(asked);
    expect(again.body).toEqual({ type: 5 });
  });

  test('SPEC 5.5, 11.2: Undo by a button changes the message; a second press has no effect', async () => {
    const ana = person();
    model.reply('Noted.');
    await ana.run('ask', 'My cat is called Mitzi');
    await shows(ana.direct.channel, 'Noted.');
    await ana.run('clear');
    const cleared = await shows(ana.direct.channel, /Cleared/);
    expect(cleared.ephemeral).toBe(true);
    const value = cleared.buttons[0]?.[0]?.value ?? '';
    const sent = discord.asSent(cleared);
    const undone = await discord.deliver(press(value, ana.who, ana.direct, sent));
    expect(undone.body).toMatchObject({ type: 7, data: { components: [] } });
    expect(shownText(cleared.content)).toMatch(/^Undone/);
    const again = await discord.deliver(press(value, ana.who, ana.direct, sent));
    expect(again.body).toMatchObject({ type: 7, data: { components: [] } });
    expect(dataOf(again).content).toMatch(/used already/);
    model.reply('Mitzi.');
    await ana.run('ask', 'What is her name?');
    await shows(ana.direct.channel, 'Mitzi.');
    expect(JSON.stringify(model.last.body)).toContain('My cat is called Mitzi');
  });

  test('SPEC 4.5: an unknown command is answered with what was meant; a press runs it, in the same message', async () => {
    const ana = person();
    const unknown = await ana.run('statsu');
    expect(unknown.body?.type).toBe(4);
    const message = await shows(ana.direct.channel, /statsu/);
    expect(message.buttons[0]?.[0]?.label).toContain('status');
    const value = message.buttons[0]?.[0]?.value ?? '';
    const pressed = await discord.deliver(press(value, ana.who, ana.direct, discord.asSent(message)));
    expect(pressed.body?.type).toBe(7);
    expect(shownText(message.content)).toMatch(/one/);
    expect(message.buttons).toEqual([]);
  });

  test('SPEC 4.5, 11.1: Send as a message is answered behind the press', async () => {
    const ana = person();
    await ana.run('statsu', 'of the sea');
    const message = await shows(ana.direct.channel, /statsu/);
    const send = message.buttons.flat().find(({ label }) => /message/i.test(label));
    model.reply('Blue.');
    const pressed = await discord.deliver(press(send?.value ?? '', ana.who, ana.direct, discord.asSent(message)));
    expect(pressed.body).toMatchObject({ type: 7, data: { components: [] } });
    await shows(ana.direct.channel, 'Blue.');
    expect(JSON.stringify(model.last.body)).toContain('/statsu of the sea');
  });

  test('SPEC 4.10: /stop aborts the request at the provider within 3 seconds', async () => {
    const ana = person();
    model.reply({ chunks: Array.from({ length: 100 }, (_, n) => `${n} `), delayMs: 200 });
    await ana.run('ask', 'Count to a hundred');
    await until(() => discord.shown(ana.direct.channel).some((text) => text.startsWith('0 1')), 'the growing answer');
    const stoppedAt = Date.now();
    await ana.run('stop');
    const closedAt = await until(() => model.last.closedAt, 'the request to be aborted');
    expect(closedAt - stoppedAt).toBeLessThan(3_000);
    await shows(ana.direct.channel, /Stopped\.$/);
  });

  test('every deferred message is resolved: what waited together, and what /stop dropped', async () => {
    const ana = person();
    model.reply({ chunks: Array.from({ length: 40 }, (_, n) => `${n} `), delayMs: 50 });
    await ana.run('ask', 'Count');
    await until(() => discord.shown(ana.direct.channel).some((text) => text.startsWith('0 1')), 'the growing answer');
    model.reply('Both.');
    await ana.run('ask', 'One more');
    await ana.run('ask', 'And another');
    await shows(ana.direct.channel, 'Both.');
    await until(() => !discord.shown(ana.direct.channel).includes('…'), 'no answer that is still deferred');
    expect(discord.shown(ana.direct.channel).slice(1)).toEqual(['Answered together with the next message.', 'Both.']);
    model.reply({ chunks: Array.from({ length: 100 }, (_, n) => `${n}! `), delayMs: 100 });
    await ana.run('ask', 'Count again');
    await until(() => discord.shown(ana.direct.channel).some((text) => text.startsWith('0! 1!')), 'the growing answer');
    await ana.run('ask', 'Never mind');
    await ana.run('stop');
    await shows(ana.direct.channel, 'Dropped: it was not answered.');
    await shows(ana.direct.channel, /Stopped\.$/);
    expect(discord.shown(ana.direct.channel)).not.toContain('…');
  });

  test('SPEC 13.2: a long answer goes on in messages behind the first', async () => {
    const ana = person();
    model.reply(Array.from({ length: 60 }, (_, n) => `Paragraph ${n} ${'of words '.repeat(8)}`).join('\n\n'));
    await ana.run('ask', 'Tell me a lot');
    await shows(ana.direct.channel, /Paragraph 59/);
    const shown = discord.shown(ana.direct.channel);
    expect(shown.length).toBeGreaterThan(2);
    expect(shown[0]).toMatch(/^Paragraph 0 /);
    expect(shown).not.toContain('…');
  });

  test('SPEC 13.6: an edit that Discord asks to wait for is made after the wait', async () => {
    const ana = person();
    model.reply('Patience.');
    discord.fail(tooMany(0.4), { path: /@original/, times: 2 });
    await ana.run('ask', 'Now?');
    await shows(ana.direct.channel, 'Patience.');
  });

  test('SPEC 9.2: the owner claims the channel by a command', async () => {
    const ana = person();
    const [, code = ''] = /^\/start (\w+)$/.exec(claimCommand) ?? [];
    const claimed = await ana.run('start', code);
    expect(dataOf(claimed).content).toMatch(/yours/i);
  });
});

describe('a server', () => {
  test('SPEC 3.5, 12.2: what is asked is answered for all, commands for the person alone; each has their own place', async () => {
    const place = room();
    const [ana, ben] = [person('ana'), person('ben')];
    model.reply('For all.');
    await ana.run('ask', 'My secret is 42', place);
    const answer = await shows(place.channel, 'For all.');
    expect(answer.ephemeral).toBe(false);
    model.reply('I do not know.');
    await ben.run('ask', 'What is her secret?', place);
    await shows(place.channel, 'I do not know.');
    expect(JSON.stringify(model.last.body)).not.toContain('42');
    const fresh = await ben.run('new', undefined, place);
    expect(dataOf(fresh)).toMatchObject({ flags: 68 });
  });

  test('SPEC 4.3: other commands say that they work in a private chat (case 41)', async () => {
    const ana = person();
    const refused = await ana.run('status', undefined, room());
    expect(refused.body).toMatchObject({ type: 4, data: { flags: 68 } });
    expect(dataOf(refused).content).toMatch(/private chat/);
  });

  test('SPEC 11.2: a press by another person is answered to them alone, and the button stays (case 44)', async () => {
    const [ana, ben] = [person('ana'), person('ben')];
    const place = room();
    model.reply('So it is.');
    await ana.run('ask', 'Before', place);
    await shows(place.channel, 'So it is.');
    model.reply('Hi.');
    await ana.run('new', 'Hello', place);
    // What a turn says behind a command's reply is a message of its own, for all.
    expect((await shows(place.channel, 'Hi.')).ephemeral).toBe(false);
    const message = await shows(place.channel, /new conversation/i);
    const value = message.buttons[0]?.[0]?.value ?? '';
    const seenByAll = { ...discord.asSent(message), flags: 0 };
    const foreign = await discord.deliver(press(value, ben.who, place, seenByAll));
    expect(foreign.body).toMatchObject({ type: 4, data: { flags: 64 } });
    expect(dataOf(foreign).content).toMatch(/somebody else/);
    expect(message.buttons.flat()).not.toEqual([]);
  });

  test('SPEC 13.4: an answer mentions nobody, and hides no address', async () => {
    const ana = person();
    const place = room();
    const text = '@everyone <@123> [https://good.example](https://evil.example) **ok**';
    model.reply(text);
    await ana.run('ask', 'Mention them', place);
    const message = await shows(place.channel, /ok$/);
    expect(shownText(message.content)).toBe('@everyone <@123> https://good.example (https://evil.example/) ok');
  });

  test('SPEC 3.3: a message that is asked about is content, whatever it says', async () => {
    const ana = person();
    const place = room();
    const author = { id: placeId(), username: 'ben', discriminator: '0' };
    const message = { id: placeId(), channel_id: place.channel, content: '/clear', type: 0, author };
    model.reply('Ben wrote a command.');
    const asked = await discord.deliver(aboutMessage('Ask Acme', ana.who, place, message));
    expect(asked.body).toEqual({ type: 5 });
    await shows(place.channel, 'Ben wrote a command.');
    expect(JSON.stringify(model.last.body)).toContain('/clear');
  });
});

test('SPEC 14.2: no token is in a log or an answer of the administration', async () => {
  const ana = person();
  const asked = command('ask', ana.who, ana.direct, 'canary');
  model.reply('Tweet.');
  await discord.deliver(asked);
  await shows(ana.direct.channel, 'Tweet.');
  const places = await conch.admin<{ place: string }[]>('GET', '/tenants/acme/places');
  const events = await Promise.all(
    places.body.map(({ place }) =>
      conch.admin('GET', `/tenants/acme/places/${encodeURIComponent(place)}/events?after=0`),
    ),
  );
  const channels = await conch.admin('GET', '/tenants/acme/channels');
  const told = JSON.stringify([events, channels, conch.output]);
  expect(told).toContain('canary');
  expect(told).not.toContain(String(asked.token));
  expect(told).not.toContain(discord.botToken);
});

test('DESIGN 3: killed in the middle of a turn and started again, there is exactly one answer', {
  timeout: 150_000,
}, async () => {
  const ana = person();
  model.reply({ chunks: Array.from({ length: 50 }, (_, n) => `${n} `), delayMs: 200 });
  await ana.run('ask', 'Count');
  await until(() => discord.shown(ana.direct.channel).some((text) => text.startsWith('0 1')), 'the growing answer');
  await conch.kill();
  model.reset();
  model.reply('Done.');
  await conch.start();
  await shows(ana.direct.channel, 'Done.', 120_000);
  expect(discord.shown(ana.direct.channel)).toEqual(['Done.']);
  expect(model.requests).toHaveLength(1);
});
