import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ModelStandIn } from '../standins/model.ts';
import { group, type Message, person, TelegramStandIn, Updates } from '../standins/telegram.ts';
import { Conch, until } from './conch.ts';

const conch = new Conch();
const updates = new Updates();
let telegram: TelegramStandIn;
let model: ModelStandIn;
let code = '';
let nextPerson = 7_000;
const ana = person(7_000, 'Ana');

beforeAll(async () => {
  [telegram, model] = await Promise.all([TelegramStandIn.start(), ModelStandIn.start(), conch.start()]);
  await conch.admin('PUT', '/tenants/acme', {});
  await conch.admin('PUT', '/tenants/acme/providers/main', {
    ...{ engine: 'openai-compatible', baseURL: model.baseURL('openai-compatible'), apiKey: model.apiKey },
    models: [{ id: 'one', contextWindow: 100_000 }],
  });
  code = (await connect()).claimCode;
});

afterAll(() => Promise.all([conch.close(), telegram.close(), model.close()]));

async function connect(more: object = {}) {
  const fields = { app: 'telegram', token: telegram.token, apiRoot: telegram.root, access: 'list', ...more };
  return (await conch.admin<{ claimCode: string }>('PUT', '/tenants/acme/channels/bot', fields)).body;
}

function somebody(name: string) {
  nextPerson += 1;
  const who = person(nextPerson, name);
  return { who, id: who.id, say: (text: string) => telegram.deliver(updates.privateMessage(text, who)) };
}

async function shows(chat: number, text: RegExp): Promise<Message> {
  const what = `${text} in ${telegram.visible(chat).join(' | ')}`;
  return until(() => telegram.messages(chat).findLast((message) => text.test(message.text)), what);
}

async function press(message: Message, label: string, who = ana): Promise<string | undefined> {
  const button = message.buttons.flat().find(({ text }) => text === label);
  const update = updates.press(button?.data ?? 'none', who, telegram.asSent(message));
  expect(await telegram.deliver(update)).toBe(200);
  return telegram.answers.get((update.callback_query as { id: string }).id);
}

const anaSays = (text: string) => telegram.deliver(updates.privateMessage(text, ana));
const asked = () => JSON.stringify(model.requests.map((request) => request.body));

describe('SPEC 9.2: a channel is claimed', () => {
  test('before, it asks nobody; five wrong codes from one person are the last in that hour', async () => {
    const eve = somebody('Eve');
    await eve.say('/start');
    await shows(eve.id, /^This bot is not set up yet/u);
    for (let n = 0; n < 5; n++) await eve.say(`/start wrong-${n}`);
    expect(telegram.visible(eve.id).filter((text) => /not right/u.test(text))).toHaveLength(5);
    await eve.say(`/start ${code}`);
    await shows(eve.id, /^Too many wrong codes/u);
    expect(telegram.messages(ana.id)).toEqual([]);
  });

  test('in a group the code claims nothing, and who is not let in hears that (SPEC 9.2, 9.3)', async () => {
    const chat = group(-100_701);
    await telegram.deliver(updates.groupMessage(`/start@acme_bot ${code}`, somebody('Mallory').who, chat));
    await shows(chat.id, /not set up yet/u);
  });

  test('the code makes the owner; a second person hears that it was used', async () => {
    await anaSays(`/start ${code}`);
    await shows(ana.id, /yours now/u);
    const ben = somebody('Ben');
    await ben.say(`/start ${code}`);
    await shows(ben.id, /used already/u);
  });

  test('a new code passes the channel on, and the one before is owner no longer', async () => {
    const { claimCode } = await connect({ reclaim: true });
    const bea = somebody('Bea');
    await bea.say(`/start ${claimCode}`);
    await shows(bea.id, /yours now/u);
    await anaSays('/people');
    await shows(ana.id, /has to let you in/u);
    const back = await connect({ reclaim: true });
    await anaSays(`/start ${back.claimCode}`);
    await until(() => telegram.messages(ana.id).filter(({ text }) => /yours now/u.test(text)).length === 2, 'claimed');
  });
});

describe('SPEC 9.3: a stranger', () => {
  test('hears once; the owner lets them in; then they are answered; put out they are not', async () => {
    const ben = somebody('Ben *B*');
    await ben.say('the stranger’s words');
    await ben.say('more of the stranger’s words');
    const notice = await shows(ana.id, /^Ben \*B\* \(\d+\) would like to write to me/u);
    expect(telegram.visible(ben.id)).toEqual([
      'The owner of this bot has to let you in before I can answer. I have asked them.',
    ]);
    expect(await press(notice, 'Let in', ben.who)).toMatch(/somebody else/u);
    expect(await press(notice, 'Let in')).toBeUndefined();
    await shows(ana.id, /^Ben \*B\* is let in/u);
    await shows(ben.id, /has let you in/u);
    model.reply('Welcome.');
    await ben.say('hello');
    await shows(ben.id, /^Welcome\.$/u);
    await anaSays('/people');
    const list = await shows(ana.id, /^Only people you let in/u);
    await press(list, 'Put out Ben *B*');
    await until(() => telegram.messages(ana.id).some(({ text }) => /Put out\s+• Ben/u.test(text)), 'the list, changed');
    await ben.say('still there?');
    await until(
      () => telegram.visible(ben.id).at(-1) === 'The owner of this bot has to let you in before I can answer.',
      'put out',
    );
    expect(asked()).not.toMatch(/stranger|still there/u);
  });
});

describe('SPEC 4.2: files and messages again', () => {
  test('/export sends a file into the same chat; case H 103: /retry is answered', async () => {
    model.reply('It rains.');
    await anaSays('Will it rain?');
    await shows(ana.id, /^It rains\.$/u);
    await anaSays('/export');
    const file = await until(() => telegram.messages(ana.id).find(({ document }) => document), 'the file');
    expect(file.document).toMatchObject({ name: expect.stringMatching(/\.md$/u), mimeType: 'text/markdown' });
    expect(file.document?.text).toMatch(/Will it rain\?.*It rains\./su);
    model.reply('It pours.');
    await anaSays('/retry');
    await shows(ana.id, /^It pours\.$/u);
    expect(JSON.stringify(model.last.body).match(/Will it rain/gu)).toHaveLength(2);
  });

  test('/resume goes on with what was left', async () => {
    await anaSays('/new');
    model.reply('A fresh start.');
    await anaSays('Something else');
    await shows(ana.id, /^A fresh start\.$/u);
    await anaSays('/resume');
    const list = await shows(ana.id, /^Which conversation/u);
    await press(list, list.buttons.flat().find(({ text }) => text.startsWith('Will it rain?'))?.text ?? '');
    await shows(ana.id, /^You are back in “Will it rain\?”/u);
    model.reply('I remember rain.');
    await anaSays('Do you remember?');
    await shows(ana.id, /^I remember rain\.$/u);
    expect(JSON.stringify(model.last.body)).toMatch(/Will it rain/u);
    expect(JSON.stringify(model.last.body)).not.toMatch(/Something else/u);
  });
});

describe('SPEC 9.4: limits of a tenant', () => {
  const settings = (limits: object) => conch.admin('PUT', '/tenants/acme/settings', limits);

  test('past one a person hears when it opens again, and nothing goes to the provider', async () => {
    await settings({ messagesPerMinute: 1 });
    const before = model.requests.length;
    model.reply('One.');
    const ana2 = somebody('Ann');
    await conch.admin('PUT', `/tenants/acme/channels/bot/people/${ana2.id}`, {});
    await ana2.say('first');
    await ana2.say('second');
    await ana2.say('third');
    await shows(ana2.id, /at most 1 message a minute from one person\. Please send it again in \d+ seconds?\.$/u);
    await shows(ana2.id, /^One\.$/u);
    expect(telegram.messages(ana2.id)).toHaveLength(2);
    expect(model.requests).toHaveLength(before + 1);
    await settings({});
  });

  test('a message that was taken before the day’s turns were used up is answered with that', async () => {
    await settings({ turnsAtOnce: 1 });
    const [ann, bob] = [somebody('Ann'), somebody('Bob')];
    for (const { id } of [ann, bob]) await conch.admin('PUT', `/tenants/acme/channels/bot/people/${id}`, {});
    model.reply({ chunks: Array.from({ length: 12 }, (_, n) => `${n} `), delayMs: 200 });
    await ann.say('Count');
    await shows(ann.id, /^0 1/u);
    await bob.say('And me?');
    const before = model.requests.length;
    await settings({ turnsPerDay: 1, turnsAtOnce: 1 });
    await shows(bob.id, /^This bot gives at most 1 answer a day, and today’s are used up\. Please send it again in/u);
    expect(model.requests).toHaveLength(before);
    await settings({});
  });
});
