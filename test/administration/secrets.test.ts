import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TelegramStandIn } from '../standins/telegram.ts';
import { ADMIN_TOKEN, createTestAdministration, type TestAdministration } from './setup.ts';

let admin: TestAdministration;
let telegram: TelegramStandIn;
beforeAll(async () => {
  admin = await createTestAdministration();
  telegram = await TelegramStandIn.start();
});
afterAll(async () => {
  admin.close();
  await telegram.close();
});

/** Every secret that goes in, in requests that succeed and in ones that fail. */
const CANARIES = {
  text: 'canary-text-secret-123',
  key: 'sk-canary-key-456',
  wrongKey: 'sk-canary-key 789',
  wrongToken: `5:${'canary'.repeat(6)}`,
};

async function storedText(): Promise<string> {
  const { Items } = await admin.stores.client.send(new ScanCommand({ TableName: admin.stores.tableName }));
  return JSON.stringify(Items);
}

test('SPEC 14.2: no secret stands in an answer, a log line or a stored item', async () => {
  const answers: string[] = [];
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await admin.call(method, `/v1/tenants/acme${path}`, body);
    answers.push(`${answer.text}${JSON.stringify([...answer.headers])}`);
    return answer;
  };
  const bot = { app: 'telegram', token: telegram.token, apiRoot: telegram.root };
  await call('PUT', '');
  await call('PUT', '/channels/web', { app: 'text', secret: CANARIES.text });
  const { claimCode } = (await call('PUT', '/channels/tg', bot)).body;
  await call('PUT', '/channels/no', { ...bot, token: CANARIES.wrongToken });
  await call('PUT', '/channels/far', { ...bot, apiRoot: 'http://127.0.0.1:1' });
  await call('PUT', '/channels/tg', { ...bot, [telegram.token]: 1 });
  await call('PUT', '/channels/web', `{"app":"text","secret":"${CANARIES.text}"`);
  await call('PUT', '/channels/web', { app: 'text', secret: [CANARIES.text], access: CANARIES.text });
  await call('PUT', '/providers/p', { engine: 'openai', apiKey: CANARIES.key });
  await call('PUT', '/providers/q', { engine: 'openai', apiKey: CANARIES.wrongKey });
  await call('PUT', '/providers/q', { engine: CANARIES.key, apiKey: CANARIES.key, baseURL: CANARIES.key });
  telegram.fail({ kind: 'reset', effect: false }, { method: 'setWebhook' });
  await call('PUT', '/channels/tg', bot);
  for (const path of ['', '/channels', '/channels/tg', '/providers', '/providers/p', '/settings'])
    await call('GET', path);
  const webhookSecret = telegram.webhook?.secret_token ?? '';
  expect(webhookSecret).not.toBe('');

  const places = { answers: answers.join('\n'), log: JSON.stringify(admin.logged), table: await storedText() };
  expect(places.table).toContain('acme');
  for (const secret of [...Object.values(CANARIES), telegram.token, webhookSecret, ADMIN_TOKEN]) {
    for (const [place, content] of Object.entries(places))
      expect([place, content.includes(secret)]).toEqual([place, false]);
  }
  // A claim code is answered once, and stands nowhere else.
  expect(answers.filter((answer) => answer.includes(claimCode))).toHaveLength(1);
  expect(`${places.log}${places.table}`).not.toContain(claimCode);
});
