import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conch, until } from './conch.ts';

const conch = new Conch();
let chat = { channelId: '', secret: '' };
let ids = 0;

beforeAll(async () => {
  await conch.start();
  chat = JSON.parse(readFileSync(join(conch.dataDir, 'local.json'), 'utf8')).chat;
});
afterAll(() => conch.close());

interface Reply {
  seq: number;
  id: string;
  text: string;
}

function signed(body: string, secret = chat.secret, at = Math.floor(Date.now() / 1000)) {
  const signature = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex');
  return { 'X-Conch-Timestamp': String(at), 'X-Conch-Signature': `v0=${signature}` };
}

async function post(message: object): Promise<number> {
  const body = JSON.stringify(message);
  const response = await fetch(`${conch.url}/text/${chat.channelId}`, { method: 'POST', body, headers: signed(body) });
  await response.arrayBuffer();
  return response.status;
}

async function replies(name: string, after = 0): Promise<Reply[]> {
  const url = `${conch.url}/text/${chat.channelId}/replies?chat=${name}&after=${after}`;
  return (await (await fetch(url, { headers: signed('') })).json()) as Reply[];
}

/** A chat of its own, in which one says something and gets the next reply. */
function room(name: string, person = 'you') {
  let seen = 0;
  return async (text: string): Promise<string> => {
    ids += 1;
    expect(await post({ id: `m${ids}`, chat: name, person, text })).toBe(200);
    const [reply] = await until(async () => {
      const next = await replies(name, seen);
      return next.length > 0 ? next : undefined;
    }, `a reply to ${text}`);
    seen = reply?.seq ?? seen;
    return reply?.text ?? '';
  };
}

test('SPEC 3.5: a message is answered; the same message again is not', async () => {
  const say = room('once');
  expect(await say('Hello')).toMatch(/Hello/u);
  expect(await post({ id: `m${ids}`, chat: 'once', person: 'you', text: 'Hello' })).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await replies('once')).toHaveLength(1);
});

test('SPEC 11.4: a digit picks a numbered choice, once, while it is the last message', async () => {
  const say = room('digits');
  await say('Remember the word whale');
  expect(await say('/clear')).toMatch(/Cleared.*\n\n1\. Undo/su);
  expect(await say('1')).toMatch(/^Undone/u);
  expect(await say('1')).not.toMatch(/Undone/u);
});

test('SPEC 7.3: after Start the rest of the turn is a reply of its own', async () => {
  const say = room('plan');
  expect(await say('/plan on')).toMatch(/^Plan mode is on/u);
  expect(await say('organise a party')).toMatch(/1\. Start\n2\. Keep planning\n\nAnswer with a number to choose\.$/u);
  expect(await say('1')).toMatch(/^Started/u);
  await until(
    async () => (await replies('plan')).some(({ text }) => /^Done: organise a party/u.test(text)),
    'the rest',
  );
});

test('SPEC 11.4: a plain yes never undoes a clear that nobody asked about; it is a message', async () => {
  const say = room('yes');
  await say('Hello');
  await say('/clear');
  expect(await say('yes')).not.toMatch(/Undone/u);
  expect(await say('/undo')).toMatch(/too late/u);
});

test('SPEC 11.4: a digit is a message once something came after the choices', async () => {
  const say = room('later');
  await say('Hello');
  await say('/clear');
  await say('/status');
  expect(await say('1')).not.toMatch(/Undone/u);
});

test('SPEC 4.5: an unknown command is answered with what was meant; a digit runs it with the same argument', async () => {
  const say = room('meant');
  expect(await say('/gaol Speak of whales')).toMatch(/1\. \/goal\n2\. Send as a message/u);
  expect(await say('1')).toMatch(/Goal set:\n\n> Speak of whales/u);
});

test('a wrong signature, an old one and none are refused', async () => {
  const body = JSON.stringify({ id: 'x', chat: 'x', person: 'you', text: 'x' });
  const attempt = async (headers: Record<string, string>) =>
    (await fetch(`${conch.url}/text/${chat.channelId}`, { method: 'POST', body, headers })).status;
  expect(await attempt({})).toBe(401);
  expect(await attempt(signed(body, 'another secret'))).toBe(401);
  expect(await attempt(signed(body, chat.secret, Math.floor(Date.now() / 1000) - 301))).toBe(401);
  expect((await fetch(`${conch.url}/text/${chat.channelId}/replies?chat=x&after=0`)).status).toBe(401);
});
