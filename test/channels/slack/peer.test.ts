import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator, type Emulator } from 'emulate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { slack } from '../../../lib/channels/slack/index.ts';
import type { Channel, Granted, Outgoing } from '../../../lib/ports/chatApp.ts';
import { channel as one } from './channel.ts';

/** Another project's Slack, beside the strict stand-in: OAuth v2, messages, threads, edits, ephemerals, files. */

const REDIRECT = 'https://conch.example/slack/t1.abc/oauth';
const CLIENT = { clientId: '111.222', clientSecret: 'conch0test0client0secret00000001' };

let peer: Emulator;
let channel: Channel;
let installed: Channel;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

beforeAll(async () => {
  const app = { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, name: 'Helper' };
  peer = await createEmulator({
    service: 'slack',
    port: await freePort(),
    seed: {
      slack: {
        team: { name: 'Peers', domain: 'peers' },
        users: [{ name: 'ana', real_name: 'Ana', email: 'ana@example.com' }],
        channels: [{ name: 'general' }],
        oauth_apps: [{ ...app, app_id: 'A000000009', redirect_uris: [REDIRECT] }],
        strict_scopes: true,
      },
    },
  });
  channel = {
    ...{ ...one, bot: {}, apiRoot: `${peer.url}/api`, settings: { clientId: CLIENT.clientId } },
    secrets: { signingSecret: one.secrets.signingSecret ?? '', clientSecret: CLIENT.clientSecret },
  };
  const granted = await allow();
  installed = { ...channel, bot: granted.bot, secrets: { ...channel.secrets, ...granted.secrets }, workspace: 'T' };
});
afterAll(() => peer.close());

/** What a browser does: the page, the first person's button, and the way back. */
async function allow(): Promise<Granted> {
  const page = slack.workspaces?.authorizeUrl(channel, { state: 'the-state', redirectUrl: REDIRECT }) ?? '';
  const html = await (await fetch(page)).text();
  const body = new URLSearchParams();
  for (const [, name = '', value = ''] of html.matchAll(/name="(\w+)" value="([^"]*)"/gu)) {
    body.set(name, value.replaceAll('&amp;', '&'));
  }
  const answer = await fetch(`${peer.url}/oauth/v2/authorize/callback`, { method: 'POST', body, redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
  expect(back.searchParams.get('state')).toBe('the-state');
  const granted = await slack.workspaces?.exchange(channel, back.searchParams.get('code') ?? '', REDIRECT);
  if (!granted?.ok) throw new Error(`Not granted: ${granted?.reason}`);
  return granted;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of many forms.
async function ask(method: string, params: Record<string, unknown>): Promise<any> {
  const authorization = `Bearer ${installed.secrets.botToken}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify(params);
  return (await fetch(`${peer.url}/api/${method}`, { method: 'POST', headers, body })).json();
}

async function general(): Promise<string> {
  const { channels } = await ask('conversations.list', {});
  return channels.find(({ name }: { name: string }) => name === 'general').id;
}

const piece = (outgoing: Outgoing) => {
  const [first] = slack.render(outgoing);
  if (!first) throw new Error('Nothing to send');
  return first;
};
const options = { timeoutMs: 5_000 };

test('OAuth v2: the client is checked when connecting; a code gives a bot’s token and who it is there', async () => {
  expect(await slack.identify(channel)).toEqual({ ok: true, bot: {} });
  const wrong = { ...channel, secrets: { ...channel.secrets, clientSecret: 'x'.repeat(32) } };
  expect(await slack.identify(wrong)).toMatchObject({ ok: false, field: 'clientId' });
  const { name, bot, workspace } = await allow();
  expect({ name, app: bot.app }).toEqual({ name: 'Peers', app: 'A000000009' });
  expect(bot.team).toBe(workspace);
  expect(await slack.workspaces?.isAlive(installed)).toBe(true);
  expect(await slack.workspaces?.exchange(channel, 'no-code', REDIRECT)).toEqual({ ok: false, reason: 'invalid_code' });
});

test('a message with formatting, its thread, an edit and a message that is gone', async () => {
  const where = await general();
  const sender = slack.sender(installed);
  const to = { chat: `T:${where}`, group: true };
  const sent = await sender.post(to, piece({ markdown: '**It** rains in `Oslo` & <!channel>' }), options);
  if (sent.kind !== 'sent') throw new Error(JSON.stringify(sent));
  const [channelId, ts = ''] = sent.id.split(':');
  expect(channelId).toBe(where);
  const reply = await sender.post({ ...to, thread: ts }, piece({ markdown: '…' }), options);
  if (reply.kind !== 'sent') throw new Error(JSON.stringify(reply));
  expect(await sender.edit(to, reply.id, piece({ markdown: 'It snows.' }), options)).toMatchObject({ kind: 'sent' });
  const { messages } = await ask('conversations.replies', { channel: where, ts });
  expect(messages.map(({ text }: { text: string }) => text)).toEqual([
    'It rains in Oslo &amp; &lt;!channel&gt;',
    'It snows.',
  ]);
  expect(messages[0].blocks[0].type).toBe('rich_text');
  const gone = await sender.edit(to, `${where}:1.000001`, piece({ markdown: 'x' }), options);
  expect(gone).toMatchObject({ kind: 'missing' });
});

test('in a private chat that nobody wrote in yet, and for one person alone in a channel', async () => {
  const where = await general();
  const { members } = await ask('conversations.members', { channel: where });
  const ana = members.find((id: string) => id !== installed.bot?.id);
  const sender = slack.sender(installed);
  const chat = slack.privateChat(`T:${ana}`);
  if (!chat) throw new Error('No private chat');
  expect(await sender.post(chat, piece({ markdown: 'Hello' }), options)).toMatchObject({ kind: 'sent' });
  const only = piece({ markdown: 'For you', onlyFor: `T:${ana}`, choices: [{ label: 'Undo', value: 'a:x:0' }] });
  const sent = await sender.post({ chat: `T:${where}`, group: true }, only, options);
  expect(sent).toMatchObject({ kind: 'sent', id: expect.stringMatching(/:\d+\.\d+$/) });
  const { messages } = await ask('conversations.history', { channel: where });
  expect(JSON.stringify(messages)).not.toContain('For you');
});

test('a file arrives', async () => {
  const where = await general();
  const file = { name: 'chat.md', mimeType: 'text/markdown', bytes: new TextEncoder().encode('# Grüße 🎉') };
  const sent = await slack.sender(installed).file({ chat: `T:${where}`, group: true }, file, options);
  expect(sent).toMatchObject({ kind: 'sent' });
  const { file: stored } = await ask('files.info', { file: sent.kind === 'sent' ? sent.id : '' });
  expect(stored).toMatchObject({ title: 'chat.md', size: file.bytes.length });
});
