import { describe, expect, test } from 'vitest';
import { fittedMenu } from '../../lib/channels/telegram/menu.ts';
import { catalogFor, nativeMenu, promptsFor, skillsFor } from '../../lib/commands/catalog.ts';
import { mayRun } from '../../lib/commands/gate.ts';
import { meaningOf, unreachable, useOf } from '../../lib/commands/meaning.ts';
import { parseChatCommand } from '../../lib/commands/parse.ts';
import { COMMANDS } from '../../lib/commands/registry.ts';
import { custom, prompt, skill, toolServer } from '../support/own.ts';

const OWNER = { role: 'owner', group: false } as const;
const BEN = { role: 'let-in', group: false } as const;
const yielding = COMMANDS.filter(({ yields }) => yields);

describe('SPEC 4.4: what a name means', () => {
  const own = {
    commands: [custom('clear'), custom('both'), custom('reset')],
    skills: [skill('both'), skill('only'), skill('undo')],
  };

  test.each([
    ['clear', 'row'],
    ['reset', 'row'],
    ['undo', 'row'],
    ['both', 'custom'],
    ['BOTH', 'custom'],
    ['only', 'skill'],
    ['nothing', undefined],
  ])('/%s is a %s', (name, kind) => {
    expect(meaningOf(name, own)?.kind).toBe(kind);
  });

  test.runIf(yielding.length > 0)('a row that yields gives way to a custom command and to a skill', () => {
    for (const { name } of yielding) {
      expect(meaningOf(name, { commands: [], skills: [] })?.kind).toBe('row');
      expect(meaningOf(name, { commands: [custom(name)], skills: [] })?.kind).toBe('custom');
      expect(meaningOf(name, { commands: [], skills: [skill(name)] })?.kind).toBe('skill');
      const hidden = catalogFor(OWNER, { commands: [], skills: [skill(name)] }).filter((entry) => entry.name === name);
      expect(hidden.map(({ section }) => section)).toEqual(['skills']);
    }
  });

  test('- and _ are the same, but a name that is written so comes first', () => {
    const two = { commands: [custom('a-b'), custom('a_b')], skills: [] };
    const nameOf = (name: string) => {
      const meaning = meaningOf(name, two);
      return meaning?.kind === 'custom' ? meaning.custom.name : undefined;
    };
    expect(['a-b', 'a_b', 'A_B'].map(nameOf)).toEqual(['a-b', 'a_b', 'a_b']);
    expect(meaningOf('a_b', { commands: [custom('a-b')], skills: [] })?.kind).toBe('custom');
  });

  test('SPEC 10.1: one that is not enabled means nothing, so that a skill of its name does', () => {
    const off = custom('x', { enabled: false });
    expect(meaningOf('x', { commands: [off], skills: [] })).toBeUndefined();
    expect(meaningOf('x', { commands: [off], skills: [skill('x')] })?.kind).toBe('skill');
  });

  test('what can never be reached is said, with what comes first', () => {
    expect(unreachable('custom', 'reset', own)).toContain('/new');
    expect(unreachable('skill', 'both', own)).toContain('custom command “both”');
    expect(unreachable('custom', 'both', own)).toBeUndefined();
    expect(unreachable('skill', 'only', own)).toBeUndefined();
  });
});

describe('SPEC 4.9, case B 37: one gate', () => {
  const use = useOf({ kind: 'custom', custom: custom('deploy', { who: 'owner' }) });
  test.each([
    ['owner', false, { ok: true }],
    ['let-in', false, { ok: false, why: 'owner-only' }],
    ['stranger', false, { ok: false, why: 'stranger' }],
    ['stranger', true, { ok: false, why: 'stranger' }],
    ['owner', true, { ok: false, why: 'private-only' }],
    ['guest', true, { ok: false, why: 'private-only' }],
  ] as const)('an owner’s custom command for a %s (group: %s)', (role, group, permission) => {
    expect(mayRun(use, { role, group })).toEqual(permission);
  });

  test('a skill is for anyone let in, in a private chat', () => {
    expect(mayRun(useOf({ kind: 'skill', skill: skill('x') }), BEN)).toEqual({ ok: true });
    expect(mayRun(useOf({ kind: 'skill', skill: skill('x') }), { ...BEN, group: true }).ok).toBe(false);
  });
});

describe('SPEC 4.1, 4.4: the catalog', () => {
  const own = {
    commands: [
      custom('secret', { who: 'owner' }),
      custom('hello', { description: `Says\nhello ${'x'.repeat(200)}`, argumentHint: 'a name' }),
      custom('off', { enabled: false }),
      custom('clear'),
    ],
    skills: [skill('hello'), skill('tone')],
  };
  const added = (asker: Parameters<typeof catalogFor>[0]) =>
    catalogFor(asker, own)
      .slice(catalogFor(asker).length)
      .map(({ section, name }) => `${section} ${name}`);

  test('rows first, then custom commands, then skills; only what this person may run, and of equal names the winner', () => {
    expect(added(OWNER)).toEqual(['custom secret', 'custom hello', 'skills tone']);
    expect(added(BEN)).toEqual(['custom hello', 'skills tone']);
    expect(added({ role: 'let-in', group: true })).toEqual([]);
    expect(catalogFor(BEN, own).slice(0, catalogFor(BEN).length)).toEqual(catalogFor(BEN));
    expect(skillsFor(own).map(({ name }) => name)).toEqual(['tone']);
  });

  test('a long description over several lines is one line of 100 characters', () => {
    const entry = catalogFor(BEN, own).find(({ name }) => name === 'hello');
    expect(entry?.summary).toMatch(/^Says hello x+…$/u);
    expect([...(entry?.summary ?? '')]).toHaveLength(100);
    expect(entry?.argument).toEqual({ kind: 'text', hint: 'a name' });
  });
});

describe('SPEC 12.1, 12.2: the native menu', () => {
  const rows = COMMANDS.filter(({ chat }) => chat && !chat.withoutMessages).toSorted((a, b) => a.wanted - b.wanted);

  test('all of the registry in private chats, in groups only what works there', () => {
    const menu = nativeMenu();
    expect(menu.private.map(({ name }) => name)).toEqual(rows.map(({ name }) => name));
    const inGroups = rows.filter(({ chat }) => chat?.groups).map(({ name }) => name);
    expect(menu.group.map(({ name }) => name)).toEqual(inGroups);
  });

  test('cases D 64, 65: the essentials, then the tenant’s own, then the rest; what is left out is named', () => {
    const commands = Array.from({ length: 200 }, (_, n) => custom(`c-${String(n).padStart(3, '0')}`));
    const fitted = fittedMenu(nativeMenu({ commands, skills: [skill('tone')] }).private);
    const names = fitted.commands.map(({ command }) => command);
    const essentials = rows.slice(0, 10).map(({ name }) => name.replaceAll('-', '_'));
    expect(names).toHaveLength(100);
    expect(names.slice(0, essentials.length)).toEqual(essentials);
    expect(names.slice(essentials.length)).toEqual(
      commands.slice(0, 100 - essentials.length).map(({ name }) => name.replace('-', '_')),
    );
    expect(names.length + fitted.leftOut.length).toBe(rows.length + commands.length);
  });

  test('200 with long and odd names all work when typed, and each name in the menu leads to its own when tapped', () => {
    const commands = Array.from({ length: 200 }, (_, n) => custom(`${'-_'.repeat(n % 14)}${n}`.slice(0, 32)));
    const own = { commands, skills: [] };
    const reached = (name: string) => {
      const meaning = meaningOf(name, own);
      if (meaning?.kind === 'row') return meaning.row.name;
      return meaning?.kind === 'custom' ? meaning.custom.name : undefined;
    };
    for (const { name } of commands) {
      expect(parseChatCommand(`/${name} x`)).toEqual({ name, args: 'x' });
      expect(reached(name)).toBe(name);
    }
    const menu = nativeMenu(own).private;
    const tapped = fittedMenu(menu).commands.map(({ command }) => reached(command));
    expect(tapped).toEqual(menu.slice(0, 100).map(({ name }) => name));
  });

  test('what is not enabled or cannot be reached is in no menu', () => {
    const own = { commands: [custom('off', { enabled: false }), custom('reset'), custom('clear')], skills: [] };
    expect(nativeMenu(own)).toEqual(nativeMenu());
  });
});

describe('SPEC 4.4, 15.5: prompts of tool servers', () => {
  const own = {
    commands: [custom('both')],
    skills: [skill('taught')],
    toolServers: [
      toolServer('a', prompt('both'), prompt('clear'), prompt('bare'), prompt('/Spaced Out', 'Has  spaces')),
      toolServer('b', prompt('taught'), prompt('BARE', 'Has words'), prompt('spaced-out', 'Later'), prompt('//')),
    ],
  };

  test.each([
    ['both', 'custom'],
    ['clear', 'row'],
    ['taught', 'skill'],
    ['bare', 'prompt'],
    ['Spaced-Out', 'prompt'],
    ['nothing', undefined],
  ])('/%s is a %s', (name, kind) => expect(meaningOf(name, own)?.kind).toBe(kind));

  test.runIf(yielding.length > 0)(
    'SPEC 4.4: a row that yields hands over to one of its name, and keeps its place in menus',
    () => {
      for (const { name } of yielding) {
        const servers = { commands: [], skills: [], toolServers: [toolServer('a', prompt(name, 'The server’s'))] };
        expect(meaningOf(name, servers)?.kind).toBe('prompt');
        const listed = catalogFor(OWNER, servers).filter((entry) => entry.name === name);
        expect(listed.map(({ section }) => section)).toEqual(['prompts']);
        const shown = nativeMenu(servers).private;
        expect(shown.map((entry) => entry.name)).toEqual(nativeMenu().private.map((entry) => entry.name));
        expect(shown.find((entry) => entry.name === name)?.description).toBe('The server’s');
        const hidden = nativeMenu({ ...servers, commands: [custom(name)] }).private.filter(
          (entry) => entry.name === name,
        );
        expect(hidden.map(({ custom: own }) => own)).toEqual([true]);
      }
    },
  );

  test('SPEC 4.4, 8.2: /compact compacts, also where a server has a prompt of that name', () => {
    const servers = { commands: [], skills: [], toolServers: [toolServer('a', prompt('compact'))] };
    expect(meaningOf('compact', servers)?.kind).toBe('row');
    expect(unreachable('prompt', 'compact', servers)).toContain('/compact');
  });

  test('equal names are one, the one with words; what cannot be reached is not listed', () => {
    expect(promptsFor(own).map(({ name, server, prompt: { description } }) => [name, server, description])).toEqual([
      ['bare', 'b', 'Has words'],
      ['spaced_out', 'a', 'Has  spaces'],
    ]);
    const listed = catalogFor(BEN, own).filter(({ section }) => section === 'prompts');
    expect(listed.map(({ name, summary }) => [name, summary])).toEqual([
      ['bare', 'Has words'],
      ['spaced_out', 'Has spaces'],
    ]);
    expect(unreachable('prompt', 'taught', own)).toContain('skill “taught”');
  });

  test('SPEC 4.3: work in private chats, for people who are let in', () => {
    const meaning = meaningOf('bare', own);
    if (!meaning) throw new Error('No meaning');
    expect(mayRun(useOf(meaning), BEN)).toEqual({ ok: true });
    expect(mayRun(useOf(meaning), { ...BEN, group: true })).toEqual({ ok: false, why: 'private-only' });
    expect(catalogFor({ ...BEN, group: true }, own).filter(({ section }) => section === 'prompts')).toEqual([]);
  });
});
