import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawMarkdown } from '../../lib/channels/shared/markdown.ts';
import { catalogFor } from '../../lib/commands/catalog.ts';
import type { ChatFacts, CommandContext, Facts, Reply, ReplyContext } from '../../lib/commands/command.ts';
import { NO_OWN, whyNot } from '../../lib/commands/meaning.ts';
import { contextLine } from '../../lib/commands/meter.ts';
import { handlerNamed, NOTICES } from '../../lib/commands/notices.ts';
import { COMMANDS } from '../../lib/commands/registry.ts';
import { droppedSentence, escapeMarkdown, quote, tokens } from '../../lib/commands/words.ts';
import type { Role } from '../../lib/domain/access.ts';
import { decideGoalClear, decideGoBack, decideUndo } from '../../lib/domain/decide.ts';
import { type Draft, EFFORTS, type Event } from '../../lib/domain/events.ts';
import { evolve } from '../../lib/domain/evolve.ts';
import type { State } from '../../lib/domain/state.ts';
import * as g from '../support/given.ts';

const CHAT: ChatFacts = {
  ...{ model: 'main/my_model_v2', contextWindow: 200_000, efforts: EFFORTS },
  ...{ fast: false, fastService: true, mode: 'ask' },
};
const TENANT: ReplyContext['tenant'] = {
  models: [
    {
      ...{ name: 'main/my_model_v2', provider: 'main', model: 'my_model_v2' },
      ...{ contextWindow: 200_000, efforts: EFFORTS, fast: true },
    },
  ],
  defaults: {},
};

interface Asked {
  /** What happened before. */
  log?: Draft[];
  args?: string;
  claim?: CommandContext['claim'];
  prefix?: string;
  role?: Role;
  group?: boolean;
  chat?: Partial<ChatFacts>;
  facts?: Facts;
  sentAt?: number;
  threadPrefix?: string;
  /** Decides instead of the command itself, as a press does. */
  decide?: (state: State) => Draft;
}

/** Runs a command on a log, and gives its reply. */
function reply(name: string, asked: Asked = {}): Reply {
  const { log = [], args = '', prefix = '/', role = 'let-in', group = false, facts = {} } = asked;
  const [asker, chat] = [
    { role, group },
    { ...CHAT, ...asked.chat },
  ];
  const handler = handlerNamed(name);
  if (!handler) throw new Error(`No handler ${name}`);
  const before = g.stateAfter(...log);
  const base = g.base({ command: name, ...(asked.sentAt === undefined ? {} : { sentAt: asked.sentAt }) });
  const claim = asked.claim === undefined ? {} : { claim: asked.claim };
  const context = { base, args, asker, tenant: TENANT, chatIn: () => chat, ...claim };
  const draft = asked.decide ? asked.decide(before) : handler.decide(before, context);
  const event = { ...draft, seq: before.seq + 1, id: 'new-event', at: g.NOON } as Event;
  return handler.reply({
    event: g.stored(event),
    state: g.stored(evolve(before, event)),
    slash: (command, more) => `${prefix}${command}${more ? ` ${more}` : ''}`,
    ...{ asker, tenant: TENANT, facts, buttonLimit: 8, catalog: catalogFor(asker), chat },
    whyNot: (other) => whyNot(other, asker, NO_OWN),
    slashInThreads: asked.threadPrefix === undefined ? undefined : (command) => `${asked.threadPrefix}${command}`,
  });
}

/** The reply as the person reads it, without Markdown. */
const read = (name: string, asked: Asked = {}) => drawMarkdown(reply(name, asked).markdown).text;
const running = [g.message(), g.turnStarted([1])];

describe('/clear', () => {
  test.each<[string, Asked, string]>([
    ['nothing', {}, 'There is nothing to clear.'],
    [
      'some',
      { log: [g.message()] },
      'Cleared. I start afresh and remember nothing from before. 1 message that was waiting is dropped.',
    ],
    [
      'a goal, a running turn and two that wait',
      { log: [g.goalSet('x'), g.message(), g.turnStarted([2]), g.message(), g.message()] },
      'Cleared. I start afresh and remember nothing from before. The goal stays. 2 messages that were waiting are dropped. The answer that I am writing still arrives, and is not remembered.',
    ],
    [
      'late',
      { log: [g.message()], sentAt: g.NOON - 1 },
      'That came late: a newer message is here already, so I cleared nothing. Send it again if you still want it.',
    ],
  ])('SPEC 5: %s', (_what, asked, text) => expect(read('clear', asked)).toBe(text));

  test('SPEC 5.5: it offers Undo, which names this clear; an empty one offers nothing', () => {
    expect(reply('clear', { log: running }).choices).toEqual([{ label: 'Undo', target: { kind: 'undo', clear: 3 } }]);
    expect(reply('clear').choices).toBeUndefined();
  });
});

describe('/undo', () => {
  const log = [g.message(), g.cleared(1)];
  test.each<[string, Asked, string]>([
    ['no clear', {}, 'There is no clear to undo.'],
    ['one waited', { log }, 'Undone. I remember everything from before again. The message that waited is back.'],
    ['none waited', { log: [...running, g.cleared()] }, 'Undone. I remember everything from before again.'],
    ['too late', { log: [...log, g.message()] }, 'It is too late to undo: you have sent a message since I cleared.'],
    [
      'a press on an older clear',
      { log: [...log, g.message(), g.cleared(1)], decide: (state) => decideUndo(state, g.base(), 2) },
      'That clear can no longer be undone: there is a newer one.',
    ],
  ])('SPEC 5.5: %s', (_what, asked, text) => expect(read('undo', asked)).toBe(text));

  test('SPEC 5.5: several that waited are counted', () =>
    expect(read('undo', { log: [g.message(), g.message(), g.cleared(2)] })).toContain(
      'The 2 messages that waited are back.',
    ));
});

describe('/goal', () => {
  test('SPEC 6.1: set, shown, cleared', () => {
    expect(read('goal', { args: 'Speak of whales' })).toBe(
      'Goal set:\n\nSpeak of whales\n\nI keep it in mind in every answer, also after /clear; /new drops it.',
    );
    expect(read('goal', { log: [g.goalSet('whales')] })).toBe('The goal of this chat:\n\nwhales');
    expect(read('goal')).toBe('No goal is set. Write /goal what I should keep in mind to set one.');
    expect(read('goal', { log: [g.goalSet('whales')], args: 'clear' })).toBe('The goal is cleared.');
    expect(read('goal', { args: 'clear' })).toBe('No goal is set.');
  });

  test('SPEC 6.1: a longer one is refused with its length', () =>
    expect(read('goal', { args: '🐳'.repeat(501) })).toBe(
      'That goal is 501 characters long; it may have at most 500. Nothing has changed.',
    ));

  test('SPEC 6.1: a button clears the goal that it names', () => {
    const target = { kind: 'clear-goal', goal: 'whales' };
    expect(reply('goal', { log: [g.goalSet('whales')] }).choices).toEqual([{ label: 'Clear goal', target }]);
    expect(reply('goal', { args: 'whales' }).choices).toEqual([{ label: 'Clear goal', target }]);
    const late = { log: [g.goalSet('dolphins')], decide: (state: State) => decideGoalClear(state, g.base(), 'whales') };
    expect(read('goal', late)).toBe('The goal has changed since, so I left it as it is.');
  });
});

describe('/new and Go back', () => {
  const back = (target: number) => (state: State) => decideGoBack(state, g.base(), target);
  const plan = g.draft('options', { ...g.base(), options: { mode: 'plan' } });

  test.each<[string, Asked, string]>([
    ['plain', {}, 'A new conversation. You keep main/my_model_v2.'],
    ['without a model', { chat: { model: undefined } as never }, 'A new conversation.'],
    [
      'a goal',
      { log: [g.goalSet('x')] },
      'A new conversation. You keep main/my_model_v2. The goal ended with the old one.',
    ],
    [
      'goal and plan',
      { log: [g.goalSet('x'), plan] },
      'A new conversation. You keep main/my_model_v2. The goal and plan mode ended with the old one.',
    ],
    [
      'one that waits',
      { log: [g.message()] },
      'A new conversation. You keep main/my_model_v2. 1 message that was waiting is dropped.',
    ],
    [
      'late',
      { log: [g.message()], sentAt: 0 },
      'That came late: a newer message is here already, so I stayed in this conversation. Send it again if you still want it.',
    ],
    ['back', { log: [g.message(), g.started()], decide: back(2) }, 'You are back in the conversation from before.'],
    ['back, gone', { log: [g.message()], decide: back(2) }, 'That conversation is no longer the one before this.'],
    [
      'back, busy',
      { log: [g.started(), ...running.slice(0, 1)], decide: back(1) },
      'I cannot go back while a message of yours waits for its answer. Try again when I am done.',
    ],
  ])('SPEC 4.11: %s', (_what, asked, text) => expect(read('new', asked)).toBe(text));

  test('SPEC 4.11: an answer that is being written still arrives, unless it was stopped', () => {
    expect(read('new', { log: running })).toContain(
      ' The answer that I am writing still arrives; it belongs to the old one.',
    );
    expect(read('new', { log: [...running, g.stopAsked('t')] })).not.toContain('still arrives');
    expect(read('clear', { log: [...running, g.stopAsked('t')] })).not.toContain('still arrives');
  });

  test('SPEC 4.11: from an empty chat there is nothing to go back to, but for a goal or plan mode that waited', () => {
    expect(reply('new').choices).toBeUndefined();
    expect(reply('new', { log: [g.message(), g.started()] }).choices).toBeUndefined();
    expect(reply('new', { log: [g.goalSet('x')] }).choices).toHaveLength(1);
    expect(reply('new', { log: [plan] }).choices).toHaveLength(1);
    expect(reply('new', { log: [...running, g.turnEnded([1]), g.cleared()] }).choices).toHaveLength(1);
  });

  test('SPEC 4.11: it offers Go back, which names what was left', () =>
    expect(reply('new', { log: [g.message()] }).choices).toEqual([
      { label: 'Go back', target: { kind: 'go-back', left: 2 } },
    ]));
});

describe('/stop', () => {
  test.each<[string, Asked, string]>([
    ['nothing', {}, 'Nothing is running.'],
    ['a turn', { log: running }, 'I stop this answer.'],
    [
      'a turn and three',
      { log: [...running, g.message(), g.message(), g.message()] },
      'I stop this answer. 3 messages that were waiting are dropped.',
    ],
    ['before a turn', { log: [g.message()] }, 'Stopped. 1 message that was waiting is dropped.'],
    ['twice', { log: [...running, g.stopAsked('t')] }, 'I am stopping already.'],
  ])('SPEC 4.10: %s', (_what, asked, text) => expect(read('stop', asked)).toBe(text));
});

describe('SPEC 12.2: where conversations are in threads, and the command was not written in one', () => {
  const asked = { group: true, threadPrefix: '!' };
  test('/stop', () =>
    expect(read('stop', asked)).toBe('Nothing is running here. To stop what runs in a thread, write !stop there.'));
  test('/new', () => expect(read('new', asked)).toMatch(/Those in threads go on; !new in one begins anew there\.$/));
});

describe('/help', () => {
  test('SPEC 4.2: what may be used here by this person, by section', () =>
    expect(read('help')).toBe(
      [
        'Chat',
        '• /new: Start a new conversation\n• /stop: Stop the answer that is being written\n• /cancel: Close open questions and choices, or stop the answer\n• /help: What you can use here\n• /start: Say hello, or claim the bot with a code\n• /resume: Go on with an earlier conversation\n• /export: Get this conversation as a file',
        'Memory',
        '• /clear: Make me forget what was said; can be undone\n• /undo: Take the newest clear back\n• /compact: Sum up what was said and go on from the summary\n• /context: How full the model’s context is, and what fills it\n• /goal: Show or set what I keep in mind in every answer',
        'Work',
        '• /plan: Only plan, and change nothing; with a message, plan that\n• /retry: Send your last message again\n• /review: Ask for a critical review',
        'Settings',
        '• /model: Which model answers in this chat\n• /effort: How long I think before I answer\n• /fast: The faster service of the provider, where it has one\n• /status: Model, effort, mode, goal, context and use of today',
        'Write /help and a name for more on one. Anything else you write is a message to me.',
      ].join('\n\n'),
    ));

  test('SPEC 4.2: the owner reads of the owner’s commands too', () => {
    const text = read('help', { role: 'owner' });
    expect(text).toContain('\n• /mode: What I may do without asking\n• /settings: ');
    expect(text).toContain('\n\nPeople\n\n• /people: Who may write to me: let people in or put them out\n\n');
    expect(read('help')).not.toMatch(/\/(mode|settings|people)\b/u);
  });

  test('SPEC 4.3: in a group only what works there', () => {
    const text = read('help', { group: true, role: 'guest' });
    expect(text.match(/(?<=• )\/\w+/gu)).toEqual(['/new', '/stop', '/help']);
    expect(text).toMatch(/^In a group, mention me or reply to me\.\n\n/u);
    expect(text).toMatch(/for more on one\.$/u);
    expect(text).not.toMatch(/\/(clear|goal|status|start|undo)/u);
  });

  test('SPEC 4.2: with a name, that command’s help, by alias and with or without its slash', () => {
    expect(read('help', { args: 'goal' })).toBe(
      '/goal text, or clear: Show or set what I keep in mind in every answer',
    );
    expect(read('help', { args: '/WHOAMI' })).toBe(
      '/status: Model, effort, mode, goal, context and use of today\n\nAlso: /cost, /whoami',
    );
    expect(read('help', { args: 'nonsense' })).toBe('There is no such command here. /help lists what you can use.');
  });

  test('SPEC 4.5: a command that the person may not use here says who may, or where', () => {
    expect(read('help', { args: 'people' })).toBe('Only the owner of this bot can use /people.');
    expect(read('help', { args: '/config', prefix: '/conch ' })).toBe(
      'Only the owner of this bot can use /conch config.',
    );
    expect(read('help', { args: 'goal', group: true })).toBe('/goal works in a private chat with me.');
    expect(read('help', { args: 'ask' })).toContain('There is no such command here.');
    expect(read('help', { args: 'people', role: 'owner' })).toMatch(/^\/people: Who may write to me/u);
  });
});

describe('/start', () => {
  test.each<[string, Asked, string]>([
    ['let in', {}, 'Hello. Ask me anything; I answer here. /help lists what I can do.'],
    ['claimed', { claim: 'claimed' }, 'This bot is yours now. Write to me as you like; /help lists what I can do.'],
    ['wrong', { claim: 'wrong' }, 'That code is not right. Check it, or ask for a new one.'],
    ['used', { claim: 'used' }, 'That code was used already. Ask for a new one.'],
    ['expired', { claim: 'expired' }, 'That code has expired. Ask for a new one.'],
    ['locked', { claim: 'locked' }, 'Too many wrong codes. Try again in an hour.'],
  ])('SPEC 9.2, 9.3: %s', (_what, asked, text) => expect(read('start', asked)).toBe(text));
});

describe('/status', () => {
  const usage = { turns: 3, inputTokens: 84_200, outputTokens: 950 };

  test('SPEC 4.2, 8.1: provider, model, effort, speed, mode, context, use and goal', () => {
    const log = [g.goalSet('whales'), g.message(), g.turnStarted([2]), g.turnEnded([2], { contextTokens: 84_200 })];
    expect(read('status', { log, facts: { usage }, chat: { effort: 'high', fast: true, mode: 'auto' } })).toBe(
      [
        '• Provider: main\n• Model: my_model_v2\n• Effort: high\n• Speed: fast\n• Mode: Auto. I make changes without asking, and ask only before one that may destroy something.',
        '\n• Context: 84.2k of 200k (42%)\n• Now: idle\n• Today, everyone here: 3 answers, 84.2k tokens read, 950 written\n• You: a user of this bot\n• Goal:\n\nwhales',
      ].join(''),
    );
  });

  test('what there is none of is said', () => {
    const none = { model: undefined, contextWindow: undefined } as never;
    expect(read('status', { chat: none })).toBe(
      '• Provider: none is set up\n• Effort: default\n• Speed: standard\n• Mode: Ask. I ask before I change anything.\n• Context: 0\n• Now: idle\n• You: a user of this bot\n• Goal: none',
    );
  });

  test('SPEC 4.2: /whoami: who the person is here', () =>
    expect(read('status', { role: 'owner' })).toContain('• You: the owner of this bot\n'));

  test('what goes on now, and what waits', () => {
    expect(read('status', { log: [g.message()] })).toContain('Now: about to answer, 1 message waiting');
    expect(read('status', { log: [...running, g.message(), g.message()] })).toContain(
      'Now: answering, 2 messages waiting',
    );
  });

  test('SPEC 8.4: after a compaction on request the old number is not shown', () => {
    const state = { ...g.stateAfter(), reading: { tokens: 0, compacted: true as const } };
    expect(contextLine({ state, chat: CHAT })).toBe('compacted (0%), known again after the next answer');
  });
});

describe('notices', () => {
  test('SPEC 4.5, 4.6: up to three names that were probably meant, each with the same argument; Send as a message', () => {
    const { markdown, choices } = reply('unknown-command', { args: '/st to the moon' });
    expect(drawMarkdown(markdown).text).toBe('There is no command /st. Did you mean one of these?');
    expect(choices).toEqual([
      { label: '/stop', target: { kind: 'run', text: '/stop to the moon' } },
      { label: '/start', target: { kind: 'run', text: '/start to the moon' } },
      { label: '/status', target: { kind: 'run', text: '/status to the moon' } },
      { label: 'Send as a message', target: { kind: 'send', text: '/st to the moon' } },
    ]);
    expect(reply('unknown-command', { args: '/imagine a cat' }).choices).toEqual([
      { label: 'Send as a message', target: { kind: 'send', text: '/imagine a cat' } },
    ]);
    expect(read('unknown-command', { args: '/imagine a cat' })).toBe(
      'There is no command /imagine. /help lists what there is.',
    );
  });

  test('SPEC 4.6: an alias stands for its command, once; only what this person may run here', () => {
    const labels = (args: string, asked: Asked = {}) =>
      reply('unknown-command', { args, ...asked }).choices?.map(({ label }) => label);
    expect(labels('/comands')).toEqual(['/help', 'Send as a message']);
    expect(labels('/unclea')).toEqual(['/undo', 'Send as a message']);
    expect(labels('/clera', { group: true, role: 'guest' })).toEqual(['Send as a message']);
  });

  test.each([
    ['private-only', 'That works in a private chat with me.'],
    ['owner-only', 'Only the owner of this bot can do that.'],
    ['web-only', 'That works on the web page only.'],
  ])('SPEC 4.9: %s is refused in one neutral sentence', (why, text) =>
    expect(read('not-permitted', { args: why })).toBe(text),
  );

  test('too long, and not let in', () => {
    expect(read('message-too-long', { args: '60001' })).toBe(
      'That message is too long for me: 60,001 characters, at most 60,000. Please send it in parts.',
    );
    expect(read('not-let-in')).toBe('The owner of this bot has to let you in before I can answer.');
  });
});

describe('every reply', () => {
  const NAMES = [...COMMANDS.map(({ name }) => name), ...Object.keys(NOTICES)];
  const EARLIER = {
    ...{ conversation: { conversation: 0, memory: { id: 0, upTo: 0, messages: 1 } }, title: 'Whales', at: g.NOON },
    asOf: 0,
  };
  const FACTS: Facts = {
    ...{ usage: { turns: 1, inputTokens: 2, outputTokens: 3 }, access: 'list', earlier: [EARLIER] },
    people: [
      { id: 'eve', name: 'Eve', status: 'asked' },
      { id: 'bob', status: 'let-in' },
    ],
    conversation: g.logOf([g.message('hi there')]),
  };

  test('SPEC 12.2: names commands as the app writes them', () => {
    const inSlack = NAMES.map((name) =>
      read(name, { prefix: '/conch ', args: name === 'goal' ? 'x' : '', facts: FACTS }),
    ).join('\n');
    expect(inSlack).toContain('/conch help');
    expect(inSlack.replaceAll('/conch ', '')).not.toMatch(/(?<![a-z])\/[a-z]/u);
    expect(reply('unknown-command', { prefix: '/conch ', args: '/clera' }).choices?.[0]).toEqual({
      ...{ label: '/conch clear', target: { kind: 'run', text: '/clear' } },
    });
  });

  test('SPEC 13.5: holds nothing internal', () => {
    const all = NAMES.flatMap((name) => [
      read(name, { facts: FACTS }),
      read(name, { log: running, facts: FACTS }),
      read(name, { log: [g.goalSet('x')], args: name === 'message-too-long' ? '60001' : 'nonsense' }),
      read(name, { log: running, role: 'owner' }),
    ]);
    for (const text of all)
      expect(text).not.toMatch(/undefined|null|NaN|\[object|private-only|stranger|seq|\blease|turn\b/u);
  });

  test('cases E 83: values of people and providers are shown as they are', () => {
    const nasty = '*bold* _it_ `code` [l](http://x) <b> #h ~~s~~ a_b_c | & \\';
    expect(read('goal', { args: nasty })).toContain(`\n\n${nasty}\n\n`);
    expect(read('status', { log: [g.goalSet(nasty)] })).toContain(nasty);
    expect(read('status', { chat: { model: 'my_own_p/a_b/c*d' } })).toContain('Provider: my_own_p\n• Model: a_b/c*d');
    expect(read('new', { chat: { model: '__a__/`b`' } })).toContain('You keep __a__/`b`.');
    expect(read('unknown-command', { args: '/a_b_c' })).toContain('There is no command /a_b_c.');
  });

  test('cases E 83: any goal is read as it was written, line for line', () => {
    const line = fc.stringMatching(/^[-+*=#>`~_.:|1-9a)( ]{1,8}$/);
    const goal = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'));
    const lines = (text: string) => text.split('\n').map((one) => one.trim());
    const property = fc.property(goal, (text) => {
      const shown = drawMarkdown(`Goal set:\n\n${quote(text)}\n\nSo it is.`).text;
      expect(lines(shown)).toEqual(['Goal set:', '', ...lines(text), '', 'So it is.']);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe('words', () => {
  test('SPEC 8.1, 8.4: numbers of tokens', () => {
    const shown = [0, 950, 999.6, 1_000, 84_200, 200_000, 999_949, 999_950, 1_234_567].map(tokens);
    expect(shown).toEqual(['0', '950', '1000', '1k', '84.2k', '200k', '999.9k', '1M', '1.2M']);
  });

  test('escaped text is read as it is', () => {
    const property = fc.property(fc.stringMatching(/^[a-z][-!-/:-@[-`{-~a-z0-9 ]{0,12}[a-z]$/), (text) => {
      expect(drawMarkdown(`x ${escapeMarkdown(text)} y`).text).toBe(`x ${text.replace(/ +/gu, (blank) => blank)} y`);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('nothing dropped says nothing', () => expect(droppedSentence(0)).toBe(''));
});
