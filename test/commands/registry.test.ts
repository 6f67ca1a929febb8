import { describe, expect, test } from 'vitest';
import { catalogFor, nativeMenu } from '../../lib/commands/catalog.ts';
import { checkedRegistry } from '../../lib/commands/checkedRegistry.ts';
import type { Busy, Command } from '../../lib/commands/command.ts';
import { type Asker, mayRun, type Permission } from '../../lib/commands/gate.ts';
import { handlerNamed, NOTICES } from '../../lib/commands/notices.ts';
import { COMMANDS, commandNamed } from '../../lib/commands/registry.ts';
import type { Role } from '../../lib/domain/access.ts';

const NAMES = [
  ...(['new', 'ask', 'stop', 'cancel', 'help', 'start', 'resume', 'export'] as const),
  ...(['clear', 'undo', 'compact', 'context', 'goal'] as const),
  ...(['plan', 'retry', 'review'] as const),
  ...(['model', 'effort', 'fast', 'mode', 'settings', 'status'] as const),
  'people',
] as const;
type Name = (typeof NAMES)[number];

/** What each does while a turn runs (SPEC 4.8): what only shows something is `now`, what is a message waits like one. */
const BUSY: Record<Name, Busy> = {
  ...{ stop: 'now', help: 'now', status: 'now', clear: 'now', undo: 'now', goal: 'now', new: 'now' },
  ...{ compact: 'wait', cancel: 'now', start: 'now', export: 'now', context: 'now', people: 'now' },
  ...{ model: 'next', effort: 'next', fast: 'next', mode: 'next', plan: 'next', settings: 'next' },
  ...{ ask: 'wait', review: 'wait' },
  ...{ retry: 'refuse', resume: 'refuse' },
};

const ALIASES: Record<Name, readonly string[]> = {
  ...{ new: ['reset'], ask: [], stop: [], cancel: [], help: ['commands'], start: [], resume: [], export: [] },
  ...{ clear: [], undo: ['unclear'], compact: [], context: ['tokens'], goal: [] },
  ...{ plan: [], retry: ['again'], review: [] },
  ...{ model: ['models'], effort: [], fast: [], mode: [], settings: ['config'], status: ['cost', 'whoami'] },
  people: [],
};

function row(name: string): Command {
  const found = commandNamed(name);
  if (!found) throw new Error(`No command ${name}`);
  return found;
}

describe('the registry (SPEC 4.1)', () => {
  test('a name or alias that stands twice throws, whatever its case and with - or _', () => {
    const rows = [row('new'), { ...row('goal'), name: 'other', aliases: ['RESET'] }];
    expect(() => checkedRegistry(rows)).toThrow('/RESET stands twice');
    expect(() => checkedRegistry([{ ...row('new'), aliases: ['a-b', 'a_b'] }])).toThrow('/a_b stands twice');
    expect(checkedRegistry(COMMANDS)).toBe(COMMANDS);
  });

  test('a summary is one line of at most 100 characters', () => {
    expect(() => checkedRegistry([{ ...row('new'), summary: 'x'.repeat(101) }])).toThrow('over 100 characters');
    for (const { summary, chat } of COMMANDS) {
      for (const text of [summary, chat?.summary ?? summary]) expect(text).toMatch(/^[A-Z][^\n]{2,99}$/u);
    }
  });

  test('no two rows want the same rank, and every name is one that each app’s menu can carry', () => {
    expect(new Set(COMMANDS.map(({ wanted }) => wanted)).size).toBe(COMMANDS.length);
    for (const { name } of COMMANDS) expect(name).toMatch(/^[a-z0-9_]{1,32}$/u);
  });

  test('SPEC 4.2: the aliases', () => {
    const aliases = Object.fromEntries(COMMANDS.map(({ name, aliases: all }) => [name, all]));
    expect(aliases).toEqual(ALIASES);
    for (const { name, aliases: all } of COMMANDS) {
      for (const alias of all) expect(commandNamed(alias.toUpperCase())?.name).toBe(name);
    }
    expect(commandNamed('constructor')).toBeUndefined();
  });

  test('SPEC 4.8: what each command does while a turn runs', () => {
    expect(Object.fromEntries(COMMANDS.map(({ name, busy }) => [name, busy]))).toEqual(BUSY);
  });

  test('SPEC 4.2, 4.4: what is of chat apps only, and what gives way to a tenant’s own', () => {
    const namesOf = (rows: readonly Command[]) => rows.map(({ name }) => name);
    expect(namesOf(COMMANDS.filter(({ web }) => web === false))).toEqual(['ask', 'stop', 'cancel', 'start']);
    expect(namesOf(COMMANDS.filter(({ yields }) => yields))).toEqual(['review']);
  });

  test('SPEC 2.3: the handler that made an event is found again by its name', () => {
    for (const command of COMMANDS) expect(handlerNamed(command.name)).toBe(command.handler);
    expect(handlerNamed('unknown-command')).toBe(NOTICES['unknown-command']);
    expect(handlerNamed('toString')).toBeUndefined();
    expect(handlerNamed(undefined)).toBeUndefined();
  });
});

const OK: Permission = { ok: true };
const STRANGER: Permission = { ok: false, why: 'stranger' };
const PRIVATE: Permission = { ok: false, why: 'private-only' };
const OWNER: Permission = { ok: false, why: 'owner-only' };
const ABSENT: Permission = { ok: false, why: 'absent' };

/** For each command: in a private chat, by role; then in a group. */
type Row = Record<Role, readonly [inPrivate: Permission, inGroup: Permission]>;
const everywhere: Row = { owner: [OK, OK], 'let-in': [OK, OK], guest: [OK, OK], stranger: [STRANGER, STRANGER] };
const privately: Row = {
  ...{ owner: [OK, PRIVATE], 'let-in': [OK, PRIVATE], guest: [OK, PRIVATE], stranger: [STRANGER, STRANGER] },
};
const owners: Row = { ...privately, 'let-in': [OWNER, PRIVATE], guest: [OWNER, PRIVATE] };
const nowhere: Row = {
  ...{ owner: [ABSENT, ABSENT], 'let-in': [ABSENT, ABSENT], guest: [ABSENT, ABSENT], stranger: [ABSENT, ABSENT] },
};
const GATE: Record<Name, Row> = {
  ...{ new: everywhere, ask: nowhere, stop: everywhere, help: everywhere },
  ...{ cancel: privately, resume: privately, export: privately },
  start: { ...privately, stranger: [OK, STRANGER] },
  ...{ clear: privately, undo: privately, compact: privately, context: privately, goal: privately },
  ...{ plan: privately, retry: privately, review: privately },
  ...{ model: privately, effort: privately, fast: privately, mode: owners, settings: owners, status: privately },
  people: owners,
};
/** In an app that delivers no messages by themselves, the rest is as above (SPEC 4.2). */
const GATE_WITHOUT_MESSAGES: Record<Name, Row> = { ...GATE, ask: everywhere };

describe('who may run what (SPEC 4.2, 4.3, 4.9, 9.3)', () => {
  test('every command is decided here', () => {
    expect(COMMANDS.map(({ name }) => name)).toEqual(NAMES);
  });

  test.each(NAMES)('/%s by role and place', (name) => {
    for (const [role, [inPrivate, inGroup]] of Object.entries(GATE[name]) as [Role, Row[Role]][]) {
      expect(mayRun(row(name), { role, group: false })).toEqual(inPrivate);
      expect(mayRun(row(name), { role, group: true })).toEqual(inGroup);
    }
    const app = { withoutMessages: true } as const;
    for (const [role, [inPrivate, inGroup]] of Object.entries(GATE_WITHOUT_MESSAGES[name]) as [Role, Row[Role]][]) {
      expect(mayRun(row(name), { role, group: false, ...app })).toEqual(inPrivate);
      expect(mayRun(row(name), { role, group: true, ...app })).toEqual(inGroup);
    }
  });

  test('cases B 34, 35: what is the owner’s is nobody else’s, however they were admitted', () => {
    const theirs = COMMANDS.filter(({ chat }) => chat?.who === 'owner');
    expect(theirs.map(({ name }) => name)).toEqual(['mode', 'settings', 'people']);
    for (const one of theirs) {
      expect(mayRun(one, { role: 'owner', group: false })).toEqual(OK);
      for (const role of ['let-in', 'guest'] as const) expect(mayRun(one, { role, group: false })).toEqual(OWNER);
      expect(mayRun(one, { role: 'owner', group: true })).toEqual(PRIVATE);
    }
  });

  test('SPEC 4.5: what exists on the web page only says so', () => {
    const { chat: _none, ...onPage } = row('goal');
    expect(mayRun(onPage, { role: 'owner', group: false })).toEqual({ ok: false, why: 'web-only' });
    expect(mayRun(onPage, { role: 'stranger', group: false })).toEqual(STRANGER);
  });

  test('SPEC 4.1: the catalog holds what this person may use here, and nothing else', () => {
    const names = (asker: Asker) => catalogFor(asker).map(({ name }) => name);
    const own = ['mode', 'settings', 'people'];
    expect(names({ role: 'owner', group: false })).toEqual(NAMES.filter((name) => name !== 'ask'));
    for (const role of ['let-in', 'guest'] as const) {
      expect(names({ role, group: false })).toEqual(NAMES.filter((name) => name !== 'ask' && !own.includes(name)));
    }
    for (const role of ['owner', 'let-in', 'guest'] as const) {
      expect(names({ role, group: true })).toEqual(['new', 'stop', 'help']);
      expect(names({ role, group: true, withoutMessages: true })).toEqual(['new', 'ask', 'stop', 'help']);
    }
    expect(names({ role: 'owner', group: false, withoutMessages: true })).toEqual(NAMES);
    expect(names({ role: 'stranger', group: false })).toEqual(['start']);
    expect(names({ role: 'stranger', group: true })).toEqual([]);
  });
});

describe('native menus (SPEC 12.1, 12.2)', () => {
  test('private chats get all, most wanted first; groups only /new, /stop and /help', () => {
    const menu = nativeMenu();
    expect(menu.private.map(({ name }) => name)).toEqual([
      ...[
        'new',
        'stop',
        'help',
        'clear',
        'goal',
        'undo',
        'status',
        'plan',
        'model',
        'retry',
        'resume',
        'context',
        'compact',
      ],
      ...['effort', 'settings', 'mode', 'fast', 'export', 'review', 'cancel', 'start', 'people'],
    ]);
    expect(menu.group.map(({ name }) => name)).toEqual(['new', 'stop', 'help']);
    expect(menu.private[3]).toEqual({ name: 'clear', description: row('clear').summary });
  });

  test('where an app delivers no messages by themselves, /ask comes first', () => {
    const menu = nativeMenu(undefined, { withoutMessages: true });
    expect(menu.private.map(({ name }) => name)).toEqual(['ask', ...nativeMenu().private.map(({ name }) => name)]);
    expect(menu.group.map(({ name }) => name)).toEqual(['ask', 'new', 'stop', 'help']);
  });
});
