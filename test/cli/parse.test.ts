import { describe, expect, test } from 'vitest';
import { isAdministration, requestOf } from '../../cli/administration.ts';
import { readArguments } from '../../cli/arguments.ts';
import { asTyped } from '../../cli/fieldNames.ts';
import { HELP, helpAbout } from '../../cli/help.ts';
import { MessageLines } from '../../cli/lines.ts';
import { fillIn } from '../../cli/secretInput.ts';
import { plainText, shown } from '../../cli/show.ts';
import { LISTS, THINGS } from '../../cli/things.ts';

const read = (line: string) => readArguments(line.split(' '));
const request = (line: string) => requestOf(read(line));

describe('SPEC 14.1: a command is one request', () => {
  test.each([
    ['tenants', { method: 'GET', path: '/v1/tenants' }],
    ['channels', { method: 'GET', path: '/v1/tenants/local/channels' }],
    ['channels --tenant acme', { method: 'GET', path: '/v1/tenants/acme/channels' }],
    ['channels --tenant a/b', { method: 'GET', path: '/v1/tenants/a%2Fb/channels' }],
    ['usage --days 7', { method: 'GET', path: '/v1/tenants/local/usage?days=7' }],
    ['events x~y --after 5 --limit 2', { method: 'GET', path: '/v1/tenants/local/places/x~y/events?after=5&limit=2' }],
    ['providers', { method: 'GET', path: '/v1/tenants/local/providers' }],
    ['providers models my-p', { method: 'GET', path: '/v1/tenants/local/providers/my-p/models' }],
    ['people web', { method: 'GET', path: '/v1/tenants/local/channels/web/people' }],
    ['manifest bot', { method: 'GET', path: '/v1/tenants/local/channels/bot/manifest' }],
    ['manifest bot --app slack', { method: 'GET', path: '/v1/tenants/local/channels/bot/manifest?app=slack' }],
    ['get tenant acme', { method: 'GET', path: '/v1/tenants/acme' }],
    ['get settings', { method: 'GET', path: '/v1/tenants/local/settings' }],
    ['put tenant acme', { method: 'PUT', path: '/v1/tenants/acme', body: {} }],
    ['delete channel main', { method: 'DELETE', path: '/v1/tenants/local/channels/main' }],
    ['delete person web ben/1', { method: 'DELETE', path: '/v1/tenants/local/channels/web/people/ben%2F1' }],
    [
      'put person web ben --name Ben',
      { method: 'PUT', path: '/v1/tenants/local/channels/web/people/ben', body: { name: 'Ben' } },
    ],
    [
      'put channel main --app telegram --token=1:a --api-root http://x --reclaim',
      {
        method: 'PUT',
        path: '/v1/tenants/local/channels/main',
        body: { app: 'telegram', token: '1:a', apiRoot: 'http://x', reclaim: true },
      },
    ],
    [
      'put provider p --engine bedrock --api-key k --base-url http://x --models us.nova-v1:0=32000,b --region eu-west-1',
      {
        method: 'PUT',
        path: '/v1/tenants/local/providers/p',
        body: {
          ...{ engine: 'bedrock', apiKey: 'k', baseURL: 'http://x', settings: { region: 'eu-west-1' } },
          models: [{ id: 'us.nova-v1:0', contextWindow: 32_000 }, { id: 'b' }],
        },
      },
    ],
    [
      'put tool-server t --address https://x/mcp --token k --header-x-api-key v --only a,b',
      {
        ...{ method: 'PUT', path: '/v1/tenants/local/tool-servers/t' },
        body: {
          ...{ url: 'https://x/mcp', only: ['a', 'b'] },
          headers: { authorization: 'Bearer k', 'x-api-key': 'v' },
        },
      },
    ],
    ['tool-servers', { method: 'GET', path: '/v1/tenants/local/tool-servers' }],
    ['refresh tool-server t', { method: 'POST', path: '/v1/tenants/local/tool-servers/t/refresh' }],
    [
      'put provider p --engine openai --check --models a=5:no-tools,b:tools,us.nova-v1:0',
      {
        ...{ method: 'PUT', path: '/v1/tenants/local/providers/p?check=true' },
        body: {
          engine: 'openai',
          models: [{ id: 'a', contextWindow: 5, tools: false }, { id: 'b', tools: true }, { id: 'us.nova-v1:0' }],
        },
      },
    ],
    [
      'put settings --model p/m --fast off --turns-at-once 3',
      { method: 'PUT', path: '/v1/tenants/local/settings', body: { model: 'p/m', fast: false, turnsAtOnce: 3 } },
    ],
    [
      'put settings --fallback q/n --steps-per-turn 50 --tokens-per-turn 90000 --minutes-per-turn 10',
      {
        ...{ method: 'PUT', path: '/v1/tenants/local/settings' },
        body: { fallback: 'q/n', stepsPerTurn: 50, tokensPerTurn: 90_000, minutesPerTurn: 10 },
      },
    ],
    [
      'put settings --messages-per-minute 5 --turns-per-day 0 --tokens-per-day many',
      {
        ...{ method: 'PUT', path: '/v1/tenants/local/settings' },
        body: { messagesPerMinute: 5, turnsPerDay: 0, tokensPerDay: 'many' },
      },
    ],
  ])('conch %s', (line, expected) => {
    expect(request(line)).toEqual(expected);
  });

  test('the tenant of the environment stands unless the command names one', () => {
    expect(requestOf(read('places'), 'acme').path).toBe('/v1/tenants/acme/places');
    expect(requestOf(read('places --tenant b'), 'acme').path).toBe('/v1/tenants/b/places');
  });

  test.each([
    ['put', 'wants one of: tenant, channel, provider, command, skill, tool-server, settings, person.'],
    ['refresh', 'wants one of: tool-server.'],
    ['put table x', 'wants one of'],
    ['put constructor x', 'wants one of'],
    ['put channel', 'conch put channel NAME'],
    ['put channel a b --app text', 'conch put channel NAME'],
    ['events', 'conch events PLACE'],
    ['get place x', 'conch get place is not possible; only delete.'],
    ['tenants --days 3', '--days'],
    ['delete channel main --token x', '--token'],
    ['put settings --efort low', '--efort'],
    ['put settings --tokens-per-dya 5', 'There is no option --tokens-per-dya here'],
    ['put settings --waiting 5', 'There is no option --waiting here'],
    ['put channel main --token', '--token'],
    ['put channel main --token --reclaim', '--token'],
    ['tenants --json=yes', '--json'],
  ])('conch %s is refused, and says why', (line, why) => {
    expect(() => request(line)).toThrow(why);
    expect(() => request(line)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  test('only words of the administration begin its commands', () => {
    expect(['tenants', 'put', 'usage'].map(isAdministration)).toEqual([true, true, true]);
    expect(['toString', 'chat', ''].map(isAdministration)).toEqual([false, false, false]);
  });
});

describe('SPEC 14.1: conch help WORD', () => {
  const verbs = ['get', 'put', 'delete', 'refresh', 'push'];
  const others = ['chat', 'doctor', 'help', 'version', 'teams', 'teams package', 'commands push', 'skills push'];
  const lists = Object.keys(LISTS);
  const things = Object.entries(THINGS).flatMap(([thing, { verbs }]) => [
    thing,
    ...verbs.map((verb) => `${verb} ${thing}`),
  ]);

  test.each([...verbs, ...others, ...lists, ...things])('%s', (words) => {
    const about = helpAbout(words.split(' ')) ?? '';
    expect(about).toMatch(/^ {2}conch /u);
    expect(about.length).toBeLessThan(HELP.length / 2);
  });

  test('a command comes with its options; one thing and several are the same', () => {
    expect(helpAbout(['chat'])).toContain('--wait SECONDS');
    expect(helpAbout(['put', 'provider'])).toMatch(
      /^ {2}conch put provider NAME.*\n.*--models.*\n.*--region.*\n.*--check.*\n\n.*\n?$/u,
    );
    expect(helpAbout(['providers'])).toBe(helpAbout(['provider']));
    expect(helpAbout(['people'])).toContain('conch put person CHANNEL PERSON');
  });

  test.each([[], ['frobnicate'], ['put', 'chat'], ['NAME'], ['engine'], ['conch'], ['']])(
    '%j is no command',
    (...words) => {
      expect(helpAbout(words)).toBeUndefined();
    },
  );
});

describe('SPEC 14.1: a field that is refused is named as it was typed', () => {
  test.each([
    ['put provider p --engine openai', 'apiKey', '--api-key'],
    ['put provider p --engine openai', 'baseURL', '--base-url'],
    ['put provider p --engine bedrock', 'settings.region', '--region'],
    ['put provider p --models a', 'models.0.contextWindow', '--models'],
    ['put provider p --check', 'check', '--check'],
    ['put provider P', 'name', 'name'],
    ['put settings', 'turnsAtOnce', '--turns-at-once'],
    ['put command c', 'meta.argumentHint', '--argument-hint'],
    ['put command c', 'template', '--template'],
    ['put skill s', 'text', '--text'],
    ['put channel c --app slack', 'signingSecret', '--signing-secret'],
    ['put channel c --app teams', 'openIdMetadataUrl', '--open-id-metadata-url'],
    ['put channel c --app telegram', 'webhook', 'webhook'],
    ['put channel c', '(unnamed)', '(unnamed)'],
    ['put person web ben', 'name', '--name'],
    ['put person web ben', 'person', 'person'],
    ['put tool-server t', 'url', '--address'],
    ['put tool-server t', 'only.3', '--only'],
    ['put tool-server t --header-x-key v', 'headers.x-key', '--header-x-key'],
    ['put tool-server t --token v', 'headers.authorization', '--token'],
    ['put tool-server t --header-authorization v', 'headers.authorization', '--header-authorization'],
    ['put tenant A', 'tenant', 'tenant'],
    ['channels --tenant A', 'tenant', '--tenant'],
    ['usage --days x', 'days', '--days'],
    ['manifest bot --app x', 'app', '--app'],
    ['get channel C', 'name', 'name'],
    ['delete provider C', 'engine', 'engine'],
    ['commands push x --tenant A', 'tenant', '--tenant'],
  ])('conch %s: %s is %s', (line, field, name) => {
    expect(asTyped(field, read(line))).toBe(name);
  });
});

describe('SPEC 14.2: secrets stay out of the command', () => {
  const sources = (lines: string[], env = {}) => ({ env, readLine: async () => lines.shift() ?? '' });

  test('“-” is a line of the input each, “env:” a variable, the rest stands', async () => {
    const from = sources([' first ', 'second'], { TOKEN: 'third' });
    const filled = await fillIn({ a: '-', b: 'env:TOKEN', c: 'plain', d: '-', e: 'env:1' }, from);
    expect(filled).toEqual({ a: 'first', b: 'third', c: 'plain', d: 'second', e: 'env:1' });
  });

  test('a variable that is not set is named', async () => {
    await expect(fillIn({ token: 'env:NONE' }, sources([]))).rejects.toThrow('--token: the variable NONE is not set');
    await expect(fillIn({ botToken: 'env:NONE' }, sources([]))).rejects.toThrow('--bot-token: the variable');
  });
});

describe('messages of several lines', () => {
  test('a backslash at the end goes on; an empty message is none', () => {
    const lines = new MessageLines();
    expect(['one\\', 'two', '', '  ', '/clear', 'a\\b'].map((line) => lines.add(line))).toEqual([
      undefined,
      'one\ntwo',
      undefined,
      undefined,
      '/clear',
      'a\\b',
    ]);
  });

  test('what was begun is sent when the input ends', () => {
    const lines = new MessageLines();
    lines.add('one\\');
    expect([lines.isOpen, lines.end(), lines.isOpen, lines.end()]).toEqual([true, 'one', false, undefined]);
  });
});

describe('SPEC 13.4: what comes from elsewhere does not rule the terminal', () => {
  test('control characters are left out', () => {
    expect(plainText('a\x1b[2J\x07b\n\tc\u009b')).toBe('a[2Jb\n\tc');
    expect(shown([{ name: 'x\x1b[0m\ny' }])).toBe('name\nx[0m y');
  });

  test('rows stand in columns under the names of their fields', () => {
    const rows = [
      { id: 'a', bot: {} },
      { id: 'long', firstAt: 0, secrets: ['x', 'y'] },
    ];
    expect(shown(rows).split('\n')).toEqual([
      'id    bot  firstAt              secrets',
      'a',
      'long       1970-01-01 00:00:00  x, y',
    ]);
    expect(shown([{ argument: { kind: 'text', hint: 'code' } }, { argument: { kind: 'none' } }])).toBe(
      'argument\ncode\n',
    );
    expect([shown([]), shown({}), shown({ a: 1, bc: 'x' })]).toEqual(['None.', 'Nothing is set.', 'a   1\nbc  x']);
  });
});
