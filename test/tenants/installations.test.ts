import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeyFileSecretBox } from '../../lib/aws/keyFileSecrets.ts';
import { slack } from '../../lib/channels/slack/index.ts';
import type { Channel } from '../../lib/ports/chatApp.ts';
import type { Installations } from '../../lib/ports/installations.ts';
import { storeInstallation } from '../../lib/tenants/install.ts';
import { installationOpener, RENEW_BEFORE_MS } from '../../lib/tenants/installations.ts';
import { channel as one } from '../channels/slack/channel.ts';
import { SlackStandIn, TEAM } from '../standins/slack.ts';
import { MemoryInstallations } from '../support/memory/installations.ts';

const HOUR_MS = 3_600_000;
const LIFE_MS = 12 * HOUR_MS;

const folder = mkdtempSync(join(tmpdir(), 'conch-installations-'));
const secrets = KeyFileSecretBox.open(join(folder, 'key'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let standIn: SlackStandIn;
let channel: Channel;
let store: MemoryInstallations;
let now = 0;
let logged: string[] = [];
beforeEach(async () => {
  standIn = await SlackStandIn.start();
  standIn.workspaces.add('T1', 'One');
  standIn.workspaces.add('E1', 'All');
  standIn.workspaces.tokenLifeS = LIFE_MS / 1000;
  const { clientId, clientSecret } = standIn.workspaces;
  channel = {
    ...{ ...one, bot: {}, apiRoot: standIn.root, settings: { clientId } },
    secrets: { signingSecret: standIn.signingSecret, clientSecret },
  };
  store = new MemoryInstallations();
  now = 1_790_000_000_000;
  logged = [];
});
afterEach(() => standIn.close());

const scope = { tenant: one.tenant, channelId: one.id };
let id = 0;
const runtime = {
  now: () => now,
  newId: () => `id-${id++}`,
  sleep: async (ms: number) => {
    now += ms;
    await new Promise((resolve) => setTimeout(resolve, 5));
  },
};
const write = (what: string, ...more: unknown[]) => void logged.push(JSON.stringify([what, ...more]));
const logger = { info: write, warn: write, error: write };

/** A process of its own: it remembers nothing of others. @param over what its store does otherwise. */
function process(over: Partial<Installations> = {}, app = slack) {
  const installations: Installations = {
    get: (...all) => store.get(...all),
    put: (...all) => store.put(...all),
    replace: (...all) => store.replace(...all),
    remove: (...all) => store.remove(...all),
    list: (all) => store.list(all),
    erase: (all) => store.erase(all),
    ...over,
  };
  const open = installationOpener({ installations, secrets, runtime, logger });
  return (...workspaces: string[]) => open(app, channel, workspaces);
}

async function install(team: string): Promise<void> {
  const page = slack.workspaces?.authorizeUrl(channel, { state: 's', redirectUrl: 'https://conch.example/x' }) ?? '';
  const code = new URL(standIn.workspaces.allow(page, team)).searchParams.get('code') ?? '';
  const granted = await slack.workspaces?.exchange(channel, code, 'https://conch.example/x');
  if (!granted?.ok) throw new Error(granted?.reason);
  await storeInstallation({ installations: store, secrets, runtime }, channel, granted);
}

const isAlive = (installed: Channel | undefined) => installed && slack.workspaces?.isAlive(installed);

describe('which installation', () => {
  test('the workspace’s own goes before its organisation’s; where there is none, no token is used', async () => {
    const open = process();
    expect(await open('T1', 'E1')).toBeUndefined();
    await install('E1');
    expect(await open('T1', 'E1')).toMatchObject({ workspace: 'E1', bot: { id: expect.any(String) } });
    expect((await open('T1', 'E1'))?.bot).not.toHaveProperty('team');
    await install('T1');
    expect(await open('T1', 'E1')).toMatchObject({ workspace: 'T1', bot: { team: 'T1' } });
    expect(await open(TEAM)).toBeUndefined();
  });

  test('the same object comes back as long as the token lives, without a read', async () => {
    await install('T1');
    let reads = 0;
    const open = process({
      get: (...all) => {
        reads += 1;
        return store.get(...all);
      },
    });
    const [first, second] = [await open('T1'), await open('T1')];
    expect(first).toBe(second);
    expect(reads).toBe(1);
  });

  test('SPEC 14.2: a token is stored sealed, and one that lies in another workspace’s record does not open', async () => {
    await install('T1');
    const record = await store.get(scope, 'T1');
    const stored = JSON.stringify(record);
    for (const token of standIn.workspaces.given) expect(stored).not.toContain(token);
    if (record) await store.put(scope, { ...record, workspace: 'T2' });
    await expect(process()('T2')).rejects.toMatchObject({ code: 'unsealable' });
  });
});

describe('a token that ends', () => {
  const due = () => {
    now += LIFE_MS - RENEW_BEFORE_MS + 1;
  };

  test('is renewed before its end, and lives', async () => {
    await install('T1');
    const open = process();
    const before = await open('T1');
    due();
    const after = await open('T1');
    expect(after?.secrets.botToken).not.toBe(before?.secrets.botToken);
    expect(await isAlive(after)).toBe(true);
    due();
    expect(await isAlive(await open('T1'))).toBe(true);
    expect(standIn.workspaces.refreshes).toBe(2);
  });

  test('of several processes and requests at once, one renews it, and each has a token that lives', async () => {
    await install('T1');
    const processes = Array.from({ length: 4 }, () => process());
    await Promise.all(processes.map((open) => open('T1')));
    due();
    const opened = await Promise.all([...processes, ...processes].map((open) => open('T1')));
    expect(standIn.workspaces.refreshes).toBe(1);
    for (const installed of opened) expect(await isAlive(installed)).toBe(true);
  });

  test('that has ended: who does not renew it waits for the new one', async () => {
    await install('T1');
    now += LIFE_MS * 3;
    const opened = await Promise.all([process()('T1'), process()('T1')]);
    expect(standIn.workspaces.refreshes).toBe(1);
    expect(new Set(opened.map((installed) => installed?.secrets.botToken)).size).toBe(1);
    expect(await isAlive(opened[0])).toBe(true);
  });

  test('a crash before Slack was asked costs the lease’s time: the token that there is goes on', async () => {
    await install('T1');
    due();
    const workspaces = slack.workspaces && {
      ...slack.workspaces,
      renew: async () => {
        throw new Error('the process ends here');
      },
    };
    await expect(process({}, { ...slack, ...(workspaces && { workspaces }) })('T1')).rejects.toThrow();
    expect(await isAlive(await process()('T1'))).toBe(true);
    expect(standIn.workspaces.refreshes).toBe(0);
    now += 30_001;
    expect(await isAlive(await process()('T1'))).toBe(true);
    expect(standIn.workspaces.refreshes).toBe(1);
  });

  /** Renews, and dies with the new token in hand. */
  async function dieBehindAnswer(): Promise<void> {
    let writes = 0;
    const open = process({
      replace: async (...all) => {
        writes += 1;
        if (writes === 2) throw new Error('the process ends here');
        return store.replace(...all);
      },
    });
    await expect(open('T1')).rejects.toThrow('ends here');
  }

  test('a crash behind Slack’s answer: the next one gets a token while Slack takes the old refresh token', async () => {
    standIn.workspaces.refreshUses = 2;
    await install('T1');
    due();
    await dieBehindAnswer();
    now += 30_001;
    const opened = await process()('T1');
    expect(await isAlive(opened)).toBe(true);
    expect((await store.get(scope, 'T1'))?.refused).toBeUndefined();
  });

  test('where Slack no longer does, the token that there is goes on to its end, and it has to be installed again', async () => {
    await install('T1');
    due();
    await dieBehindAnswer();
    now += 30_001;
    expect(await isAlive(await process()('T1'))).toBe(true);
    expect((await store.get(scope, 'T1'))?.refused).toMatch(/invalid_refresh_token/);
    expect(await isAlive(await process()('T1'))).toBe(true);
    expect(standIn.workspaces.refreshes).toBe(2);
    now += RENEW_BEFORE_MS;
    expect(await process()('T1')).toBeUndefined();
    expect(logged.join()).toContain('installation.over');
    await install('T1');
    expect(await isAlive(await process()('T1'))).toBe(true);
  });

  test('while Slack cannot be reached the old one is used; once that is over, it is tried again and nothing is lost', async () => {
    await install('T1');
    due();
    standIn.fail({ kind: 'error', error: 'internal_error', status: 500 }, { method: 'oauth.v2.access', times: 9 });
    expect(await isAlive(await process()('T1'))).toBe(true);
    now += RENEW_BEFORE_MS;
    await expect(process()('T1')).rejects.toMatchObject({ code: 'token-not-renewed', retryable: true });
  });

  test('whoever comes back late leaves a new installation alone', async () => {
    await install('T1');
    due();
    let writes = 0;
    const open = process({
      replace: async (...all) => {
        writes += 1;
        if (writes === 2) {
          standIn.workspaces.uninstall('T1');
          await install('T1');
        }
        return store.replace(...all);
      },
    });
    expect(await isAlive(await open('T1'))).toBe(true);
    expect(writes).toBe(2);
    expect(await isAlive(await process()('T1'))).toBe(true);
  });

  test('no token shows in the log', async () => {
    await install('T1');
    due();
    await process()('T1');
    expect(logged.join()).toContain('installation.renewed');
    for (const token of standIn.workspaces.given) expect(logged.join()).not.toContain(token);
  });
});
