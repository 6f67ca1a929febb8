import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { ModelStandIn } from '../standins/model.ts';
import { TeamsStandIn } from '../standins/teams.ts';
import { Conch, until } from './conch.ts';
import { ALEX, Playground } from './playground.ts';

/** With this set, the window is kept as a picture for the documentation. */
const PICTURES = process.env.CONCH_PICTURES;

const conch = new Conch();
const playground = new Playground();
let teams: TeamsStandIn;
let model: ModelStandIn;
let page: Page;
/** Why there is no window on this machine. */
let missing: string | undefined;

beforeAll(async () => {
  try {
    await playground.start();
  } catch (error) {
    missing = `the playground’s window does not open: ${String(error).split('\n')[0]}`;
    console.warn(missing);
    return;
  }
  [teams, model] = await Promise.all([TeamsStandIn.start(), ModelStandIn.start(), conch.start()]);
  await conch.admin('PUT', '/tenants/acme', {});
  await conch.admin('PUT', '/tenants/acme/providers/main', {
    ...{ engine: 'openai-compatible', baseURL: model.baseURL('openai-compatible'), apiKey: model.apiKey },
    models: ['fast-one', 'deep-two'].map((id) => ({ id, contextWindow: 100_000 })),
  });
  const fields = { app: 'teams', ...teams.fields, apiRoot: playground.apiRoot, owner: ALEX };
  const { status, body } = await conch.admin<{ webhookPath: string }>('PUT', '/tenants/acme/channels/bot', fields);
  expect(status).toBe(201);
  playground.webhook = `${conch.url}${body.webhookPath}`;
  page = await playground.open();
});

afterAll(async () => {
  await playground.close();
  if (missing === undefined) await Promise.all([conch.close(), teams.close(), model.close()]);
});

beforeEach((context: TestContext) => {
  context.skip(missing !== undefined, missing);
  model.reset();
});

/** Writes into the window’s message box. */
async function say(text: string): Promise<void> {
  await page.locator('[contenteditable=true], textarea').first().click();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** Everything that stands in the chat. */
const chat = async () => ((await page.locator('body').textContent()) ?? '').replace(/\u2060/gu, '');
const shows = (text: string) => until(async () => (await chat()).includes(text), `${text} in the window`);
const button = (name: string | RegExp) => page.getByRole('button', { name });

describe('the chat with the bot in Microsoft’s own client', () => {
  test('SPEC 13.3: an answer grows in place, and its signs stand as they were written', async () => {
    model.reply({ chunks: ['Whales **sing**, ', 'my_whale_v2 too: ', '2 * 3 * 4 <b> & `co_de`.'], delayMs: 1_600 });
    await say('What do whales do?');
    await shows('Whales sing,');
    expect(await chat()).not.toContain('2 * 3');
    await shows('my_whale_v2 too: 2 * 3 * 4 <b> & co_de.');
    expect((await chat()).match(/Whales sing/gu)).toHaveLength(1);
    expect(await page.locator('strong', { hasText: 'sing' }).count()).toBe(1);
  });

  test('SPEC 11.5: /model is picked from a card by a button', async () => {
    await say('/model');
    await button(/deep-two/).click();
    await until(async () => (await button(/✓.*deep-two|deep-two.*✓/u).count()) > 0, 'the tick at the picked model');
    model.reply('Deeper.');
    await say('And now?');
    await shows('Deeper.');
    expect(model.last.body).toMatchObject({ model: 'deep-two' });
  });

  test('SPEC 7.1, 11.5: /plan turns plan mode on, and /settings shows it in a card that is changed in place', async () => {
    await say('/plan on');
    await shows('Plan mode');
    await say('/settings');
    await page.getByRole('button', { name: 'Mode', exact: true }).click();
    await button(/Ask/).first().waitFor();
    expect(await button(/✓.*Plan|Plan.*✓/u).count()).toBe(1);
    if (PICTURES) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: `${PICTURES}/teams.png` });
    }
  });

  test('SPEC 5.5: Undo of /clear, and the card says what came of it', async () => {
    await say('/clear');
    await button('Undo').click();
    await shows('Undone');
    expect(await button('Undo').count()).toBe(0);
  });
});
