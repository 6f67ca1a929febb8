import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ModelStandIn } from '../standins/model.ts';
import { group, type Message, person, TelegramStandIn, type Update, Updates } from '../standins/telegram.ts';
import { Conch, until } from './conch.ts';

const conch = new Conch();
const updates = new Updates();
let telegram: TelegramStandIn;
let model: ModelStandIn;
let nextPerson = 5_000;

beforeAll(async () => {
  [telegram, model] = await Promise.all([TelegramStandIn.start(), ModelStandIn.start(), conch.start()]);
  await connect('acme', 'bot');
});

afterAll(async () => {
  await Promise.all([conch.close(), telegram.close(), model.close()]);
});

beforeEach(() => model.reset());

async function connect(tenant: string, channel: string): Promise<{ id: string; claimCode: string }> {
  expect((await conch.admin('PUT', `/tenants/${tenant}`, {})).status).toBeLessThan(300);
  const provider = await conch.admin('PUT', `/tenants/${tenant}/providers/main`, {
    engine: 'openai-compatible',
    baseURL: model.baseURL('openai-compatible'),
    apiKey: model.apiKey,
    models: [{ id: 'one', contextWindow: 100_000 }],
  });
  expect(provider.status).toBeLessThan(300);
  const connected = await conch.admin<{ id: string; claimCode: string }>(
    'PUT',
    `/tenants/${tenant}/channels/${channel}`,
    {
      ...{ app: 'telegram', token: telegram.token, apiRoot: telegram.root, access: 'anyone' },
    },
  );
  expect(connected).toMatchObject({ status: 201 });
  return connected.body;
}

/** A new person with a private chat of their own. */
function somebody(): { id: number; say: (text: string, fields?: object) => Update; texts: () => string[] } {
  nextPerson += 1;
  const who = person(nextPerson, `P${nextPerson}`);
  return {
    id: who.id,
    say: (text, fields = {}) => updates.privateMessage(text, who, { ...fields }),
    texts: () => telegram.visible(who.id),
  };
}

async function shows(chat: number, text: string | RegExp, withinMs?: number): Promise<Message> {
  const matches = (message: Message) => (typeof text === 'string' ? message.text === text : text.test(message.text));
  return until(
    () => telegram.messages(chat).findLast(matches),
    `${text} in ${telegram.visible(chat).join(' | ')}`,
    withinMs,
  );
}

const asked = () => model.requests.map((request) => JSON.stringify(request.body));

describe('a private chat', () => {
  test('SPEC 3.5, 13.3: a message is answered, once, in the chat that it came from', async () => {
    const ana = somebody();
    model.reply({ chunks: ['It ', 'rains.'] });
    expect(await telegram.deliver(ana.say('Will it rain?'))).toBe(200);
    await shows(ana.id, 'It rains.');
    expect(telegram.visible(ana.id)).toEqual(['It rains.']);
    expect(model.requests).toHaveLength(1);
  });

  test('SPEC 2.3: the same update five times at once is one request and one reply', async () => {
    const ana = somebody();
    model.reply('Once.');
    const update = ana.say('How often?');
    const statuses = await Promise.all(Array.from({ length: 5 }, () => telegram.deliver(update)));
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    await shows(ana.id, 'Once.');
    await telegram.deliver(update);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(telegram.visible(ana.id)).toEqual(['Once.']);
    expect(model.requests).toHaveLength(1);
  });

  test('SPEC 6.1, 6.2: the goal is in every system prompt; over 500 characters it is refused', async () => {
    const ana = somebody();
    await telegram.deliver(ana.say('/goal Speak of whales'));
    await shows(ana.id, /Goal set/u);
    model.reply('Whales sing.');
    await telegram.deliver(ana.say('Tell me something'));
    await shows(ana.id, 'Whales sing.');
    expect(JSON.stringify(model.last.body)).toContain('> Speak of whales');
    await telegram.deliver(ana.say(`/goal ${'x'.repeat(501)}`));
    await shows(ana.id, /501 characters/u);
    model.reply('Still whales.');
    await telegram.deliver(ana.say('And now?'));
    await shows(ana.id, 'Still whales.');
    expect(JSON.stringify(model.last.body)).toContain('> Speak of whales');
  });

  test('SPEC 5.2, 5.5, 11.2: after a clear nothing from before is sent; Undo brings it back; a second press has no effect', async () => {
    const ana = somebody();
    model.reply('Noted.');
    await telegram.deliver(ana.say('My cat is called Mitzi'));
    await shows(ana.id, 'Noted.');
    await telegram.deliver(ana.say('/clear'));
    const cleared = await shows(ana.id, /^Cleared/u);
    const data = cleared.buttons[0]?.[0]?.data ?? '';
    const stranger = person(4_999, 'Ben');
    const foreign = updates.press(data, stranger, telegram.asSent(cleared));
    await telegram.deliver(foreign);
    expect(telegram.answers.get((foreign.callback_query as { id: string }).id)).toMatch(/somebody else/u);
    const press = updates.press(data, person(ana.id), telegram.asSent(cleared));
    await telegram.deliver(press);
    await shows(ana.id, /^Undone/u);
    const again = updates.press(data, person(ana.id), telegram.asSent(cleared));
    await telegram.deliver(again);
    expect(telegram.answers.get((again.callback_query as { id: string }).id)).toMatch(/used already/u);
    model.reply('Mitzi.');
    await telegram.deliver(ana.say('What is her name?'));
    await shows(ana.id, 'Mitzi.');
    expect(JSON.stringify(model.last.body)).toContain('My cat is called Mitzi');
    await telegram.deliver(ana.say('/clear'));
    await until(() => telegram.messages(ana.id).filter(({ text }) => /^Cleared/u.test(text)).length === 1, 'cleared');
    model.reply('I do not know.');
    await telegram.deliver(ana.say('And now?'));
    await shows(ana.id, 'I do not know.');
    expect(JSON.stringify(model.last.body)).not.toContain('Mitzi');
  });

  test('SPEC 4.10: /stop aborts the request at the provider within 3 seconds', async () => {
    const ana = somebody();
    model.reply({ chunks: Array.from({ length: 100 }, (_, n) => `${n} `), delayMs: 200 });
    await telegram.deliver(ana.say('Count to a hundred'));
    await until(() => telegram.visible(ana.id).some((text) => text.startsWith('0 1')), 'the growing answer');
    const stoppedAt = Date.now();
    await telegram.deliver(ana.say('/stop'));
    const closedAt = await until(() => model.last.closedAt, 'the request to be aborted');
    expect(closedAt - stoppedAt).toBeLessThan(3_000);
    await shows(ana.id, /Stopped\.$/u);
  });

  test('SPEC 3.3: edits, forwards, captions and other bots’ commands run nothing', async () => {
    const ana = somebody();
    const first = ana.say('Hello');
    model.reply('Hello, Ana.');
    await telegram.deliver(first);
    await shows(ana.id, 'Hello, Ana.');
    await telegram.deliver(updates.edited(first.message as object as Record<string, unknown>, '/clear'));
    await telegram.deliver(ana.say('/clear@other_bot'));
    model.reply('A forward.');
    await telegram.deliver(
      ana.say('/clear', { forward_origin: { type: 'hidden_user', sender_user_name: 'Ben', date: 1 } }),
    );
    await shows(ana.id, 'A forward.');
    expect(telegram.visible(ana.id)).toEqual(['Hello, Ana.', 'A forward.']);
    expect(model.requests).toHaveLength(2);
  });
});

describe('a group', () => {
  test('SPEC 3.5, 4.3: only what is addressed to us is answered, in its topic', async () => {
    const chat = group(-100_222);
    telegram.addChat(chat, [77]);
    const ben = person(222, 'Ben');
    await telegram.deliver(updates.groupMessage('nice weather', ben, chat));
    model.reply('In the topic.');
    const topic = { message_thread_id: 77, is_topic_message: true };
    await telegram.deliver(updates.groupMessage('@acme_bot where?', ben, chat, topic));
    const answer = await shows(chat.id, 'In the topic.');
    expect(answer.thread).toBe(77);
    expect(model.requests).toHaveLength(1);
    await telegram.deliver(updates.groupMessage('/status', ben, chat));
    await shows(chat.id, /private chat/u);
    await telegram.deliver(updates.groupMessage('/анекдот', ben, chat));
    await telegram.deliver(updates.groupMessage('/new@acme_bot', ben, chat));
    await shows(chat.id, /new conversation/u);
  });
});

test('a wrong or absent secret is refused', async () => {
  const ana = somebody();
  expect(await telegram.deliver(ana.say('hi'), { secret: 'wrong' })).toBe(401);
  expect(await telegram.deliver(ana.say('hi'), { secret: '' })).toBe(401);
  expect(asked()).toEqual([]);
});

test('DESIGN 3: killed in the middle of a turn and started again, there is exactly one answer', {
  timeout: 150_000,
}, async () => {
  const ana = somebody();
  model.reply({ chunks: Array.from({ length: 50 }, (_, n) => `${n} `), delayMs: 200 });
  await telegram.deliver(ana.say('Count'));
  await until(() => telegram.visible(ana.id).some((text) => text.startsWith('0 1')), 'the growing answer');
  await conch.kill();
  model.reset();
  model.reply('Done.');
  await conch.start();
  await shows(ana.id, 'Done.', 120_000);
  expect(telegram.visible(ana.id)).toEqual(['Done.']);
  expect(model.requests).toHaveLength(1);
});

test('DESIGN 3: ended in the middle of a turn, what is left of it is handed over to the next start', {
  timeout: 90_000,
}, async () => {
  const ana = somebody();
  model.reset();
  model.reply({ chunks: Array.from({ length: 100 }, (_, n) => `${n} `), delayMs: 200 });
  await telegram.deliver(ana.say('Count'));
  await until(() => telegram.visible(ana.id).some((text) => text.startsWith('0 1')), 'the growing answer');
  await conch.kill('SIGTERM');
  model.reset();
  model.reply('Done.');
  await conch.start();
  await shows(ana.id, 'Done.', 45_000);
  expect(telegram.visible(ana.id)).toEqual(['Done.']);
  expect(model.requests).toHaveLength(1);
});
