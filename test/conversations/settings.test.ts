import { beforeEach, describe, expect, test } from 'vitest';
import * as g from '../support/given.ts';
import { provider, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});

const ran = (command: string, outcome: string, detail?: object) => ({
  ...{ type: 'command.ran', command, outcome },
  ...(detail ? { detail } : {}),
});
const options = (command: string, change: object, more: object = {}) => ({
  ...{ type: 'options', command, options: change },
  ...more,
});
const shown = (command: string, menu: string) => ran(command, 'shown', { view: { menu, scope: 'chat' } });
const turnStarted = g.turnStarted([1], { options: { model: 'main/one' }, leaseUntil: g.NOON + 600_000 });
const message = () => ({ type: 'message', content: { text: 'hi' }, memory: 0, conversation: 0 });

/** Each command with what it does in a private chat, in one line and one event. */
const TYPED: [string, string, object][] = [
  ['/model', 'Model of this chat: **main/one**\n\nModels of main:', shown('model', 'models')],
  ['/models', 'Model of this chat: **main/one**\n\nModels of main:', shown('model', 'models')],
  ['/model two', 'Model: main/two.', options('model', { model: 'main/two' })],
  ['/model two —fast', 'Model: main/two. Speed: fast.', options('model', { model: 'main/two', fast: true })],
  ['/effort', 'Effort of this chat: **default**\n\nHow long I think before I answer.', shown('effort', 'effort')],
  ['/effort hi', 'Effort: high.', options('effort', { effort: 'high' })],
  ['/effort “max”', 'Effort: max.', options('effort', { effort: 'max' })],
  ['/effort auto', 'Effort: default.', options('effort', { effort: null })],
  ['/fast', 'Speed: fast.', options('fast', { fast: true })],
  ['/fast off', 'Speed: standard.', options('fast', { fast: false })],
  ['/plan', 'Plan mode is on: I plan, and change nothing. /plan off ends it.', options('plan', { mode: 'plan' })],
  ['/plan off', 'Plan mode is off already.', ran('plan', 'off')],
  ['/context', 'Context: **0 of 200k (0%)**\n\nIt is empty.', ran('context', 'shown')],
  ['/tokens', 'Context: **0 of 200k (0%)**\n\nIt is empty.', ran('context', 'shown')],
];

/** The same for the owner's commands. */
const OWNED: [string, string, object][] = [
  ['/mode', 'Mode of this chat: **Ask**\n\nI ask before I change anything.', shown('mode', 'mode')],
  ['/mode plan', 'Mode: Plan. I only plan, and change nothing.', options('mode', { mode: 'plan' })],
  [
    '/mode trust',
    'Turn on Full trust in this chat? I will no longer ask before I change something.',
    ran('mode', 'confirm', { view: { menu: 'mode', scope: 'chat', confirm: { mode: 'trust' } } }),
  ],
  [
    '/mode edit',
    'Turn on Edit freely in this chat? I will no longer ask before a change that destroys nothing.',
    ran('mode', 'confirm', { view: { menu: 'mode', scope: 'chat', confirm: { mode: 'edit' } } }),
  ],
  [
    '/mode auto',
    'Turn on Auto in this chat? I will ask only before a change that may destroy something.',
    ran('mode', 'confirm', { view: { menu: 'mode', scope: 'chat', confirm: { mode: 'auto' } } }),
  ],
  ['/mode default', 'Mode: Ask. I ask before I change anything.', options('mode', { mode: null })],
  [
    '/settings',
    '**This chat**\n\n- Model: main/one\n- Effort: default\n- Speed: standard\n- Mode: Ask. I ask before I change anything.',
    shown('settings', 'settings'),
  ],
  [
    '/config',
    '**This chat**\n\n- Model: main/one\n- Effort: default\n- Speed: standard\n- Mode: Ask. I ask before I change anything.',
    shown('settings', 'settings'),
  ],
];

describe('in a private chat, before a conversation', () => {
  test.each([...TYPED, ...OWNED])('the owner: %s', async (typed, reply, event) => {
    expect((await room.say(typed)).text).toBe(reply);
    expect(await room.events()).toEqual([event]);
  });

  test.each(TYPED)('anyone let in: %s', async (typed, reply, event) => {
    expect((await room.say(typed, 'ben')).text).toBe(reply);
    expect(await room.events('ben')).toEqual([event]);
  });

  test.each(OWNED)('cases B 34, 35, 40: somebody else than the owner hears one neutral sentence: %s', async (typed) => {
    const { text, labels } = await room.say(typed, 'ben');
    expect(text).toBe('Only the owner of this bot can do that.');
    expect(labels).toEqual([]);
    expect(await room.events('ben')).toEqual([ran('not-permitted', 'refused', { why: 'owner-only' })]);
  });

  test.each([...TYPED, ...OWNED])('a stranger is told once that the owner has to let them in: %s', async (typed) => {
    room = await Room.open({ access: 'list' });
    expect((await room.say(typed, 'eve')).text).toMatch(/owner of this bot has to let you in/u);
    expect((await room.say(typed, 'eve')).text).toBe('');
    expect((await room.events('eve')).map((event) => (event as { type: string }).type)).toEqual(['stranger.refused']);
  });
});

describe('in a group', () => {
  test.each([...TYPED, ...OWNED])(
    'cases A 2, B 41: it works in a private chat, for the owner and a guest alike: %s',
    async (typed) => {
      for (const who of ['ana', 'ben']) {
        expect((await room.say(typed, who, { group: true })).text).toBe('That works in a private chat with me.');
        expect(await room.events(who, true)).toEqual([ran('not-permitted', 'refused', { why: 'private-only' })]);
      }
    },
  );
});

describe('while an answer is written (SPEC 4.8)', () => {
  const NEXT = ' This counts from the next answer; the one that I am writing goes on as it began.';

  test.each([
    ['/model two', `Model: main/two.${NEXT}`],
    ['/effort low', `Effort: low.${NEXT}`],
    ['/fast', `Speed: fast.${NEXT}`],
    ['/mode plan', `Mode: Plan. I only plan, and change nothing.${NEXT}`],
    ['/plan', `Plan mode is on: I plan, and change nothing. /plan off ends it.${NEXT}`],
  ])('%s is taken at once, counts from the next one and says so', async (typed, reply) => {
    await room.say('hi');
    await room.work(turnStarted);
    expect((await room.say(typed)).text).toBe(reply);
    const { turn } = await room.state();
    expect(turn?.options).toEqual({ model: 'main/one' });
    expect((await room.events()).map((event) => (event as { type: string }).type)).toEqual([
      ...['message', 'turn.started', 'options'],
    ]);
  });

  test('a pick says so too', async () => {
    await room.say('hi');
    await room.work(turnStarted);
    await room.say('/model');
    expect((await room.press('two')).text).toBe(
      `${NEXT.trim()}\n\nModel of this chat: **main/two**\n\nModels of main:`,
    );
  });

  test.each(['/model', '/effort', '/context', '/status', '/settings'])(
    '%s only shows, and is not fed to the model',
    async (typed) => {
      await room.say('hi');
      await room.work(turnStarted);
      expect((await room.say(typed)).text).not.toMatch(/next answer;/u);
      expect((await room.state()).waiting).toEqual([]);
    },
  );
});

describe('what cannot be read gets a list of what can (SPEC 4.7)', () => {
  test.each([
    ['/model llama', 'I do not know “llama” here. This is what there is:', ['✓ one', 'two']],
    [
      '/model o',
      'Which do you mean by “o”?',
      ['✓ main/one', 'main/two', 'other/only', 'All models', 'Other providers'],
    ],
    ['/effort m', 'Which do you mean by “m”?', ['low', 'medium', 'high', 'max', '✓ default']],
    ['/fast maybe', 'I do not know “maybe” here. This is what there is:', ['fast', '✓ standard']],
    ['/mode a', 'Which do you mean by “a”?', ['Plan', '✓ Ask', 'Edit freely', 'Auto', 'Full trust']],
  ])('%s', async (typed, text, labels) => {
    if (typed === '/model o')
      room = await Room.open({ providers: [provider('main', ['one', 'two']), provider('other', ['only'])] });
    const reply = await room.say(typed);
    expect(reply.text.split('\n')[0]).toBe(text);
    expect(reply.labels).toEqual(labels);
    expect(await room.events()).toMatchObject([{ type: 'command.ran', outcome: 'unread' }]);
  });

  test('its first 64 characters are shown again, on one line, escaped', async () => {
    const { text } = await room.say(`/effort *a*\n\n${'🎉'.repeat(100)}`);
    expect(text.split('\n')[0]).toBe(`I do not know “\\*a\\* ${'🎉'.repeat(60)}” here. This is what there is:`);
  });
});

describe('what a provider has (SPEC 4.7)', () => {
  beforeEach(async () => {
    const small = provider('small', ['tiny'], { engine: 'openai-compatible' });
    room = await Room.open({ providers: [small, provider('main', ['one'])] });
  });

  test('/fast where there is no faster service says so and changes nothing', async () => {
    expect((await room.say('/fast')).text).toBe('This model has no faster service. Nothing has changed.');
    expect((await room.say('/fast on')).text).toBe('This model has no faster service. Nothing has changed.');
    expect(await room.events()).toEqual([ran('fast', 'no-fast'), ran('fast', 'no-fast')]);
  });

  test('SPEC 4.7: asked for with a model that has none, the model is set, and the speed is left alone', async () => {
    await room.say('/model main');
    expect((await room.say('/model small —fast')).text).toBe(
      'Model: small/tiny. This model has no faster service, so it answers at its standard speed.',
    );
    expect((await room.state()).options).toEqual({ model: 'small/tiny' });
    await room.say('/model default —fast');
    expect((await room.state()).options).toEqual({});
  });

  test('an effort that it has not becomes the nearest, and the reply says so', async () => {
    expect((await room.say('/effort max')).text).toBe(
      'Effort: high. This model has no level max; high is the nearest that it has.',
    );
    expect(await room.events()).toEqual([options('effort', { effort: 'high' }, { asked: 'max' })]);
  });

  test('a model that lacks what is set says so; what is set comes back with another model', async () => {
    await room.say('/model main');
    await room.say('/effort max');
    await room.say('/fast');
    expect((await room.say('/model small')).text).toBe(
      'Model: small/tiny. This model has no level max; high is the nearest that it has. This model has no faster service, so it answers at its standard speed.',
    );
    const { text } = await room.say('/status');
    expect(text).toContain('- Effort: high\n- Speed: standard (this model has no faster service)');
    await room.say('/model main');
    expect((await room.say('/status')).text).toContain('- Effort: max\n- Speed: fast\n');
  });

  test('/fast takes back what another model had', async () => {
    await room.say('/model main');
    await room.say('/fast');
    await room.say('/model small');
    expect((await room.say('/fast')).text).toBe('Speed: standard.');
  });
});

describe('the model of a chat', () => {
  test('cases J 118: /new keeps it, and says which', async () => {
    await room.say('/model two');
    expect((await room.say('/new')).text).toBe('A new conversation. You keep main/two.');
    expect((await room.state()).options).toEqual({ model: 'main/two' });
  });

  test('SPEC 5.3: /clear keeps model, effort, speed and mode', async () => {
    for (const typed of ['/model two', '/effort low', '/fast', '/plan', 'hi', '/clear']) await room.say(typed);
    expect((await room.state()).options).toEqual({ model: 'main/two', effort: 'low', fast: true, mode: 'plan' });
  });

  test('one that has disappeared is said everywhere and replaced nowhere; picking another mends it', async () => {
    await room.say('/model two');
    await room.tenants.putProvider('t', provider('main', ['one', 'my_model']));
    const gone = 'main/two (no longer set up here)';
    expect((await room.say('/model')).text).toBe(`Model of this chat: **${gone}**\n\nModels of main:`);
    expect(room.last.labels).toEqual(['one', 'my_model']);
    expect((await room.say('/settings')).text).toContain(`- Model: ${gone}`);
    expect((await room.say('/status')).text).toContain(
      '- Provider: main\n- Model: two (no longer set up here). Pick another with /model.\n',
    );
    expect((await room.say('/new')).text).toBe(
      'A new conversation. You keep main/two, which is no longer set up here. Pick another with /model.',
    );
    expect((await room.state()).options).toEqual({ model: 'main/two' });
    expect((await room.say('/model my')).text).toBe('Model: main/my\\_model.');
  });

  test('a tenant without a provider of its own has the demo', async () => {
    room = await Room.open({ providers: [] });
    expect((await room.say('/model')).text).toBe('Model of this chat: **demo/demo**\n\nModels of demo:');
    expect(room.last.labels).toEqual(['✓ demo']);
  });
});

describe('/plan', () => {
  test('SPEC 7.6: with a message it turns on and sends it, in one event', async () => {
    expect((await room.say('/plan\nbook a room\ninvite Ben')).text).toBe(
      'Plan mode is on: I plan, and change nothing. /plan off ends it.',
    );
    expect(await room.events()).toEqual([
      options('plan', { mode: 'plan' }, { content: { text: 'book a room\ninvite Ben' }, memory: 0 }),
    ]);
    expect(await room.state()).toMatchObject({ waiting: [1], begun: true, options: { mode: 'plan' } });
  });

  test('SPEC 6.3: before a conversation it waits for the message that starts it', async () => {
    await room.say('/plan');
    await room.say('hi');
    expect(await room.events()).toEqual([
      options('plan', { mode: 'plan' }),
      { ...message(), options: { mode: 'plan' } },
    ]);
  });

  test('cases K 130: /plan off starts nothing', async () => {
    await room.say('/plan');
    expect((await room.say('/plan off')).text).toBe('Plan mode is off. Mode: Ask. I ask before I change anything.');
    expect((await room.state()).waiting).toEqual([]);
  });

  test('somebody else than the owner may leave plan mode, and gets the mode that was there', async () => {
    await room.tenants.putSettings('t', { mode: 'edit' });
    await room.say('/plan', 'ben');
    expect((await room.say('/plan', 'ben')).text).toBe(
      'Plan mode is off. Mode: Edit freely. I make changes without asking, as long as they destroy nothing.',
    );
    expect((await room.state('ben')).options).toEqual({});
  });
});

describe('/status and /context', () => {
  test('SPEC 4.2, 8.1: every line, for the owner', async () => {
    await room.say('/goal Speak of *whales*');
    await room.say('hi');
    await room.work(g.turnStarted([2]));
    await room.work(g.turnEnded([2], { contextTokens: 84_212, model: 'main/one' }));
    expect((await room.say('/status')).text).toBe(
      [
        ...['- Provider: main', '- Model: one', '- Effort: default', '- Speed: standard'],
        ...['- Mode: Ask. I ask before I change anything.', '- Context: 84.2k of 200k (42%)', '- Now: idle'],
        ...['- Today, everyone here: 0 answers, 0 tokens read, 0 written', '- You: the owner of this bot'],
        ...['- Goal:', '', '> Speak of \\*whales\\*'],
      ].join('\n'),
    );
    expect((await room.say('/context')).text).toBe(
      'Context: **84.2k of 200k (42%)**\n\nIn it:\n\n- 1 message of yours, and my answers\n- the goal',
    );
  });

  test('for somebody else, while an answer is written', async () => {
    await room.say('hi', 'ben');
    await room.work(turnStarted, 'ben');
    const { text } = await room.say('/whoami', 'ben');
    expect(text).toContain('- Context: known after the next answer\n- Now: answering\n');
    expect(text).toContain('- You: a user of this bot\n- Goal: none');
  });

  test('cases K 122: after a compaction on request', async () => {
    await room.say('hi');
    await room.work(turnStarted);
    await room.work(g.turnEnded([1], { contextTokens: 84_212 }));
    await room.work(g.delivered());
    await room.work(g.compactAsked());
    await room.work(g.turnStarted([], { turn: 'c', kind: 'compact' }));
    await room.work(g.compacted(0, 4, { turn: 'c' }));
    const line = 'compacted (0%), known again after the next answer';
    expect((await room.say('/status')).text).toContain(`- Context: ${line}`);
    expect((await room.say('/context')).text).toBe(
      `Context: **${line}**\n\nIn it:\n\n- a summary of what was said before`,
    );
  });

  test('cases E 83: a model with underscores is shown as it is', async () => {
    room = await Room.open({ providers: [provider('my_own', ['my_model_v2'])] });
    expect((await room.say('/status')).text).toContain('- Provider: my\\_own\n- Model: my\\_model\\_v2\n');
  });
});

test('SPEC 12.2: a reply names commands as the app writes them', async () => {
  room = await Room.open({ limits: { commandPrefix: '/conch ' } });
  expect((await room.say('/plan')).text).toBe('Plan mode is on: I plan, and change nothing. /conch plan off ends it.');
});
