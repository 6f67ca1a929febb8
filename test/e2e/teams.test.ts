import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ModelStandIn } from '../standins/model.ts';
import { buttonsOf, direct, GENERAL, LUNCH, type Message, shownOf, TeamsStandIn } from '../standins/teams.ts';
import { Conch, until } from './conch.ts';

const conch = new Conch();
let teams: TeamsStandIn;
let model: ModelStandIn;
let nextPerson = 1;

beforeAll(async () => {
  [teams, model] = await Promise.all([TeamsStandIn.start(), ModelStandIn.start(), conch.start()]);
  expect((await conch.admin('PUT', '/tenants/acme', {})).status).toBeLessThan(300);
  const provider = await conch.admin('PUT', '/tenants/acme/providers/main', {
    ...{ engine: 'openai-compatible', baseURL: model.baseURL('openai-compatible'), apiKey: model.apiKey },
    models: ['one', 'two'].map((id) => ({ id, contextWindow: 100_000 })),
  });
  expect(provider.status).toBeLessThan(300);
  const fields = { app: 'teams', ...teams.fields, access: 'anyone' };
  const path = '/tenants/acme/channels/bot';
  const connected = await conch.admin<{ webhookPath: string; claimCommand: string }>('PUT', path, fields);
  expect(connected).toMatchObject({ status: 201, body: { claimCommand: expect.stringMatching(/^\/start \w+$/) } });
  teams.webhook = `${conch.url}${connected.body.webhookPath}`;
});

afterAll(async () => {
  await Promise.all([conch.close(), teams.close(), model.close()]);
});

beforeEach(() => model.reset());

/** A new person with a private chat of their own. */
function somebody() {
  const id = `29:1person${nextPerson++}`;
  const say = async (text: string, fields = {}) =>
    (await teams.deliver(teams.payloads.direct(text, id, fields))).status;
  return { id, direct: direct(id), say };
}

async function shows(conversation: string, text: string | RegExp): Promise<Message> {
  const matches = (shown: string) => (typeof text === 'string' ? shown === text : text.test(shown));
  const find = () => teams.messages.findLast((one) => one.conversation === conversation && matches(shownOf(one)));
  return until(find, `${text} in ${teams.messages.map(shownOf).join(' | ')}`);
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 500));
const seen = (conversation: string) => teams.visible(conversation);

describe('a private chat', () => {
  test('SPEC 13.3: a message is answered, at first as “…”, then edited in place', async () => {
    const ana = somebody();
    model.reply({ chunks: ['It ', 'rains.'] });
    expect(await ana.say('Will it rain?')).toBe(200);
    const answer = await shows(ana.direct, 'It rains.');
    expect(answer.history[0]).toBe('…');
    expect(seen(ana.direct)).toEqual(['It rains.']);
    expect(teams.callsOf('post').some(({ body }) => body.type === 'typing')).toBe(true);
  });

  test('SPEC 2.3: the same message five times at once, and again later, is one reply', async () => {
    const ana = somebody();
    model.reply('Once.');
    const activity = teams.payloads.direct('How often?', ana.id);
    const all = await Promise.all(Array.from({ length: 5 }, () => teams.deliver(activity)));
    expect(all).toEqual(all.map(() => ({ status: 200, body: '' })));
    await shows(ana.direct, 'Once.');
    await teams.deliver(activity);
    await settle();
    expect(seen(ana.direct)).toEqual(['Once.']);
    expect(model.requests).toHaveLength(1);
  });

  test('SPEC 5.5, 11.1: Undo shows its result in the card to the presser at once, and for good; a second press has no effect', async () => {
    const ana = somebody();
    model.reply('Noted.');
    await ana.say('My cat is called Mitzi');
    await shows(ana.direct, 'Noted.');
    await ana.say('/clear');
    const cleared = await shows(ana.direct, /^Cleared/);
    const press = teams.pressOf(cleared, 'Undo', ana.id);
    const answer = await teams.answerTo(press);
    expect(answer.words).toMatch(/^Undone/);
    expect(shownOf(cleared)).toBe(answer.words);
    expect(buttonsOf(cleared.activity)).toEqual([]);
    expect((await teams.answerTo(press)).words).toBe('This button was used already.');
    expect((await teams.answerTo({ ...press, id: 'f:another' })).words).toBe('This button was used already.');
    expect(shownOf(cleared)).toBe(answer.words);
    model.reply('Mitzi.');
    await ana.say('What is her name?');
    await shows(ana.direct, 'Mitzi.');
    expect(JSON.stringify(model.last.body)).toContain('My cat is called Mitzi');
  });

  test('SPEC 11.5: /model is picked from a card that stays where it is', async () => {
    const ana = somebody();
    await ana.say('/model');
    const menu = await shows(ana.direct, /[Mm]odel/);
    const answer = await teams.press(menu, /two/, ana.id);
    expect(buttonsOf(menu.activity).map(({ title }) => title)).toEqual(
      buttonsOf({ attachments: [{ content: answer.card }] }).map(({ title }) => title),
    );
    expect(seen(ana.direct)).toHaveLength(1);
    model.reply('By two.');
    await ana.say('who?');
    await shows(ana.direct, 'By two.');
    expect(model.last.body).toMatchObject({ model: 'two' });
  });

  test('SPEC 4.5: a did-you-mean is run by a press, and its card loses the buttons and keeps the words', async () => {
    const ana = somebody();
    await ana.say('/stauts');
    const asked = await shows(ana.direct, /Did you mean/);
    const words = shownOf(asked);
    await teams.press(asked, /status/, ana.id);
    await shows(ana.direct, /Model|model/);
    expect(buttonsOf(asked.activity)).toEqual([]);
    expect(shownOf(asked)).toBe(words);
  });

  test('an older client’s press comes as a message, and has the same effect', async () => {
    const ana = somebody();
    await ana.say('/goal Speak of whales');
    await ana.say('/goal');
    const shown = await until(
      () => teams.messages.find((one) => one.conversation === ana.direct && buttonsOf(one.activity).length > 0),
      'the goal',
    );
    expect((await teams.deliver(teams.pressOf(shown, /Clear goal/, ana.id, 'submit'))).status).toBe(200);
    await until(() => buttonsOf(shown.activity).length === 0, 'the buttons to go');
    expect(shownOf(shown)).toMatch(/cleared|no goal/i);
  });

  test('SPEC 4.10: /stop ends the answer', async () => {
    const ana = somebody();
    model.reply({ chunks: Array.from({ length: 100 }, (_, n) => `${n} `), delayMs: 200 });
    await ana.say('Count to a hundred');
    await until(() => seen(ana.direct).some((text) => text.startsWith('0 1')), 'the growing answer');
    await ana.say('/stop');
    await shows(ana.direct, /Stopped\.$/);
  });

  test('SPEC 3.3, 3.4: edits, captions and bots run nothing', async () => {
    const ana = somebody();
    await ana.say('/clear', { type: 'messageUpdate' });
    await ana.say('/clear', { from: { id: '28:other', name: 'Other' } });
    model.reply('A file.');
    const file = {
      contentType: 'application/vnd.microsoft.teams.file.download.info',
      name: 'a.pdf',
      content: { uniqueId: 'F1' },
    };
    await ana.say('/clear', { attachments: [file] });
    await shows(ana.direct, 'A file.');
    expect(seen(ana.direct)).toEqual(['A file.']);
  });

  test('SPEC 4.2: /export sends the conversation as text', async () => {
    const ana = somebody();
    model.reply('Whales sing.');
    await ana.say('What do whales do?');
    await shows(ana.direct, 'Whales sing.');
    await ana.say('/export');
    await shows(ana.direct, /What do whales do\?[\s\S]*Whales sing\./);
  });
});

describe('a team', () => {
  test('SPEC 13.7: a mention is answered in its thread, a mention in a thread there', async () => {
    const ben = somebody();
    model.reply('It snows.');
    const mention = teams.payloads.mention('and today?', ben.id, GENERAL);
    await teams.deliver(mention);
    const thread = `${GENERAL};messageid=${mention.id}`;
    await shows(thread, 'It snows.');
    model.reply('And then it melts.');
    await teams.deliver(teams.payloads.mention('and then?', ben.id, GENERAL, String(mention.id)));
    await shows(thread, 'And then it melts.');
    expect(JSON.stringify(model.last.body)).toContain('and today?');
    expect(teams.messages.filter(({ conversation }) => conversation === GENERAL)).toEqual([]);
  });

  test('SPEC 4.3, 4.11: /new behind the name, and Go back', async () => {
    const ben = somebody();
    model.reply('Noted.');
    const first = teams.payloads.mention('remember Mitzi', ben.id, GENERAL);
    const root = String(first.id);
    const thread = `${GENERAL};messageid=${root}`;
    await teams.deliver(first);
    await shows(thread, 'Noted.');
    await teams.deliver(teams.payloads.mention('/new', ben.id, GENERAL, root));
    const left = await shows(thread, /new conversation/);
    await teams.press(left, 'Go back', ben.id);
    expect(buttonsOf(left.activity)).toEqual([]);
    model.reply('Mitzi.');
    await teams.deliver(teams.payloads.mention('who?', ben.id, GENERAL, root));
    await shows(thread, 'Mitzi.');
    expect(JSON.stringify(model.last.body)).toContain('remember Mitzi');
  });

  test('11.2: somebody else’s button has no effect, and they alone hear it', async () => {
    const [ana, ben] = [somebody(), somebody()];
    await teams.deliver(teams.payloads.mention('/nww', ana.id, LUNCH));
    const asked = await shows(LUNCH, /Did you mean/);
    const count = teams.messages.length;
    expect((await teams.press(asked, /new/, ben.id)).words).toMatch(/somebody else/);
    expect(teams.messages).toHaveLength(count);
    expect(buttonsOf(asked.activity).length).toBeGreaterThan(0);
    await teams.press(asked, /new/, ana.id);
    await shows(LUNCH, /new conversation/);
  });

  test('11.2: the choices of a used message go for everybody, and its words stay as the bot said them', async () => {
    const ana = somebody();
    await teams.deliver(teams.payloads.mention('/nww', ana.id, LUNCH));
    const asked = await shows(LUNCH, /no command \/nww/);
    const words = shownOf(asked);
    const press = teams.pressOf(asked, '/new', ana.id);
    const forged = JSON.parse(JSON.stringify(press).replaceAll('no command', 'a wonderful command'));
    const answer = await teams.answerTo(forged);
    expect(answer.words).toBe(`${words}\n\nChosen: /new`);
    expect(shownOf(asked)).toBe(answer.words);
    expect(buttonsOf(asked.activity)).toEqual([]);
    expect((await teams.answerTo({ ...press, id: 'f:again' })).words).toBe('This button was used already.');
    expect(shownOf(asked)).toBe(answer.words);
  });

  test.each(['Keep planning', 'Start'])('7.2, 11.2: what was answered to a plan stands under it: %s', async (label) => {
    const tenant = label === 'Start' ? 'starter' : 'keeper';
    await conch.admin('PUT', `/tenants/${tenant}`, {});
    expect((await conch.admin('PUT', `/tenants/${tenant}/settings`, { mode: 'plan' })).status).toBeLessThan(300);
    const { body } = await conch.admin<{ webhookPath: string; claimCommand: string }>(
      'PUT',
      `/tenants/${tenant}/channels/bot`,
      { app: 'teams', ...teams.fields, access: 'list' },
    );
    const { webhook } = teams;
    teams.webhook = `${conch.url}${body.webhookPath}`;
    const ana = somebody();
    await ana.say(body.claimCommand);
    await shows(ana.direct, /yours now/);
    await teams.deliver(teams.payloads.mention('Tidy my desk', ana.id, LUNCH));
    const plan = await until(
      () => teams.messages.find(({ activity }) => buttonsOf(activity).some(({ title }) => title === label)),
      'a plan',
    );
    const words = shownOf(plan);
    const answer = await teams.press(plan, label, ana.id);
    teams.webhook = webhook;
    expect(answer.words).toBe(`${words}\n\nChosen: ${label}`);
    expect(shownOf(plan)).toBe(answer.words);
    expect(buttonsOf(plan.activity)).toEqual([]);
  });
});

test('SPEC 9.2, 9.3: the printed command makes its sender the owner, who is asked about a stranger in their private chat', async () => {
  const path = '/tenants/acme/channels/mine';
  const { webhook } = teams;
  const { body } = await conch.admin<{ webhookPath: string; claimCommand: string }>('PUT', path, {
    app: 'teams',
    ...teams.fields,
    access: 'list',
  });
  const [ana, ben] = [somebody(), somebody()];
  teams.webhook = `${conch.url}${body.webhookPath}`;
  await ana.say(body.claimCommand);
  await until(() => seen(ana.direct).length > 0, 'the greeting');
  await ben.say('hi');
  await ben.say('hi?');
  await shows(ben.direct, /let you in/);
  const asked = await shows(ana.direct, /person\d+/);
  await teams.press(asked, 'Let in', ana.id);
  await ben.say('/start');
  await until(() => seen(ben.direct).length > 1, 'to be let in');
  teams.webhook = webhook;
  expect((await conch.admin('GET', path)).body).toMatchObject({ owner: ana.id });
});

test('another organisation’s people are not answered, unless the channel says so', async () => {
  const other = 'bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee';
  const cleo = somebody();
  const from = { conversation: { conversationType: 'personal', id: cleo.direct, tenantId: other }, channelData: {} };
  expect(await cleo.say('/status', from)).toBe(200);
  const path = '/tenants/acme/channels/open';
  const fields = { app: 'teams', ...teams.fields, access: 'anyone', allowedTenants: other.toUpperCase() };
  const { body } = await conch.admin<{ webhookPath: string }>('PUT', path, fields);
  const { webhook } = teams;
  teams.webhook = `${conch.url}${body.webhookPath}`;
  expect(seen(cleo.direct)).toEqual([]);
  await cleo.say('/status', from);
  teams.webhook = webhook;
  await until(() => seen(cleo.direct).length > 0, 'the status');
});

test('nothing that is not signed by Bot Framework is taken', async () => {
  const ana = somebody();
  const activity = teams.payloads.direct('/status', ana.id);
  expect((await teams.deliver(activity, { unendorsed: true })).status).toBe(401);
  expect((await teams.deliver(activity, { claims: { aud: 'other' } })).status).toBe(401);
  expect((await fetch(teams.webhook, { method: 'POST', body: JSON.stringify(activity) })).status).toBe(401);
  expect(seen(ana.direct)).toEqual([]);
});

test('no secret shows in the log or in what the administration tells (SPEC 14.2)', async () => {
  const channels = await conch.admin('GET', '/tenants/acme/channels');
  const places = await conch.admin<{ place: string }[]>('GET', '/tenants/acme/places');
  const events = await Promise.all(
    places.body.map(({ place }) => conch.admin('GET', `/tenants/acme/places/${place}/events`)),
  );
  const told = JSON.stringify([channels, events]) + conch.output;
  expect(places.body.length).toBeGreaterThan(3);
  for (const secret of [teams.appPassword, 'Bearer', 'token-1']) expect(told).not.toContain(secret);
});
