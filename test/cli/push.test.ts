import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requestOf } from '../../cli/administration.ts';
import { readArguments } from '../../cli/arguments.ts';
import { readFolder } from '../../cli/folder.ts';
import { readFrontMatter } from '../../cli/frontMatter.ts';
import { menuLines } from '../../cli/menuLines.ts';
import { push } from '../../cli/push.ts';
import { ADMIN_TOKEN, createTestAdministration, type TestAdministration } from '../administration/setup.ts';
import { conch, listen } from './support.ts';

let admin: TestAdministration;
let server: Awaited<ReturnType<typeof listen>>;
let dir = '';

beforeAll(async () => {
  admin = await createTestAdministration();
  server = await listen(admin.app);
  await admin.call('PUT', '/v1/tenants/local');
});
afterAll(async () => {
  await server.close();
  admin.close();
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'conch-push-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function write(files: Record<string, string | Uint8Array>, base = dir): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
}

const run = (...words: string[]) => conch(words, { env: { CONCH_URL: server.url, CONCH_ADMIN_TOKEN: ADMIN_TOKEN } });
const stored = async () =>
  (await admin.stores.tenants.load('local'))?.commands.map(({ name, template }) => [name, template]);
const META = '{"description": "Does it"}';
const command = (name: string, template = 'Do {{args}}.\n') => ({
  ...{ [`commands/${name}/meta.json`]: META, [`commands/${name}/COMMAND.md`]: template },
});

describe('SPEC 10.1: conch commands push DIR', () => {
  test('uploads, removes what the folder dropped, reports each bad one; a folder without any is no error and changes nothing', async () => {
    write({ ...command('greet'), ...command('old'), 'commands/README.md': 'no command' });
    expect(await run('commands', 'push', dir)).toEqual({
      code: 0,
      stdout: '2 commands stored: greet, old\n',
      stderr: '',
    });
    rmSync(join(dir, 'commands/old'), { recursive: true });
    write({
      ...command('greet', '\ufeffHello {{args}}.\r\n'),
      ...{ 'commands/no-meta/COMMAND.md': 'x', 'commands/no-text/meta.json': META },
      ...{ 'commands/no-json/meta.json': '{', 'commands/no-json/COMMAND.md': 'x' },
      ...{ 'commands/typo/meta.json': '{"descripton": "x"}', 'commands/typo/COMMAND.md': 'x' },
      ...command('Bad Name'),
      ...{ ...command('latin'), 'commands/latin/COMMAND.md': Uint8Array.of(0xe4, 0x20) },
    });
    const { code, stdout } = await run('commands', 'push', dir);
    expect([code, stdout.split('\n')]).toEqual([
      1,
      [
        '1 command stored: greet',
        '1 command removed: old',
        '6 commands refused:',
        '  latin: COMMAND.md cannot be read as a text in UTF-8.',
        '  no-json: meta.json cannot be read as JSON.',
        '  no-meta: meta.json is missing.',
        '  no-text: COMMAND.md is missing.',
        '  Bad Name: A name has 1 to 32 small letters, digits, "-" and "_".',
        '  typo: meta.description: It is missing. meta.descripton: There is no such field.',
        '',
      ],
    ]);
    expect(await stored()).toEqual([['greet', 'Hello {{args}}.\r\n']]);
    mkdirSync(join(dir, 'project'));
    const nothing = await run('commands', 'push', join(dir, 'project'));
    expect([nothing.code, nothing.stdout]).toEqual([0, expect.stringContaining('nothing was changed')]);
    expect(await stored()).toHaveLength(1);
  });

  test.each(['commands', 'skills'])(
    'a folder of %s that does not exist is a mistake, and nothing is removed',
    async (thing) => {
      write({ ...command('kept'), 'skills/kept/SKILL.md': '---\nname: kept\ndescription: x\n---\nx' });
      expect((await run(thing, 'push', dir)).code).toBe(0);
      const before = await admin.stores.tenants.load('local');
      for (const path of ['nowhere', `nowhere/${thing}`]) {
        const missing = join(dir, path);
        expect(await run(thing, 'push', missing)).toEqual({
          ...{ code: 1, stdout: '' },
          stderr: `The folder ${missing} does not exist; nothing was changed.\n`,
        });
      }
      expect(await admin.stores.tenants.load('local')).toEqual(before);
      await admin.call('DELETE', `/v1/tenants/local/${thing}/kept`);
    },
  );

  test('the folder may be named itself; one without commands in it is none', async () => {
    write(command('one'));
    expect(readFolder('commands', join(dir, 'commands'))?.good.size).toBe(1);
    expect(readFolder('commands', dir)?.good.size).toBe(1);
    write({ 'src/index.ts': '', '.git/config': '' }, join(dir, 'project'));
    expect(readFolder('commands', join(dir, 'project'))).toBeUndefined();
    expect(readFolder('skills', dir)).toBeUndefined();
    rmSync(join(dir, 'commands/one'), { recursive: true });
    expect(readFolder('commands', dir)?.good.size).toBe(0);
    writeFileSync(join(dir, 'file'), '');
    expect(() => readFolder('commands', join(dir, 'file'))).toThrow('is no folder');
  });

  test('a folder that is too large for one request comes in parts, and none of them removes another', async () => {
    for (let n = 0; n < 30; n++) write(command(`large-${n}`, 'x'.repeat(40_000)));
    write({ 'commands/bad/meta.json': META });
    const connection = { url: server.url, adminToken: ADMIN_TOKEN };
    const first = await push(readArguments(['commands', 'push', dir]), connection, 'local');
    expect(first.text).toContain('30 commands stored');
    expect([first.failed, (await stored())?.length]).toEqual([true, 30]);
    const again = await push(readArguments(['commands', 'push', dir, '--json']), connection, 'local');
    expect(JSON.parse(again.text)).toMatchObject({ stored: [], removed: [], refused: [{ name: 'bad' }] });
    rmSync(join(dir, 'commands'), { recursive: true });
    mkdirSync(join(dir, 'commands'));
    expect((await push(readArguments(['commands', 'push', dir]), connection, 'local')).text).toContain(
      '30 commands removed',
    );
    expect(await stored()).toEqual([]);
  });

  test('what is wrong with the line is said', async () => {
    const connection = { url: server.url, adminToken: ADMIN_TOKEN };
    await expect(push(readArguments(['commands', 'push']), connection, 'local')).rejects.toThrow(
      'conch commands push DIR',
    );
    await expect(push(readArguments(['skills', 'push', dir, '--x', 'y']), connection, 'local')).rejects.toThrow('--x');
  });
});

test('SPEC 10.4: conch skills push DIR', async () => {
  write({
    'skills/tone/SKILL.md': '---\nname: tone\ndescription: "How: we write"\nlicense: MIT\n---\n\n# Tone\nShort.\n',
    'skills/other/SKILL.md': '---\nname: another\ndescription: x\n---\nx',
    'skills/plain/SKILL.md': 'No front matter.',
    'skills/nothing/SKILL.md': '---\nname: nothing\n---\nx',
  });
  const { code, stdout } = await run('skills', 'push', dir);
  expect([code, stdout]).toEqual([1, expect.stringContaining('1 skill stored: tone\n3 skills refused:\n')]);
  expect(stdout).toContain('  other: The front matter of SKILL.md has another name than its folder: another');
  const skills = (await admin.stores.tenants.load('local'))?.skills;
  expect(skills).toEqual([{ name: 'tone', description: 'How: we write', text: '# Tone\nShort.\n' }]);
});

describe('front matter', () => {
  test.each([
    ['plain, with a comment', 'description: We write  # so', { description: 'We write' }],
    ['quotation marks', `a: 'It''s: x'\nb: "two\\nlines"`, { a: "It's: x", b: 'two\nlines' }],
    ['over several lines', 'description: one\n  two\nname: x', { description: 'one two', name: 'x' }],
    ['folded', 'description: >-\n  one\n  two', { description: 'one two' }],
    ['kept', 'description: |\n  one\n  two', { description: 'one\ntwo' }],
    ['what is nested stays with its field', 'metadata:\n  a: b\nname: x', { metadata: 'a: b', name: 'x' }],
    ['lines of Windows', 'name: x\r\ndescription: y', { name: 'x', description: 'y' }],
    ['nothing', '', {}],
  ])('%s', (_what, head, fields) => {
    expect(readFrontMatter(`---\n${head}\n---\ntext`)).toEqual({ fields, text: 'text' });
  });

  test('only at the beginning, and only once', () => {
    expect(readFrontMatter('x\n---\nname: x\n---\n')).toBeUndefined();
    expect(readFrontMatter('---\nname: x\n')).toBeUndefined();
    expect(readFrontMatter('---\nname: x\n---\n\na\n---\nb')?.text).toBe('a\n---\nb');
  });
});

describe('SPEC 14.1: one by one', () => {
  test.each([
    ['commands', { method: 'GET', path: '/v1/tenants/local/commands' }],
    ['skills', { method: 'GET', path: '/v1/tenants/local/skills' }],
    ['get command greet', { method: 'GET', path: '/v1/tenants/local/commands/greet' }],
    ['delete skill tone', { method: 'DELETE', path: '/v1/tenants/local/skills/tone' }],
    [
      'put command greet --description Hi --template Hello --argument-hint name --who owner --enabled off',
      {
        ...{ method: 'PUT', path: '/v1/tenants/local/commands/greet' },
        body: { meta: { description: 'Hi', argumentHint: 'name', who: 'owner', enabled: false }, template: 'Hello' },
      },
    ],
  ])('conch %s', (line, expected) => {
    expect(requestOf(readArguments(line.split(' ')))).toEqual(expected);
  });

  test('a template and a skill may stand in a file', async () => {
    write({ 'a.md': 'Hello\n{{args}}' });
    const put = await run('put', 'command', 'filed', '--description', 'Two words', '--file', join(dir, 'a.md'));
    expect([put.code, put.stderr]).toEqual([0, '']);
    expect(await run('put', 'skill', 'filed', '--description', 'x', '--file', join(dir, 'a.md'))).toMatchObject({
      code: 0,
    });
    expect((await admin.stores.tenants.load('local'))?.commands).toMatchObject([
      { name: 'filed', template: 'Hello\n{{args}}' },
    ]);
    const missing = await run('put', 'command', 'x', '--description', 'x', '--file', join(dir, 'none'));
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read')]);
    expect(await run('delete', 'command', 'filed')).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });
});

test('SPEC 12.1: what is not in a menu is said', () => {
  const leftOut = Array.from({ length: 7 }, (_, n) => ({ name: `c${n}`, reason: 'No room.' }));
  expect(
    menuLines([
      { channel: 'a', published: true },
      { channel: 'b', published: false, reason: 'Try again.' },
      { channel: 'c', published: true, leftOut },
    ]),
  ).toEqual([
    'The menu of the channel b was not published: Try again.',
    'Not in the menu of the channel c, but working when typed: c0, c1, c2, c3, c4 and 2 more. No room.',
  ]);
});
