import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ModelStandIn } from '../standins/model.ts';
import { type Message, person, TelegramStandIn, Updates } from '../standins/telegram.ts';
import { Conch, until } from './conch.ts';

const conch = new Conch();
const updates = new Updates();
let telegram: TelegramStandIn;
let model: ModelStandIn;
let nextPerson = 7_000;
const ANA = person(6_999, 'Ana');

beforeAll(async () => {
  [telegram, model] = await Promise.all([TelegramStandIn.start(), ModelStandIn.start(), conch.start()]);
  await conch.admin('PUT', '/tenants/acme', {});
  const provider = (engine: 'openai-compatible' | 'openai', models: string[]) => ({
    ...{ engine, baseURL: model.baseURL(engine), apiKey: model.apiKey },
    models: models.map((id) => ({ id, contextWindow: 100_000 })),
  });
  await conch.admin('PUT', '/tenants/acme/providers/main', provider('openai-compatible', ['one', 'two']));
  await conch.admin('PUT', '/tenants/acme/providers/swift', provider('openai', ['gpt-5.4']));
  const connected = await conch.admin<{ claimCode: string }>('PUT', '/tenants/acme/channels/bot', {
    ...{ app: 'telegram', token: telegram.token, apiRoot: telegram.root, access: 'anyone' },
  });
  await telegram.deliver(updates.privateMessage(`/start ${connected.body.claimCode}`, ANA));
  await shows(ANA.id, /yours now/u);
});
afterAll(async () => {
  await Promise.all([conch.close(), telegram.close(), model.close()]);
});
beforeEach(() => model.reset());

async function shows(chat: number, text: RegExp): Promise<Message> {
  return until(() => telegram.messages(chat).findLast((message) => text.test(message.text)), String(text));
}

/** A person, by default somebody new, with their private chat. */
function chatOf(who = person(nextPerson++, 'Ben')) {
  return {
    id: who.id,
    say: (text: string) => telegram.deliver(updates.privateMessage(text, who)),
    async press(label: string, message: Message): Promise<string | undefined> {
      const data = message.buttons.flat().find((button) => button.text === label)?.data ?? '';
      const press = updates.press(data, who, telegram.asSent(message));
      expect(await telegram.deliver(press)).toBe(200);
      return telegram.answers.get((press.callback_query as { id: string }).id);
    },
  };
}

const labels = (message: Message) => message.buttons.flat().map(({ text }) => text);

describe('Telegram', () => {
  test('cases J 116: a pick from /model is what the next request names; the message is edited and ticked', async () => {
    const ben = chatOf();
    await ben.say('/model');
    const menu = await shows(ben.id, /^Model of this chat: main\/one/u);
    expect(labels(menu)).toEqual(['✓ one', 'two', 'Other providers']);
    await ben.press('two', menu);
    const after = await shows(ben.id, /^Model of this chat: main\/two/u);
    expect(after.id).toBe(menu.id);
    expect(labels(after)).toEqual(['one', '✓ two', 'Other providers']);
    model.reply('From two.');
    await ben.say('Hello');
    await shows(ben.id, /From two/u);
    expect(model.last.body).toMatchObject({ model: 'two' });
    await ben.say('/new');
    await shows(ben.id, /You keep main\/two/u);
  });

  test('SPEC 4.2: effort and the faster service reach the provider that has them', async () => {
    const ben = chatOf();
    for (const typed of ['/model gpt', '/effort hi', '/fast']) await ben.say(typed);
    await shows(ben.id, /^Speed: fast\.$/u);
    model.reply('Thought hard.');
    await ben.say('Hello');
    await shows(ben.id, /Thought hard/u);
    expect(model.last.body).toMatchObject({
      ...{ model: 'gpt-5.4', reasoning: { effort: 'high' }, service_tier: 'priority' },
    });
    await ben.say('/model one');
    await shows(ben.id, /no faster service/u);
    model.reply('Plainly.');
    await ben.say('And now?');
    await shows(ben.id, /Plainly/u);
    expect(model.last.body).toMatchObject({ model: 'one', reasoning_effort: 'high' });
    expect(model.last.body).not.toHaveProperty('service_tier');
  });

  test('SPEC 7.6, cases K 131: /plan MESSAGE plans; after /plan off the next prompt says that it is over', async () => {
    const ben = chatOf();
    model.reply('1. Book. 2. Go.');
    await ben.say('/plan a trip to the sea');
    await shows(ben.id, /^Plan mode is on/u);
    await shows(ben.id, /Book/u);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.last.body)).toContain('Plan mode is on. Only plan');
    expect(model.last.asked.messages.at(-1)?.text).toBe('a trip to the sea');
    await ben.say('/plan off');
    await shows(ben.id, /^Plan mode is off/u);
    expect(model.requests).toHaveLength(1);
    model.reply('Done.');
    await ben.say('Do the first step');
    await shows(ben.id, /^Done/u);
    expect(JSON.stringify(model.last.body)).toContain('Plan mode was on earlier');
  });

  test('SPEC 4.8: while an answer is written a change is taken at once and counts from the next', async () => {
    const ben = chatOf();
    model.reply({ chunks: Array.from({ length: 20 }, (_, n) => `${n} `), delayMs: 100 });
    await ben.say('Count');
    await until(() => telegram.visible(ben.id).some((text) => text.startsWith('0 1')), 'the growing answer');
    await ben.say('/model two');
    await shows(ben.id, /^Model: main\/two\. This counts from the next answer/u);
    await shows(ben.id, /19$/u);
    model.reply('Next.');
    await ben.say('And?');
    await shows(ben.id, /Next/u);
    expect(model.requests.map(({ body }) => (body as { model: string }).model)).toEqual(['one', 'two']);
  });

  test('SPEC 8.1: /status and /context show what the last step read and wrote', async () => {
    const ben = chatOf();
    model.reply({ chunks: ['Much.'], usage: { input: 40_000, output: 2_000, cached: 30_000 } });
    await ben.say('Read this');
    await shows(ben.id, /Much/u);
    await ben.say('/status');
    expect((await shows(ben.id, /Context/u)).text).toContain('Context: 42k of 100k (42%)');
    await ben.say('/context');
    await shows(ben.id, /^Context: 42k of 100k \(42%\)\n\nIn it:/u);
  });

  test('SPEC 11.5: the owner sets a default for new chats; others may not, and get it', async () => {
    const ana = chatOf(ANA);
    const ben = chatOf();
    await ben.say('/settings');
    await shows(ben.id, /^Only the owner of this bot can do that\.$/u);
    await ana.say('/settings');
    await ana.press('New chats', await shows(ana.id, /^This chat/u));
    await ana.press('Effort', await shows(ana.id, /^New chats/u));
    await ana.press('low', await shows(ana.id, /^Effort for new chats/u));
    await ana.press('Yes', await shows(ana.id, /^Make this the default/u));
    await shows(ana.id, /^Done, for all new chats/u);
    expect((await conch.admin('GET', '/tenants/acme/settings')).body).toEqual({ effort: 'low' });
    await ben.say('/status');
    expect((await shows(ben.id, /Effort/u)).text).toContain('Effort: low');
  });

  test('SPEC 7.5, cases C 44, 50: a freer mode asks first; another person and a second press get a private answer', async () => {
    const ana = chatOf(ANA);
    await ana.say('/mode trust');
    const question = structuredClone(await shows(ana.id, /^Turn on Full trust/u));
    expect(await chatOf().press('Yes', question)).toMatch(/somebody else/u);
    expect(await ana.press('Yes', question)).toBeUndefined();
    await shows(ana.id, /^Mode of this chat: Full trust/u);
    expect(await ana.press('Yes', question)).toMatch(/used already/u);
    await ana.say('/mode ask');
    await shows(ana.id, /^Mode: Ask/u);
  });

  test('a model that has disappeared is said with a way out, and nothing answers in its place', async () => {
    const ben = chatOf();
    await ben.say('/model two');
    await shows(ben.id, /^Model: main\/two/u);
    const provider = { engine: 'openai-compatible', baseURL: model.baseURL('openai-compatible'), apiKey: model.apiKey };
    await conch.admin('PUT', '/tenants/acme/providers/main', { ...provider, models: [{ id: 'one' }] });
    await ben.say('Hello');
    await shows(ben.id, /no model “two” here\. Pick another with \/model\./u);
    expect(model.requests).toEqual([]);
    await ben.say('/model');
    const menu = await shows(ben.id, /^Model of this chat: main\/two \(no longer set up here\)/u);
    expect(labels(menu)).toEqual(['one', 'Other providers']);
    await ben.press('one', menu);
    model.reply('Here again.');
    await ben.say('Hello?');
    await shows(ben.id, /Here again/u);
  });
});

describe('the text app', () => {
  let chat = { channelId: '', secret: '' };
  let ids = 0;
  beforeAll(() => {
    chat = JSON.parse(readFileSync(join(conch.dataDir, 'local.json'), 'utf8')).chat;
  });

  async function call(path: string, body = '', method = 'GET'): Promise<Response> {
    const at = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', chat.secret).update(`v0:${at}:${body}`).digest('hex');
    const headers = { 'X-Conch-Timestamp': String(at), 'X-Conch-Signature': `v0=${signature}` };
    return fetch(`${conch.url}/text/${chat.channelId}${path}`, { method, headers, ...(body ? { body } : {}) });
  }

  /** A chat of its own, in which one says something and gets the next reply. */
  function room(name: string) {
    let seen = 0;
    return async (text: string): Promise<string> => {
      ids += 1;
      const message = { id: `s${ids}`, chat: name, person: 'you', text };
      await (await call('', JSON.stringify(message), 'POST')).arrayBuffer();
      const reply = await until(async () => {
        const next = await (await call(`/replies?chat=${name}&after=${seen}`)).json();
        return (next as { seq: number; text: string }[])[0];
      }, `a reply to ${text}`);
      seen = reply.seq;
      return reply.text;
    };
  }

  test('SPEC 11.4, 11.5: menus are numbered, and digits, yes and no go through them', async () => {
    const say = room('menus');
    expect(await say('/effort')).toBe(
      'Effort of this chat: **default**\n\nHow long I think before I answer.\n\n1. low\n2. medium\n3. high\n4. max\n5. ✓ default\n\nAnswer with a number to choose.',
    );
    expect(await say('3')).toMatch(/^Effort of this chat: \*\*high\*\*.*3\. ✓ high/su);
    expect(await say('/status')).toContain('- Effort: high\n');
    expect(await say('3')).toMatch(/You said:/u);
  });

  test('SPEC 4.7: typed values are read as they were meant; what cannot be read gets a list', async () => {
    const say = room('typed');
    expect(await say('/effort “hi”')).toBe('Effort: high.');
    expect(await say('/fast —on')).toMatch(/^I do not know “--on” here\. This is what there is:/u);
    expect(await say('/fast on')).toBe('This model has no faster service. Nothing has changed.');
    expect(await say('/model demo')).toBe('Model: demo/demo.');
    expect(await say('/plan')).toBe('Plan mode is on: I plan, and change nothing. /plan off ends it.');
    expect(await say('/plan off')).toBe('Plan mode is off. Mode: Ask. I ask before I change anything.');
    expect(await say('/context')).toBe('Context: **0 of 32k (0%)**\n\nIt is empty.');
  });
});
