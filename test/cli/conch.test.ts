import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administrate } from '../../cli/administration.ts';
import { readArguments } from '../../cli/arguments.ts';
import { ChatClient } from '../../cli/chatClient.ts';
import { verify } from '../../lib/channels/text/verify.ts';
import type { Channel } from '../../lib/ports/chatApp.ts';
import { ADMIN_TOKEN, createTestAdministration, type TestAdministration } from '../administration/setup.ts';
import { startMcp, textTool } from '../standins/mcp.ts';
import { conch, deadUrl, listen } from './support.ts';

const SECRET = 'a-chat-secret-of-many-characters';
const CHAT_ID = 'local.chat';

/** A text channel that answers each message at once, in words that tell what was sent; `/silent` gets no answer. */
function echoChannel() {
  const received: { id: string; chat: string; person: string; text: string }[] = [];
  const replies: { seq: number; id: string; text: string; at: number; chat: string }[] = [];
  const faults = { unavailable: 0 };
  const channel = { secrets: { secret: SECRET } } as unknown as Channel;
  const app = new Hono();
  app.use('/text/:id/*', async (c, next) => {
    const body = new Uint8Array(await c.req.arrayBuffer());
    const headers = { ...c.req.header() };
    const verified = verify({ headers, body }, channel, Date.now());
    if (c.req.param('id') !== CHAT_ID) return c.json({}, 404);
    if (!verified.ok) return c.json({}, 401);
    if (faults.unavailable-- > 0) return c.json({}, 503);
    return next();
  });
  app.post('/text/:id', async (c) => {
    const message = await c.req.json();
    if (received.some(({ id }) => id === message.id)) return c.json({});
    received.push(message);
    if (message.text !== '/silent') add(message.chat, `You said: ${message.text}\x1b[2J`);
    if (message.text === 'twice') add(message.chat, 'And again.');
    return c.json({});
  });
  app.get('/text/:id/replies', (c) => {
    const after = Number(c.req.query('after'));
    const behind = replies.filter(({ seq, chat }) => seq > after && chat === c.req.query('chat'));
    return c.json(behind.slice(0, 2).map(({ chat: _, ...reply }) => reply));
  });
  const add = (chat: string, text: string) => {
    replies.push({
      seq: replies.filter((one) => one.chat === chat).length + 1,
      id: `r${replies.length}`,
      text,
      at: 1,
      chat,
    });
  };
  return { app, received, faults, add };
}

let admin: TestAdministration;
let echo: ReturnType<typeof echoChannel>;
let server: Awaited<ReturnType<typeof listen>>;
let CONCH_DATA: string;

beforeAll(async () => {
  admin = await createTestAdministration();
  echo = echoChannel();
  const app = new Hono();
  app.route('/', echo.app);
  app.mount('/', admin.app.fetch);
  server = await listen(app);
  CONCH_DATA = mkdtempSync(join(tmpdir(), 'conch-cli-'));
  const local = { url: server.url, adminToken: ADMIN_TOKEN, chat: { channelId: CHAT_ID, secret: SECRET } };
  writeFileSync(join(CONCH_DATA, 'local.json'), JSON.stringify(local));
});
afterAll(async () => {
  await server.close();
  admin.close();
  rmSync(CONCH_DATA, { recursive: true });
});

const run = (line: string, options: { input?: string; env?: Record<string, string> } = {}) =>
  conch(line.split(' '), { ...options, env: { CONCH_DATA, ...options.env } });

describe('SPEC 14.1: the administration by the command line', () => {
  test('a tenant is set up with secrets from the input and the environment, looked at and deleted', async () => {
    expect(await run('put tenant acme')).toEqual({ code: 0, stdout: 'tenant  acme\n', stderr: '' });
    const input = 'a-secret-of-the-web-channel\n';
    const channel = await run('put channel web --tenant acme --app text --secret -', { input });
    expect(channel.stdout).toMatch(
      /To become the owner of this channel, send the bot \/start \w{22} within 24 hours\.\n$/,
    );
    const env = { KEY: 'sk-from-the-environment', CONCH_TENANT: 'acme' };
    const [provider, second, listed] = [
      await run('put provider p --engine openai --api-key env:KEY --json', { env }),
      await run('put provider a --engine demo --tenant acme', { env }),
      await run('providers', { env }),
    ];
    expect(JSON.parse(provider.stdout)).toMatchObject({ name: 'p', secrets: ['apiKey'] });
    expect(listed.stdout.split('\n')[1]).toMatch(/^p +true +openai +apiKey$/);
    expect(second.stdout).toContain('default   false\n');
    // SPEC 14.4: a provider that is added moves no chat, and whoever adds it is told.
    expect(second.stdout).toMatch(/go on with the default.*\nTo make.* conch put settings --tenant acme --model a\n$/);
    const record = (await admin.stores.tenants.load('acme'))?.providers[0];
    const opened = admin.stores.secrets.open(record?.secrets.apiKey ?? '', { tenant: 'acme', owner: 'provider#p' });
    expect(await opened).toBe('sk-from-the-environment');
    expect(await run('delete tenant acme')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await run('delete tenant acme --yes')).toEqual({ code: 0, stdout: 'Done.\n', stderr: '' });
    expect(await admin.stores.tenants.load('acme')).toBeUndefined();
  });

  test('a tool server is put with a token from the environment, asked again, listed and deleted', async () => {
    const mcp = await startMcp({
      tools: [textTool('list')],
      wanted: { authorization: 'Bearer t-from-the-environment' },
    });
    await admin.call('PUT', '/v1/tenants/desk');
    const env = { TOKEN: 't-from-the-environment', CONCH_TENANT: 'desk' };
    const put = await run(`put tool-server tracker --address ${mcp.url} --token env:TOKEN`, { env });
    mcp.tools.push(textTool('add'));
    const asked = await run('refresh tool-server tracker --json', { env });
    const listed = await run('tool-servers', { env });
    mcp.stop();
    const down = await run('refresh tool-server tracker', { env });
    expect([put.code, JSON.parse(asked.stdout).tools.length]).toEqual([0, 2]);
    expect(listed.stdout.split('\n')[1]).toMatch(/^tracker +http:\S+ +authorization +\d{4}-.* 2 +0 +0$/);
    expect(down.stdout).toMatch(/fault +It cannot be reached\./);
    expect([put, asked, listed, down].some(({ stdout }) => stdout.includes('from-the-environment'))).toBe(false);
    expect((await run('delete tool-server tracker', { env })).stdout).toBe('Done.\n');
  });

  test('what the API refuses is said in sentences, with the fields', async () => {
    await admin.call('PUT', '/v1/tenants/local');
    const refused = await run('put channel web --app text --secret short');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toBe(
      'Some fields are not right:\n  --secret: A secret of at least 16 characters is needed.\n',
    );
  });

  test.each([
    ['get channel nothing', ADMIN_TOKEN, 'The tenant “local” has no channel “nothing”.'],
    ['tenants', 'wrong', 'The admin token is missing or wrong'],
    ['tenants', undefined, 'There is no admin token'],
  ])('conch %s with the token %s: %s', async (line, adminToken, words) => {
    const connection = { url: server.url, adminToken };
    const sources = { env: {}, readLine: async () => '' };
    await expect(administrate(readArguments(line.split(' ')), connection, sources)).rejects.toThrow(words);
  });

  test('a server that is not running is one plain sentence', async () => {
    const url = await deadUrl();
    const sentence = `Conch is not running at ${url}; start it with npm start.\n`;
    const env = { CONCH_URL: url, CONCH_ADMIN_TOKEN: 'x', CONCH_CHAT_CHANNEL: CHAT_ID, CONCH_CHAT_SECRET: SECRET };
    const [list, chat] = await Promise.all([run('tenants', { env }), run('chat', { env, input: 'hi\n' })]);
    expect([list, chat]).toEqual(Array(2).fill({ code: 1, stdout: '', stderr: sentence }));
  });

  test('help comes without a server; an unknown command is refused', async () => {
    const [help, all, about, version, unknown, nothing] = await Promise.all(
      ['put channel helper --help', '--help', 'help put channel', '--version', 'helo', 'help helo'].map((line) =>
        run(line),
      ),
    );
    expect(help).toEqual({ code: 0, stdout: about?.stdout, stderr: '' });
    expect(help?.stdout).toMatch(/^ {2}conch put channel NAME/u);
    expect([all?.code, all?.stdout]).toEqual([0, expect.stringMatching(/^conch: .*Everywhere/su)]);
    expect([version?.code, version?.stdout]).toEqual([0, expect.stringMatching(/^conch \d+\.\d+\.\d+\n$/u)]);
    for (const refused of [unknown, nothing]) {
      expect([refused?.code, refused?.stdout]).toEqual([2, '']);
      expect(refused?.stderr).toContain('There is no command “helo”');
    }
  });
});

describe('DESIGN 6: conch chat', () => {
  test('in a pipe, each line is sent, its answer awaited and printed', async () => {
    echo.add('ana', 'From before: is not shown.');
    const lines = ['hello', '', '/status now', 'one\\', 'two', 'twice'];
    const input = `${lines.join('\n')}\n`;
    const { code, stdout, stderr } = await run('chat --person ana', { input });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      'You said: hello[2J',
      'You said: /status now[2J',
      'You said: one',
      'two[2J',
      'You said: twice[2J',
      'And again.',
    ]);
    const mine = echo.received.filter(({ person }) => person === 'ana');
    expect(mine.map(({ text, chat }) => [chat, text])).toEqual(
      ['hello', '/status now', 'one\ntwo', 'twice'].map((text) => ['ana', text]),
    );
  });

  test('SPEC 2.3: a message that was not taken is sent again under the same id', async () => {
    const chatting = run('chat --person ben', { input: 'again' });
    echo.faults.unavailable = 1;
    expect(await chatting).toMatchObject({ code: 0, stdout: 'You said: again[2J\n' });
    expect(echo.received.filter(({ person }) => person === 'ben')).toHaveLength(1);
  });

  test.each([
    ['a wrong secret', { channelId: CHAT_ID, secret: 'wrong' }, 'secret is not right'],
    ['a chat that is gone', { channelId: 'local.gone', secret: SECRET }, 'no such chat'],
  ])('%s is said', async (_case, chat, words) => {
    const client = new ChatClient({ url: server.url, ...chat, chat: 'x', person: 'x' });
    await expect(client.send('hi')).rejects.toThrow(words);
    await expect(client.newest()).rejects.toThrow(words);
  });

  test.each([
    ['CONCH_CHAT_CHANNEL', 'CONCH_CHAT_SECRET'],
    ['CONCH_CHAT_SECRET', 'CONCH_CHAT_CHANNEL'],
  ])('%s alone is not enough', async (given, missing) => {
    const stderr = `${given} is set, and ${missing} is not; a chat needs both.\n`;
    expect(await run('chat', { env: { [given]: 'x' }, input: 'hi' })).toEqual({ code: 2, stdout: '', stderr });
  });

  test('a channel that was named and is not there is said by its name', async () => {
    const env = { CONCH_URL: server.url, CONCH_CHAT_CHANNEL: 'local.lost', CONCH_CHAT_SECRET: SECRET };
    const { code, stderr } = await run('chat', { env, input: 'hi' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no text channel “local.lost”')]);
  });

  test('without a chat it says how to get one', async () => {
    const { code, stderr } = await run('chat', { env: { CONCH_DATA: '/nowhere' }, input: 'hi' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('start Conch here with npm start')]);
  });

  test('no answer in time is a failure', async () => {
    const { code, stderr } = await run('chat --wait 0.3', { input: '/silent' });
    expect([code, stderr]).toEqual([1, 'No answer came in time. `npx conch doctor` may say why.\n']);
  });

  test('a signal ends it', async () => {
    const chatting = run('chat --person cy', { input: '/silent' });
    await expect.poll(() => echo.received.some(({ person }) => person === 'cy'), { timeout: 5_000 }).toBe(true);
    chatting.child.kill('SIGTERM');
    expect((await chatting).code).toBeNull();
  });
});
