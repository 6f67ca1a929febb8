import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ModelStandIn } from '../standins/model.ts';
import { BOT, buttonsOf, directChannel, GENERAL, type Message, SlackStandIn, shownOf } from '../standins/slack.ts';
import { Conch, until } from './conch.ts';

const conch = new Conch();
let slack: SlackStandIn;
let model: ModelStandIn;
let channelId = '';
let nextPerson = 1;

beforeAll(async () => {
  [slack, model] = await Promise.all([SlackStandIn.start(), ModelStandIn.start(), conch.start()]);
  expect((await conch.admin('PUT', '/tenants/acme', {})).status).toBeLessThan(300);
  const provider = await conch.admin('PUT', '/tenants/acme/providers/main', {
    engine: 'openai-compatible',
    baseURL: model.baseURL('openai-compatible'),
    apiKey: model.apiKey,
    models: [{ id: 'one', contextWindow: 100_000 }],
  });
  expect(provider.status).toBeLessThan(300);
  const { signingSecret, botToken, root: apiRoot } = slack;
  const fields = { app: 'slack', signingSecret, botToken, apiRoot, access: 'anyone' };
  const connected = await conch.admin<{ id: string; webhookPath: string; claimCommand: string }>(
    'PUT',
    '/tenants/acme/channels/bot',
    fields,
  );
  expect(connected).toMatchObject({
    status: 201,
    body: { claimCommand: expect.stringMatching(/^\/conch start \w+$/) },
  });
  channelId = connected.body.id;
  slack.webhook = `${conch.url}${connected.body.webhookPath}`;
});

afterAll(async () => {
  await Promise.all([conch.close(), slack.close(), model.close()]);
});

beforeEach(() => model.reset());

/** A new person, with a private chat of their own, who is in the channel too. */
function somebody(): { id: string; direct: string; say: (text: string, fields?: object) => Promise<number> } {
  const id = `U0PERSON${nextPerson++}`;
  slack.addChannel(directChannel(id), [BOT, id]);
  const say = async (text: string, fields = {}) =>
    (await slack.deliver(slack.payloads.direct(text, id, { ...fields }))).status;
  return { id, direct: directChannel(id), say };
}

function room(name: string, ...members: string[]): string {
  slack.addChannel(name, [BOT, ...members]);
  return name;
}

async function shows(channel: string, text: string | RegExp, withinMs?: number): Promise<Message> {
  const matches = (shown: string) => (typeof text === 'string' ? shown === text : text.test(shown));
  const find = () => slack.messages.findLast((one) => one.channel === channel && matches(shownOf(one)));
  return until(find, `${text} in ${slack.messages.map(shownOf).join(' | ')}`, withinMs);
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 500));
const seen = (channel: string) => slack.messages.filter((one) => one.channel === channel).map(shownOf);

describe('the webhook', () => {
  test('a check of the address is answered with its challenge, once it is signed', async () => {
    const check = { token: 'deprecated', challenge: 'made-up', type: 'url_verification' };
    const { status, body } = await slack.deliver(check);
    expect({ status, body: JSON.parse(body) }).toEqual({ status: 200, body: { challenge: 'made-up' } });
    expect((await slack.deliver(check, { secret: 'wrong' })).status).toBe(401);
  });

  test('whatever is taken is answered without a body: Slack would show one', async () => {
    const ana = somebody();
    const answers = [
      await slack.deliver(slack.command('status', ana.id, ana.direct)),
      await slack.deliver(slack.payloads.inChannel('not for us', ana.id)),
    ];
    expect(answers).toEqual(answers.map(() => ({ status: 200, body: '' })));
  });
});

describe('a private chat', () => {
  test('SPEC 3.5, 13.3: a message is answered, once, growing in place', async () => {
    const ana = somebody();
    model.reply({ chunks: ['It ', 'rains.'] });
    expect(await ana.say('Will it rain?')).toBe(200);
    const answer = await shows(ana.direct, 'It rains.');
    expect(answer.history[0]).toBe('…');
    expect(seen(ana.direct)).toEqual(['It rains.']);
    expect(model.requests).toHaveLength(1);
  });

  test('SPEC 2.3, case 88: the same event five times at once, and again as a retry, is one reply', async () => {
    const ana = somebody();
    model.reply('Once.');
    const event = slack.payloads.direct('How often?', ana.id);
    const all = await Promise.all(Array.from({ length: 5 }, () => slack.deliver(event)));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await shows(ana.direct, 'Once.');
    await slack.deliver(event, { retry: 1 });
    await settle();
    expect(seen(ana.direct)).toEqual(['Once.']);
    expect(model.requests).toHaveLength(1);
  });

  test('SPEC 5.2, 5.5, 12.2: !clear clears, Undo brings it back, and a second press has no effect', async () => {
    const ana = somebody();
    model.reply('Noted.');
    await ana.say('My cat is called Mitzi');
    await shows(ana.direct, 'Noted.');
    await ana.say('!clear');
    const cleared = await shows(ana.direct, /^Cleared/);
    const press = slack.press(cleared, 'Undo', ana.id);
    await slack.deliver(press);
    await until(() => /^Undone/.test(shownOf(cleared)), 'the undo');
    expect(buttonsOf({ blocks: cleared.blocks })).toEqual([]);
    await slack.deliver(press);
    model.reply('Mitzi.');
    await ana.say('What is her name?');
    await shows(ana.direct, 'Mitzi.');
    expect(JSON.stringify(model.last.body)).toContain('My cat is called Mitzi');
  });

  test('SPEC 12.2: an unknown !word is prose; /conch is about the same chat, and names commands as Slack does', async () => {
    const ana = somebody();
    model.reply('Indeed.');
    await ana.say('!important: whales sing');
    await shows(ana.direct, 'Indeed.');
    expect(JSON.stringify(model.last.body)).toContain('!important: whales sing');
    await slack.deliver(slack.command('goal Speak of whales', ana.id, ana.direct));
    await shows(ana.direct, /Goal set/);
    await slack.deliver(slack.command('', ana.id, ana.direct));
    expect(shownOf(await shows(ana.direct, /\/conch clear/))).toContain('/conch goal');
    model.reply('Whales sing.');
    await ana.say('And now?');
    await shows(ana.direct, 'Whales sing.');
    expect(JSON.stringify(model.last.body)).toContain('> Speak of whales');
  });

  test('SPEC 4.5, 12.2: what follows /conch is a command in any case; Send as a message sends the words', async () => {
    const ana = somebody();
    await slack.deliver(slack.command('2+2 = ?', ana.id, ana.direct));
    const asked = await shows(ana.direct, /no command/);
    expect(asked.onlyFor).toBe(ana.id);
    model.reply('Four.');
    await slack.deliver(slack.press(asked, 'Send as a message', ana.id));
    await shows(ana.direct, 'Four.');
    expect(JSON.stringify(model.last.body)).toContain('"2+2 = ?"');
    expect(slack.messages).not.toContain(asked);
  });

  test('SPEC 13.7: a thread in a private chat is a conversation of its own, answered there', async () => {
    const ana = somebody();
    model.reply('In the thread.');
    await ana.say('here?', { thread_ts: '1789999999.000100' });
    expect((await shows(ana.direct, 'In the thread.')).thread).toBe('1789999999.000100');
  });

  test('SPEC 4.10: /stop ends the answer', async () => {
    const ana = somebody();
    model.reply({ chunks: Array.from({ length: 100 }, (_, n) => `${n} `), delayMs: 200 });
    await ana.say('Count to a hundred');
    await until(() => seen(ana.direct).some((text) => text.startsWith('0 1')), 'the growing answer');
    await slack.deliver(slack.command('stop', ana.id, ana.direct));
    await shows(ana.direct, /Stopped\.$/);
  });

  test('SPEC 3.3, 3.4: edits, forwards, captions and bots run nothing', async () => {
    const ana = somebody();
    const before = { user: ana.id, ts: '1.1', text: 'x' };
    const edit = { type: 'message', subtype: 'message_changed', hidden: true, channel: ana.direct, ts: '1.2' };
    await slack.deliver(slack.payloads.event({ ...edit, message: { ...before, text: '!clear' } }));
    await ana.say('!clear', { bot_id: 'B0OTHER01' });
    model.reply('A picture.');
    await ana.say('!clear', { subtype: 'file_share', files: [{ id: 'F1', name: 'a.png', mimetype: 'image/png' }] });
    await shows(ana.direct, 'A picture.');
    expect(seen(ana.direct)).toEqual(['A picture.']);
  });
});

describe('a channel', () => {
  test('case 89, SPEC 13.7: a mention comes twice and is answered once, in a thread under it', async () => {
    const ben = somebody();
    const channel = room('C0WEATHER', ben.id);
    model.reply('It snows.');
    const [mention, message] = slack.payloads.mention('and today?', ben.id, channel);
    await slack.deliver(slack.payloads.inChannel('nice weather', ben.id, channel));
    await Promise.all([slack.deliver(mention), slack.deliver(message)]);
    const answer = await shows(channel, 'It snows.');
    expect(answer.thread).toBe((message.event as { ts: string }).ts);
    await settle();
    expect(seen(channel)).toEqual(['It snows.']);
    expect(model.requests).toHaveLength(1);
  });

  test('SPEC 4.3, 12.2: !new and @Conch !status in a thread are answered there to the person alone', async () => {
    const ben = somebody();
    const channel = room('C0THREADS', ben.id);
    const thread = { thread_ts: '1789999999.000100', parent_user_id: ben.id };
    await slack.deliver(slack.payloads.inChannel('!new', ben.id, channel, thread));
    expect(await shows(channel, /new conversation/)).toMatchObject({ onlyFor: ben.id, thread: thread.thread_ts });
    await slack.deliver(slack.payloads.mention('!status', ben.id, channel, thread)[0]);
    expect(await shows(channel, /private chat/)).toMatchObject({ onlyFor: ben.id, thread: thread.thread_ts });
    const count = slack.messages.length;
    await slack.deliver(slack.payloads.inChannel('!deploy', ben.id, channel, thread));
    await slack.deliver(slack.payloads.inChannel('!help', ben.id, channel));
    await settle();
    expect(slack.messages).toHaveLength(count);
  });

  test('SPEC 4.11, 11.1: Go back, pressed on a message that stands outside its thread, is about the thread', async () => {
    const ben = somebody();
    const channel = room('C0GOBACK', ben.id);
    const [mention] = slack.payloads.mention('remember Mitzi', ben.id, channel);
    const thread = { thread_ts: (mention.event as { ts: string }).ts };
    model.reply('Noted.');
    await slack.deliver(mention);
    await shows(channel, 'Noted.');
    await slack.deliver(slack.payloads.mention('/new', ben.id, channel, thread)[0]);
    const left = await shows(channel, /new conversation/);
    await slack.deliver(slack.press(left, 'Go back', ben.id));
    await until(() => buttonsOf({ blocks: left.blocks }).length === 0, 'the buttons to go');
    model.reply('Mitzi.');
    await slack.deliver(slack.payloads.mention('who?', ben.id, channel, thread)[0]);
    await shows(channel, 'Mitzi.');
    expect(JSON.stringify(model.last.body)).toContain('remember Mitzi');
  });

  test('11.2: somebody else’s button has no effect, and they alone hear it', async () => {
    const [ana, ben] = [somebody(), somebody()];
    const channel = room('C0BUTTONS', ana.id, ben.id);
    await slack.deliver(slack.payloads.mention('/nww', ana.id, channel)[0]);
    const asked = await shows(channel, /Did you mean/);
    await slack.deliver(slack.press(asked, /new/, ben.id));
    expect(await shows(channel, /somebody else/)).toMatchObject({ onlyFor: ben.id });
    expect(buttonsOf({ blocks: asked.blocks }).length).toBeGreaterThan(0);
    await slack.deliver(slack.press(asked, /new/, ana.id));
    expect(await shows(channel, /new conversation/)).toMatchObject({ onlyFor: ana.id });
  });

  test('a command where the bot is no member is answered all the same', async () => {
    const ana = somebody();
    slack.addChannel('C0ELSEWHERE', [ana.id]);
    await slack.deliver(slack.command('help', ana.id, 'C0ELSEWHERE'));
    expect(await shows('C0ELSEWHERE', /\/conch stop/)).toMatchObject({ onlyFor: ana.id });
  });
});

test('SPEC 9.2, 9.3: the printed command makes its sender the owner; a stranger hears once that they are not let in', async () => {
  const { signingSecret, botToken, root: apiRoot, webhook } = slack;
  const fields = { app: 'slack', signingSecret, botToken, apiRoot };
  const path = '/tenants/acme/channels/mine';
  const { body } = await conch.admin<{ webhookPath: string; claimCommand: string }>('PUT', path, fields);
  const [ana, ben] = [somebody(), somebody()];
  slack.webhook = `${conch.url}${body.webhookPath}`;
  await ben.say('hi');
  await ben.say('hi?');
  await shows(ben.direct, /not set up yet/);
  await slack.deliver(slack.command(body.claimCommand.replace('/conch ', ''), ana.id, ana.direct));
  await until(() => seen(ana.direct).length > 0, 'the greeting');
  slack.webhook = webhook;
  expect((await conch.admin('GET', path)).body).toMatchObject({ owner: ana.id });
  expect(seen(ben.direct)).toHaveLength(1);
});

test('the manifest names this channel’s webhook, and there is one before the channel', async () => {
  const { body } = await conch.admin<object>('GET', '/tenants/acme/channels/bot/manifest');
  expect(body).toMatchObject({
    features: { slash_commands: [{ command: '/conch', url: `${conch.url}/slack/${channelId}` }] },
  });
  const first = await conch.admin('GET', '/tenants/acme/channels/other/manifest?app=slack');
  expect(first).toMatchObject({ status: 200, body: { oauth_config: { scopes: { bot: expect.any(Array) } } } });
  expect((await conch.admin('GET', '/tenants/acme/channels/other/manifest?app=telegram')).status).toBe(404);
  expect((await conch.admin('GET', '/tenants/acme/channels/other/manifest')).status).toBe(422);
});

test('SPEC 13.5: a command that takes longer than Slack waits is answered in time, and its reply still comes', async () => {
  const ana = somebody();
  slack.fail({ kind: 'hang', effect: false }, { method: 'response_url' });
  const before = Date.now();
  expect(await slack.deliver(slack.command('status', ana.id, GENERAL))).toEqual({ status: 200, body: '' });
  expect(Date.now() - before).toBeLessThan(3_000);
});

test('no secret and no response URL shows in the log or in what the administration tells (SPEC 14.2)', async () => {
  const channels = await conch.admin('GET', '/tenants/acme/channels');
  const places = await conch.admin<{ place: string }[]>('GET', '/tenants/acme/places');
  const events = await Promise.all(
    places.body.map(({ place }) => conch.admin('GET', `/tenants/acme/places/${place}/events`)),
  );
  const told = JSON.stringify([channels, events]) + conch.output;
  expect(places.body.length).toBeGreaterThan(3);
  for (const secret of [slack.botToken, slack.signingSecret, '/hooks/']) expect(told).not.toContain(secret);
});
