import { beforeEach, describe, expect, test } from 'vitest';
import * as g from '../support/given.ts';
import { provider, Room, type Shown } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});

const CHAT = { scope: 'chat' };
const NEW = { scope: 'defaults' };
const RESET = { model: null, effort: null, fast: null, mode: null };
const shown = (command: string, view: object, more: object = {}) => ({
  ...{ type: 'command.ran', command, outcome: 'shown', detail: { view } },
  ...more,
});
const pressed = { pressed: true };
const labels = ({ labels: all }: Shown) => all;

describe('a pick for this chat takes effect at once (SPEC 11.5)', () => {
  test('it is settled by one event, and the same message shows it ticked with fresh choices', async () => {
    const menu = await room.say('/model');
    const after = await room.press('two');
    expect(after).toMatchObject({ id: menu.id, text: 'Model of this chat: **main/two**\n\nModels of main:' });
    expect(labels(after)).toEqual(['one', '✓ two']);
    expect(after.values.filter((value) => menu.values.includes(value))).toEqual([]);
    expect(await room.events()).toEqual([
      shown('model', { menu: 'models', ...CHAT }),
      ...[
        {
          type: 'options',
          command: 'model',
          options: { model: 'main/two' },
          view: { menu: 'models', ...CHAT },
          ...pressed,
        },
      ],
    ]);
    expect(room.whispers).toEqual([undefined]);
  });

  test.each([
    ['/effort', 'high', { effort: 'high' }, ['low', 'medium', '✓ high', 'max', 'default']],
    ['/effort', '✓ default', { effort: null }, ['low', 'medium', 'high', 'max', '✓ default']],
    ['/fast x', 'fast', { fast: true }, ['✓ fast', 'standard']],
    ['/mode', 'Plan', { mode: 'plan' }, ['✓ Plan', 'Ask', 'Edit freely', 'Auto', 'Full trust']],
  ])('%s: %s', async (typed, label, change, ticked) => {
    await room.say(typed);
    expect(labels(await room.press(label))).toEqual(ticked);
    expect((await room.events()).at(-1)).toMatchObject({ type: 'options', options: change });
  });

  test('valid for ten minutes of use: each press gives ten more', async () => {
    await room.say('/model');
    for (const label of ['two', 'one', 'two']) {
      room.now += 9 * 60_000;
      await room.press(label);
    }
    expect((await room.state()).options).toEqual({ model: 'main/two' });
  });

  test('More and other providers open in place, and a pick stays on its page', async () => {
    const many = provider(
      'main',
      Array.from({ length: 12 }, (_, n) => `m${n}`),
    );
    room = await Room.open({ providers: [many, provider('other', ['only'])] });
    await room.say('/model');
    expect(labels(await room.press('More'))).toEqual([
      'm6',
      'm7',
      'm8',
      'm9',
      'm10',
      'm11',
      'Other providers',
      'From the start',
    ]);
    expect(labels(await room.press('m7'))[1]).toBe('✓ m7');
    expect(labels(await room.press('Other providers'))).toEqual(['✓ main', 'other']);
    expect(labels(await room.press('other'))).toEqual(['only', 'Other providers']);
    expect((await room.press('only')).text).toContain('**other/only**');
    expect((await room.events()).map((event) => (event as { type: string }).type)).toEqual([
      ...['command.ran', 'command.ran', 'options', 'command.ran', 'command.ran', 'options'],
    ]);
    expect(room.messages).toHaveLength(1);
  });

  test('a model that is gone by then is said, the list is fresh, and nothing changes', async () => {
    await room.say('/model');
    await room.tenants.putProvider('t', provider('main', ['one', 'three']));
    const after = await room.press('two');
    expect(after.text.split('\n')[0]).toBe('The model main/two is no longer set up here. Nothing has changed.');
    expect(labels(after)).toEqual(['✓ one', 'three']);
    expect((await room.events()).at(-1)).toMatchObject({ type: 'command.ran', outcome: 'gone' });
  });
});

describe('a freer mode asks first (SPEC 7.5, 11.5)', () => {
  const steps = async (answer: string) => {
    await room.say('/mode');
    await room.press('Auto');
    return room.press(answer);
  };

  test('Yes turns it on and ticks it', async () => {
    const after = await steps('Yes');
    expect(after.text).toContain('Mode of this chat: **Auto**');
    expect(labels(after)).toEqual(['Plan', 'Ask', 'Edit freely', '✓ Auto', 'Full trust']);
    const view = { menu: 'mode', ...CHAT };
    expect(await room.events()).toEqual([
      shown('mode', view),
      ...[
        {
          ...{ type: 'command.ran', command: 'mode', outcome: 'confirm', ...pressed },
          detail: { view: { ...view, confirm: { mode: 'auto' } } },
        },
      ],
      { type: 'options', command: 'mode', options: { mode: 'auto' }, view, ...pressed },
    ]);
  });

  test('No leads back to the list and changes nothing', async () => {
    expect(labels(await steps('No'))).toEqual(['Plan', '✓ Ask', 'Edit freely', 'Auto', 'Full trust']);
    expect((await room.state()).options).toEqual({});
  });

  test('the way down asks nothing', async () => {
    await steps('Yes');
    await room.press('Edit freely');
    expect((await room.state()).options).toEqual({ mode: 'edit' });
  });

  test('what was the way down when it was shown, and is the way up when it is pressed, asks', async () => {
    const menu = await steps('Yes');
    await room.say('/mode ask');
    expect((await room.press('Edit freely', 'ana', menu)).text).toMatch(/^Turn on Edit freely/u);
    expect((await room.state()).options).toEqual({ mode: 'ask' });
  });

  test('cases C 56: a Yes does not outlive the conversation that it was asked in', async () => {
    const question = await room.say('/mode trust');
    await room.say('/new');
    await room.press('Yes', 'ana', question);
    expect(room.whispers).toEqual([
      'You have begun another conversation since, so I changed nothing. Open the menu again if you still want it.',
    ]);
    expect((await room.state()).options).toEqual({});
    expect((await room.events()).at(-1)).toMatchObject({ type: 'command.ran', outcome: 'moved-on' });
  });
});

describe('/settings (SPEC 11.5)', () => {
  test('opens each setting in the same message, with a way back', async () => {
    await room.say('/settings');
    const back = ['Model', 'Effort', 'Speed', 'Mode', 'New chats', 'Back to the defaults'];
    for (const [label, heading] of [
      ...[
        ['Model', 'Model of this chat: **main/one**'],
        ['Effort', 'Effort of this chat: **default**'],
      ],
      ...[
        ['Speed', 'Speed of this chat: **standard**'],
        ['Mode', 'Mode of this chat: **Ask**'],
      ],
    ] as const) {
      expect((await room.press(label)).text.split('\n')[0]).toBe(heading);
      expect(room.last.labels.at(-1)).toBe('Back');
      expect(labels(await room.press('Back'))).toEqual(back);
    }
    expect(room.messages).toHaveLength(1);
  });

  test('a pick there is one for this chat', async () => {
    await room.say('/settings');
    await room.press('Effort');
    await room.press('low');
    expect((await room.press('Back')).text).toContain('- Effort: low\n');
    expect(await room.settings()).toEqual({});
  });

  test('back to the defaults asks first and says what they are', async () => {
    room = await Room.open({ settings: { model: 'main/two', mode: 'plan' } });
    for (const typed of ['/model one', '/effort high', '/mode ask', '/settings']) await room.say(typed);
    expect((await room.press('Back to the defaults')).text).toBe(
      'Go back to the defaults in this chat?\n\n- Model: main/two\n- Effort: default\n- Speed: standard\n- Mode: Plan. I only plan, and change nothing.',
    );
    await room.press('Yes');
    expect((await room.state()).options).toEqual({});
    expect((await room.events()).at(-1)).toEqual({
      ...{ type: 'options', command: 'settings', options: RESET, view: { menu: 'settings', ...CHAT }, ...pressed },
    });
  });
});

describe('a default for new chats (SPEC 9.1, 11.5)', () => {
  /** As far as the question. */
  const asked = async (menu: string, label: string) => {
    await room.say('/settings');
    await room.press('New chats');
    await room.press(menu);
    return room.press(label);
  };

  /** Changes something right after the next delivery has found out who the person is. */
  const underWay = (change: () => Promise<void>) => {
    const { tenants } = room;
    const [check, load] = [tenants.check.bind(tenants), tenants.load.bind(tenants)];
    let isChecked = false;
    tenants.check = async (...who) => {
      isChecked = true;
      return check(...who);
    };
    tenants.load = async (tenant) => {
      const record = await load(tenant);
      if (isChecked) {
        Object.assign(tenants, { check, load });
        await change();
      }
      return record;
    };
  };

  test('asks first; a Yes writes it, and the same message shows it', async () => {
    expect((await asked('Model', 'two')).text).toBe(
      'Make this the default for new chats?\n\n- Model: main/two\n\nIt counts in every new chat, and in every chat that has not picked its own.',
    );
    expect(await room.settings()).toEqual({});
    const after = await room.press('Yes');
    expect(after.text).toBe('Done, for all new chats.\n\nModel for new chats: **main/two**\n\nModels of main:');
    expect(labels(after)).toEqual(['one', '✓ two', 'Back']);
    expect(await room.settings()).toEqual({ model: 'main/two' });
    const [settings, models] = [
      { menu: 'settings', ...NEW },
      { menu: 'models', ...NEW },
    ];
    expect(await room.events()).toEqual([
      shown('settings', { menu: 'settings', ...CHAT }),
      shown('settings', settings, pressed),
      shown('settings', models, pressed),
      ...[
        {
          ...{ type: 'command.ran', command: 'settings', outcome: 'confirm', ...pressed },
          detail: { view: { ...models, confirm: { model: 'main/two' } } },
        },
        {
          ...{ type: 'command.ran', command: 'settings', outcome: 'default-set', ...pressed },
          detail: { view: models, change: { model: 'main/two' } },
        },
      ],
    ]);
    expect((await room.say('/status', 'ben')).text).toContain('- Model: two\n');
  });

  test('No writes nothing', async () => {
    await asked('Mode', 'Full trust');
    expect(labels(await room.press('No'))).toContain('✓ Ask');
    expect(await room.settings()).toEqual({});
  });

  test('limits of the tenant stay as they are, also when the defaults go back to what is built in', async () => {
    room = await Room.open({ settings: { turnsAtOnce: 3, effort: 'low' } });
    await asked('Speed', 'fast');
    await room.press('Yes');
    expect(await room.settings()).toEqual({ turnsAtOnce: 3, effort: 'low', fast: true });
    await room.press('Back');
    expect((await room.press('Built-in defaults')).text).toMatch(/^Reset the defaults for new chats\? They will be:/u);
    await room.press('Yes');
    expect(await room.settings()).toEqual({ turnsAtOnce: 3 });
  });

  test('a change made meanwhile by somebody else stays: the record is read again', async () => {
    await asked('Effort', 'max');
    await room.tenants.putSettings('t', { model: 'main/two' });
    await room.press('Yes');
    expect(await room.settings()).toEqual({ model: 'main/two', effort: 'max' });
  });

  test('SPEC 9.1: the owner is checked again at the press', async () => {
    await asked('Effort', 'max');
    await room.own('ben');
    await room.press('Yes');
    expect(room.whispers.at(-1)).toBe('You can no longer do that here.');
    expect(await room.settings()).toEqual({});
    expect(labels(room.last)).toEqual([]);
  });

  test('SPEC 9.1: an owner who is replaced while the press is under way writes nothing', async () => {
    await asked('Effort', 'max');
    underWay(() => room.own('ben'));
    await room.press('Yes');
    expect(room.whispers.at(-1)).toBe('You can no longer do that here.');
    expect(await room.settings()).toEqual({});
  });

  test('a change made while the press is under way stays', async () => {
    await asked('Effort', 'max');
    underWay(() => room.tenants.putSettings('t', { turnsAtOnce: 7 }));
    await room.press('Yes');
    expect(await room.settings()).toEqual({ turnsAtOnce: 7, effort: 'max' });
  });

  test('No on a later page leads back to that page', async () => {
    room = await Room.open({
      providers: [
        provider(
          'main',
          Array.from({ length: 12 }, (_, n) => `m${n}`),
        ),
      ],
    });
    await asked('Model', 'More');
    await room.press('m9');
    expect(labels(await room.press('No'))).toContain('m9');
  });

  test('SPEC 2.3: the same press delivered again, and a second press, write nothing more', async () => {
    const question = await asked('Effort', 'max');
    await room.press('Yes', 'ana', question, 'u1');
    await room.tenants.putSettings('t', { effort: 'low' });
    await room.press('Yes', 'ana', question, 'u1');
    await room.press('Yes', 'ana', question, 'u2');
    expect(await room.settings()).toEqual({ effort: 'low' });
    expect(room.whispers.slice(-2)).toEqual(['This button was used already.', 'This button was used already.']);
  });

  test('delivered again before its choices were deleted, it is shown again and not written again', async () => {
    const question = await asked('Effort', 'max');
    const id = question.values[0]?.split(':')[1] ?? '';
    const item = await room.actions.get({ tenant: 't', channelId: 't.room', chat: 'ana', id });
    await room.press('Yes', 'ana', question, 'u1');
    await room.tenants.putSettings('t', { effort: 'low' });
    if (item) await room.actions.put(item);
    const again = await room.press('Yes', 'ana', question, 'u1');
    expect(again.text).toContain('Effort for new chats: **low**');
    expect(await room.settings()).toEqual({ effort: 'low' });
  });

  test('a model that is gone by then is not written', async () => {
    await asked('Model', 'two');
    await room.tenants.putProvider('t', provider('main', ['one']));
    expect((await room.press('Yes')).text).toMatch(/^The model main\/two is no longer set up here/u);
    expect(await room.settings()).toEqual({});
  });
});

describe('who presses, and when (SPEC 11.1, 11.2)', () => {
  test('cases C 44: a press by another person has no effect; the button still works for its own', async () => {
    const menu = await room.say('/model');
    await room.press('two', 'ben', menu);
    expect(room.whispers).toEqual(['This button is for somebody else.']);
    expect(await room.events()).toHaveLength(1);
    await room.press('two', 'ana', menu);
    expect((await room.state()).options).toEqual({ model: 'main/two' });
  });

  test('cases C 46, 47, 49: after ten minutes without use it says so in plain words, and changes nothing', async () => {
    const menu = await room.say('/model');
    room.now += 600_000;
    await room.press('two', 'ana', menu);
    expect(room.whispers).toEqual(['This button no longer works. Send the command again.']);
    expect(await room.events()).toHaveLength(1);
    expect(labels(room.last)).toEqual([]);
  });

  test('cases C 50: of two presses at once one wins, the other hears it', async () => {
    const menu = await room.say('/model');
    await Promise.all([room.press('two', 'ana', menu), room.press('✓ one', 'ana', menu)]);
    expect(await room.events()).toHaveLength(2);
    expect(room.whispers).toContain('This button was used already.');
  });

  test('somebody put out meanwhile can press nothing', async () => {
    const menu = await room.say('/model', 'ben');
    await room.tenants.putPerson('t', 't.room', { id: 'ben', status: 'put-out' });
    await room.press('two', 'ben', menu);
    expect(room.whispers).toEqual(['You can no longer do that here.']);
    expect(await room.events('ben')).toHaveLength(1);
  });

  test('cases B 38: permission goes by the value too, whichever way it came', async () => {
    const menu = { ...(await room.say('/model', 'ben')) };
    const id = menu.values[0]?.split(':')[1] ?? '';
    const key = { tenant: 't', channelId: 't.room', chat: 'ben', id };
    const item = await room.actions.get(key);
    for (const [command, change, scope] of [
      ...([
        ['model', { mode: 'trust' }, 'chat'],
        ['model', { model: 'main/two', mode: 'edit' }, 'chat'],
      ] as const),
      ...([
        ['model', { model: 'main/two' }, 'defaults'],
        ['settings', { effort: 'low' }, 'chat'],
      ] as const),
    ]) {
      const target = {
        kind: 'set',
        command,
        change,
        view: { menu: 'mode', scope },
        sure: true,
        conversation: 0,
      } as const;
      if (item) await room.actions.put({ ...item, choices: [{ label: 'one', target }] });
      await room.press(menu.labels[0] ?? '', 'ben', menu);
      expect(room.whispers.at(-1)).toBe('You can no longer do that here.');
    }
    expect(await room.events('ben')).toHaveLength(1);
    expect(await room.settings()).toEqual({});
  });

  test('a former owner cannot go on in the menu of /mode', async () => {
    const menu = await room.say('/mode');
    await room.own('ben');
    await room.press('Plan', 'ana', menu);
    expect(room.whispers).toEqual(['You can no longer do that here.']);
    expect((await room.state()).options).toEqual({});
  });
});

describe('in an app without buttons (SPEC 11.4)', () => {
  beforeEach(async () => {
    room = await Room.open({ limits: { hasButtons: false, buttonLimit: 9 } });
  });

  test('cases C 59: a digit picks, and the next list is a new message', async () => {
    await room.say('/model');
    expect((await room.say('2')).labels).toEqual(['one', '✓ two']);
    expect((await room.say('1')).labels).toEqual(['✓ one', 'two']);
    expect(room.messages).toHaveLength(3);
    expect((await room.state()).options).toEqual({ model: 'main/one' });
  });

  test('yes and no answer a question, and only a question', async () => {
    await room.say('/mode trust');
    await room.say('no');
    expect((await room.state()).options).toEqual({});
    await room.say('/mode trust');
    await room.say('Yes');
    expect((await room.state()).options).toEqual({ mode: 'trust' });
    await room.say('yes');
    expect((await room.events()).at(-1)).toMatchObject({ type: 'message', content: { text: 'yes' } });
  });

  test('a list that came before is closed: the digit picks from the newest', async () => {
    await room.say('hi');
    await room.say('/clear');
    await room.say('/effort');
    await room.say('3');
    expect((await room.state()).options).toEqual({ effort: 'high' });
  });

  test('a yes after something else came is a message, and writes no default', async () => {
    for (const typed of ['/settings', '5', '2', '1']) await room.say(typed);
    expect(room.last.text).toMatch(/^Make this the default for new chats\?\n\n- Effort: low/u);
    await room.say('/status');
    await room.say('yes');
    expect(await room.settings()).toEqual({});
    expect((await room.events()).at(-1)).toMatchObject({ type: 'message', content: { text: 'yes' } });
  });

  test('a default by digits', async () => {
    for (const typed of ['/settings', '5', '2', '1', 'yes']) await room.say(typed);
    expect(room.last.text).toMatch(/^Done, for all new chats\.\n\nEffort for new chats: \*\*low\*\*/u);
    expect(await room.settings()).toEqual({ effort: 'low' });
  });
});

test('SPEC 2.5: a menu of another version is answered in plain words', async () => {
  const menu = await room.say('/model');
  const id = menu.values[0]?.split(':')[1] ?? '';
  const item = await room.actions.get({ tenant: 't', channelId: 't.room', chat: 'ana', id });
  const target = { kind: 'menu', command: 'model', view: { menu: 'voices', scope: 'chat' } } as never;
  if (item) await room.actions.put({ ...item, choices: [{ label: 'one', target }] });
  expect((await room.press('✓ one')).text).toBe('I do not know this menu any more. Please open it again.');
});

test('a turn that runs keeps the settings that it began with; the next one gets the new ones', async () => {
  await room.say('hi');
  await room.work(g.turnStarted([1], { options: { model: 'main/one' } }));
  await room.say('/model');
  await room.press('two');
  const state = await room.state();
  expect(state.turn?.options).toEqual({ model: 'main/one' });
  expect(state.options).toEqual({ model: 'main/two' });
});

describe('a default that is confirmed while something else happens', () => {
  const asked = async (room: Room) => {
    await room.say('/settings');
    await room.press('New chats');
    await room.press('Effort');
    return room.press('low');
  };

  test('SPEC 11.1: of Yes and No at once No may win, and then nothing is changed', async () => {
    const room = await Room.open();
    const question = await asked(room);
    const append = room.log.append.bind(room.log);
    room.log.append = async (...args) => {
      room.log.append = append;
      await room.press('No', 'ana', question, 'no');
      return append(...args);
    };
    await room.press('Yes', 'ana', question, 'yes');
    expect(await room.settings()).toEqual({});
  });

  test('SPEC 9.4: a limit that an administrator sets meanwhile stays', async () => {
    const room = await Room.open();
    const question = await asked(room);
    const append = room.log.append.bind(room.log);
    room.log.append = async (...args) => {
      await room.tenants.putSettings('t', { turnsPerDay: 100 });
      return append(...args);
    };
    await room.press('Yes', 'ana', question);
    expect(await room.settings()).toEqual({ turnsPerDay: 100, effort: 'low' });
  });
});
