import { describe, expect, test } from 'vitest';
import { catalogFor, nativeMenu } from '../../lib/commands/catalog.ts';
import type { Command } from '../../lib/commands/command.ts';
import { mayRun, type Permission } from '../../lib/commands/gate.ts';
import { handlerNamed, NOTICES } from '../../lib/commands/notices.ts';
import { checkedRegistry } from '../../lib/commands/checkedRegistry.ts';
import { COMMANDS, commandNamed } from '../../lib/commands/registry.ts';
import type { Role } from '../../lib/domain/access.ts';

const NAMES = ['new', 'stop', 'help', 'start', 'clear', 'undo', 'goal', 'status'] as const;
type Name = (typeof NAMES)[number];

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
    expect(aliases).toMatchObject({
      ...{ new: ['reset'], stop: [], help: ['commands'], start: [], clear: [], undo: ['unclear'], goal: [] },
      status: ['cost', 'whoami'],
    });
    for (const { name, aliases: all } of COMMANDS) {
      for (const alias of all) expect(commandNamed(alias.toUpperCase())?.name).toBe(name);
    }
    expect(commandNamed('constructor')).toBeUndefined();
  });

  test('SPEC 4.8: what these commands do while a turn runs is done at once', () => {
    for (const name of NAMES) expect(row(name).busy).toBe('now');
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

/** For each command: in a private chat, by role; then in a group. */
type Row = Record<Role, readonly [inPrivate: Permission, inGroup: Permission]>;
const everywhere: Row = { owner: [OK, OK], 'let-in': [OK, OK], guest: [OK, OK], stranger: [STRANGER, STRANGER] };
const privately: Row = {
  ...{ owner: [OK, PRIVATE], 'let-in': [OK, PRIVATE], guest: [OK, PRIVATE], stranger: [STRANGER, PRIVATE] },
};
const GATE: Record<Name, Row> = {
  ...{ new: everywhere, stop: everywhere, help: everywhere },
  ...{ clear: privately, undo: privately, goal: privately, status: privately },
  start: { ...privately, stranger: [OK, PRIVATE] },
};

describe('who may run what (SPEC 4.2, 4.3, 4.9)', () => {
  test('every command is decided here', () => {
    expect(COMMANDS.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
  });

  test.each(NAMES)('/%s by role and place', (name) => {
    for (const [role, [inPrivate, inGroup]] of Object.entries(GATE[name]) as [Role, Row[Role]][]) {
      expect(mayRun(row(name), { role, group: false })).toEqual(inPrivate);
      expect(mayRun(row(name), { role, group: true })).toEqual(inGroup);
    }
  });

  test('cases B 34, 35: what is the owner’s is nobody else’s, however they were admitted', () => {
    const owners: Command = { ...row('goal'), chat: { who: 'owner', groups: false } };
    expect(mayRun(owners, { role: 'owner', group: false })).toEqual(OK);
    for (const role of ['let-in', 'guest'] as const) {
      expect(mayRun(owners, { role, group: false })).toEqual({ ok: false, why: 'owner-only' });
    }
    expect(mayRun(owners, { role: 'owner', group: true })).toEqual(PRIVATE);
  });

  test('SPEC 4.5: what exists on the web page only says so', () => {
    const { chat: _none, ...onPage } = row('goal');
    expect(mayRun(onPage, { role: 'owner', group: false })).toEqual({ ok: false, why: 'web-only' });
  });

  test('SPEC 4.1: the catalog holds what this person may use here, and nothing else', () => {
    const names = (role: Role, group: boolean) => catalogFor({ role, group }).map(({ name }) => name);
    expect(names('let-in', false)).toEqual([...NAMES]);
    expect(names('guest', true)).toEqual(['new', 'stop', 'help']);
    expect(names('stranger', false)).toEqual(['start']);
    expect(names('stranger', true)).toEqual([]);
  });
});

describe('native menus (SPEC 12.1, 12.2)', () => {
  test('private chats get all, most wanted first; groups only /new, /stop and /help', () => {
    const menu = nativeMenu();
    expect(menu.private.map(({ name }) => name)).toEqual([
      ...['new', 'stop', 'help', 'clear', 'goal', 'undo', 'status', 'start'],
    ]);
    expect(menu.group.map(({ name }) => name)).toEqual(['new', 'stop', 'help']);
    expect(menu.private[3]).toEqual({ name: 'clear', description: row('clear').summary });
  });
});
