import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { APP_ID, BOT, TENANT } from '../standins/teams.ts';
import { signedToken } from '../standins/teamsTokens.ts';
import { until } from './conch.ts';

/** The person at the playground’s window. */
export const ALEX = '29:1alex';

const PACKAGE = fileURLToPath(import.meta.resolve('@microsoft/m365agentsplayground/package.json'));

const NAMES = ['Megan', 'Adele', 'Isaiah', 'Patti', 'Lynne'];

function personNamed(name: string, n: number) {
  const id = `29:1${name.toLowerCase()}`;
  const aadObjectId = `00000000-0000-0000-0000-0000000000${20 + n}`;
  const email = `${name.toLowerCase()}@example.com`;
  return { id, aadObjectId, name, givenName: name, surname: 'Example', userPrincipleName: email, email };
}

/** Who is who in the playground: the bot and the organisation are the tests’. It wants five people more. */
const CONFIG = {
  ...{ version: '0.1.1', tenantId: TENANT, bot: { id: BOT, name: 'Conch' }, currentUser: personNamed('Alex', 0) },
  users: NAMES.map((name, n) => personNamed(name, n + 1)),
  personalChat: { id: 'a:alex' },
  groupChat: { id: '19:lunch@thread.v2', name: 'Lunch' },
  team: {
    ...{ id: 'team-id', name: 'My Team', aadGroupId: '00000000-0000-0000-0000-000000000031' },
    channels: [{ id: '19:general@thread.tacv2', name: 'General' }],
  },
};

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/**
 * Microsoft’s own client for testing bots, in a headless browser. It signs nothing, so a proxy between it and Conch signs
 * what it sends, as Bot Framework does.
 */
export class Playground {
  readonly #dir = mkdtempSync(join(tmpdir(), 'conch-playground-'));
  readonly #proxy: Server = createServer((request, response) => void this.#forward(request, response));
  #child: ChildProcess | undefined;
  #browser: Browser | undefined;
  #port = 0;
  /** Where signed activities go. */
  webhook = '';

  /** For the channel’s `apiRoot`. */
  get apiRoot(): string {
    return `http://localhost:${this.#port}/_connector`;
  }

  /** Starts it and a browser. @throws if one of them does not start on this machine. */
  async start(): Promise<void> {
    await new Promise<void>((done) => this.#proxy.listen(0, '127.0.0.1', done));
    this.#port = await freePort();
    const endpoint = `http://127.0.0.1:${(this.#proxy.address() as AddressInfo).port}/api/messages`;
    const config = join(this.#dir, 'config.yml');
    writeFileSync(config, JSON.stringify(CONFIG));
    const args = ['start', '-e', endpoint, '-c', 'msteams', '-p', String(this.#port), '--dt'];
    const env = {
      ...{ ...process.env, TEAMSAPPTESTER_BROWSER: 'none', M365_AGENTS_PLAYGROUND_CONFIG_PATH: config },
      M365_AGENTS_PLAYGROUND_LOGFILE: join(this.#dir, 'log'),
    };
    const cli = resolve(dirname(PACKAGE), 'cli.js');
    this.#child = spawn(process.execPath, [cli, ...args], { cwd: this.#dir, env, stdio: 'ignore' });
    const answers = () =>
      fetch(`http://localhost:${this.#port}/`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(answers, 'the playground');
    await this.#launch();
  }

  async #launch(): Promise<void> {
    const [{ default: chromium }, { chromium: playwright }] = await Promise.all([
      import('@sparticuz/chromium'),
      import('playwright-core'),
    ]);
    const executablePath = await chromium.executablePath();
    this.#browser = await playwright.launch({ executablePath, args: chromium.args, headless: true });
  }

  /** Opens its window, by which the bot is added to the chat. */
  async open(): Promise<Page> {
    if (!this.#browser) throw new Error('There is no browser');
    const page = await this.#browser.newPage({ viewport: { width: 800, height: 820 } });
    page.setDefaultTimeout(10_000);
    await page.goto(`http://localhost:${this.#port}/`);
    await page.getByTitle('Toggle Log Panel').click();
    return page;
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    this.#child?.kill();
    this.#proxy.closeAllConnections();
    await new Promise((done) => this.#proxy.close(done));
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    // It looks first whether anybody is there.
    if (request.method !== 'POST') {
      response.end();
      return;
    }
    const token = signedToken(APP_ID, JSON.parse(body).serviceUrl);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const answer = await fetch(this.webhook, { method: 'POST', headers, body });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  }
}
