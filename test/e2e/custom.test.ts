import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ModelStandIn } from '../standins/model.ts';
import { group, person, TelegramStandIn, Updates } from '../standins/telegram.ts';
import { ADMIN_TOKEN, Conch, until } from './conch.ts';

const conch = new Conch();
const updates = new Updates();
const dir = mkdtempSync(join(tmpdir(), 'conch-own-'));
let telegram: TelegramStandIn;
let model: ModelStandIn;
let claimCode = '';
let nextPerson = 7_000;

beforeAll(async () => {
  [telegram, model] = await Promise.all([TelegramStandIn.start(), ModelStandIn.start(), conch.start()]);
  await conch.admin('PUT', '/tenants/acme', {});
  await conch.admin('PUT', '/tenants/acme/providers/main', {
    ...{ engine: 'openai-compatible', baseURL: model.baseURL('openai-compatible'), apiKey: model.apiKey },
    models: [{ id: 'one', contextWindow: 100_000 }],
  });
  const channel = { app: 'telegram', token: telegram.token, apiRoot: telegram.root, access: 'anyone' };
  const connected = await conch.admin<{ claimCode: string }>('PUT', '/tenants/acme/channels/bot', channel);
  claimCode = connected.body.claimCode;
});
afterAll(async () => {
  await Promise.all([conch.close(), telegram.close(), model.close()]);
  rmSync(dir, { recursive: true });
});

function write(name: string, meta: object, template: string): void {
  mkdirSync(join(dir, 'commands', name), { recursive: true });
  writeFileSync(join(dir, 'commands', name, 'meta.json'), JSON.stringify(meta));
  writeFileSync(join(dir, 'commands', name, 'COMMAND.md'), template);
}

async function push(): Promise<string> {
  const env = { ...process.env, CONCH_URL: conch.url, CONCH_ADMIN_TOKEN: ADMIN_TOKEN, CONCH_TENANT: 'acme' };
  const words = ['cli/conch.mjs', 'commands', 'push', dir];
  return (await promisify(execFile)(process.execPath, words, { env })).stdout;
}

/** A person who writes and waits for what the bot shows. */
function somebody() {
  nextPerson += 1;
  const who = person(nextPerson, `P${nextPerson}`);
  return {
    id: who.id,
    async say(text: string, shows: RegExp): Promise<string> {
      const before = telegram.messages(who.id).length;
      expect(await telegram.deliver(updates.privateMessage(text, who, {}))).toBe(200);
      const look = () =>
        telegram
          .visible(who.id)
          .slice(before)
          .find((shown) => shows.test(shown));
      return until(look, `${shows} after ${text}: ${telegram.visible(who.id).join(' | ')}`);
    },
  };
}

const menu = () => telegram.menus.get('all_private_chats') ?? [];

describe('SPEC 10: custom commands of a folder', () => {
  test('are pushed, filled in for the model, shown as typed, changed with the next message, and gone when dropped', async () => {
    write('greet', { description: 'Greets', argumentHint: 'a name' }, 'Greet {{args}} like a sailor. \\{{args}}\n');
    write('deploy-prod', { description: 'Ships it', who: 'owner' }, 'Deploy.');
    expect(await push()).toBe('2 commands stored: deploy-prod, greet\n');
    expect(menu()).toContainEqual({ command: 'deploy_prod', description: 'Ships it' });

    const ana = somebody();
    model.reply('Ahoy, Ben!');
    await ana.say('/greet Ben $& {{args}}', /Ahoy/u);
    expect(JSON.stringify(model.last.body)).toContain('Greet Ben $& {{args}} like a sailor. {{args}}');
    expect(telegram.visible(ana.id).join()).not.toContain('sailor');

    write('greet', { description: 'Greets' }, 'Say hello to {{prompt}}.');
    await push();
    model.reply('Hello, Cy!');
    await ana.say('/GREET Cy', /Hello, Cy/u);
    expect(JSON.stringify(model.last.body)).toContain('Say hello to Cy.');

    model.reply('Hello again!');
    await ana.say('/retry', /Hello again/u);
    expect(JSON.stringify(model.last.body).match(/Say hello to Cy\./gu)).toHaveLength(2);

    rmSync(join(dir, 'commands/greet'), { recursive: true });
    expect(await push()).toBe('1 command as before\n1 command removed: greet\n');
    await ana.say('/greet Ben', /no command \/greet/u);
    expect(menu().map(({ command }) => command)).not.toContain('greet');
  });

  test('case B 37, SPEC 4.3: who may, and where', async () => {
    const [ana, ben] = [somebody(), somebody()];
    await ana.say(`/start ${claimCode}`, /yours now/u);
    await ben.say('/deploy_prod', /Only the owner/u);
    expect(await ben.say('/help', /Anything else/u)).not.toContain('deploy');
    expect(await ana.say('/help', /Anything else/u)).toContain('/deploy_prod: Ships it');
    model.reply('Deployed.');
    await ana.say('/deploy_prod', /Deployed\./u);
    const chat = group(-100_777);
    telegram.addChat(chat);
    await telegram.deliver(updates.groupMessage('/deploy_prod', person(ana.id), chat));
    await until(() => telegram.visible(chat.id).some((text) => /private chat/u.test(text)), 'the answer in the group');
  });

  test('SPEC 10.4: a typed skill brings its text along; the model is told of it before', async () => {
    await conch.admin('PUT', '/tenants/acme/skills/tone', { description: 'How we write', text: 'Never shout.' });
    const ana = somebody();
    model.reply('First.');
    await ana.say('hello', /First\./u);
    expect(JSON.stringify(model.last.body)).toContain('- tone: How we write');
    expect(JSON.stringify(model.last.body)).not.toContain('Never shout.');
    model.reply('Softly.');
    await ana.say('/tone a mail', /Softly\./u);
    expect(JSON.stringify(model.last.body)).toContain('Never shout.');
    expect(JSON.stringify(model.last.body)).toContain('/tone a mail');
  });
});

test('SPEC 12.1, cases D 64-67: with 200 the menu is within Telegram’s limits, and those left out work when typed', async () => {
  const all = Array.from({ length: 200 }, (_, n) => `${'x-_'.repeat(n % 9)}${n}`);
  for (const [n, name] of all.entries())
    write(name, { description: '🎉 long\n'.repeat((n % 7) * 60 + 1) }, `Do ${name}.`);
  const said = await push();
  expect(said).toMatch(/^200 commands stored: /u);
  expect(said).toMatch(/Not in the menu of the channel bot, but working when typed: .* and \d+ more/u);
  expect(menu()).toHaveLength(100);
  expect(
    menu()
      .slice(0, 4)
      .map(({ command }) => command),
  ).toEqual(['new', 'stop', 'help', 'clear']);
  const shown = new Set(menu().map(({ command }) => command));
  const hidden = all.filter((name) => !shown.has(name.replaceAll('-', '_')));
  const tapped = all.filter((name) => name.includes('-') && shown.has(name.replaceAll('-', '_')));
  for (const name of [hidden[0], hidden.at(-1), tapped[0], tapped.at(-1)]) {
    model.reply(`Done ${name}!`);
    const typed = hidden.includes(String(name)) ? name : name?.replaceAll('-', '_');
    await somebody().say(`/${typed}`, new RegExp(`Done ${name}!`, 'u'));
    expect(JSON.stringify(model.last.body)).toContain(`Do ${name}.`);
  }
});
