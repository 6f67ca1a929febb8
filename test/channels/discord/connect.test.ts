import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discord } from '../../../lib/channels/discord/index.ts';
import { slashCommands } from '../../../lib/channels/discord/menu.ts';
import { nativeMenu } from '../../../lib/commands/catalog.ts';
import type { Channel } from '../../../lib/ports/chatApp.ts';
import vectors from '../../fixtures/discord/vectors.json' with { type: 'json' };
import { DiscordStandIn, tooMany } from '../../standins/discord.ts';
import { refusedCommands } from '../../standins/discordRules.ts';
import { channel as connected, signed, withHeaders } from './channel.ts';

/** Our own commands, in an app that delivers no messages. */
const MENU = nativeMenu(undefined, { withoutMessages: true });

let standIn: DiscordStandIn;
let channel: Channel;
beforeEach(async () => {
  standIn = await DiscordStandIn.start();
  const settings = { ...connected.settings, publicKey: standIn.signer.publicKey };
  channel = { ...connected, settings, apiRoot: standIn.root, secrets: { botToken: standIn.botToken } };
});
afterEach(() => standIn.close());

describe('the signature', () => {
  test.each(vectors.vectors)('$name: $expect', ({ name, timestamp, body, signature, expect: expected }) => {
    const headers = { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp };
    const request = withHeaders(new TextEncoder().encode(body), headers);
    expect(discord.verify(request, connected, 0)).toMatchObject({ ok: expected === 'accept' });
    const other = { ...connected, settings: { ...connected.settings, publicKey: vectors.otherPublicKey } };
    expect(discord.verify(request, other, 0)).toMatchObject({ ok: name === 'signed with another key' });
  });

  test('a signature without a timestamp takes nothing', () => {
    expect(discord.verify(signed(new TextEncoder().encode('{}'), ''), connected, 0)).toMatchObject({ ok: false });
  });

  test.each(['', 'zz'.repeat(32), `${vectors.publicKey}00`])('a malformed key takes nothing: “%s”', (publicKey) => {
    const [vector] = vectors.vectors;
    const headers = {
      'x-signature-ed25519': vector?.signature ?? '',
      'x-signature-timestamp': vector?.timestamp ?? '',
    };
    const request = withHeaders(new TextEncoder().encode(vector?.body), headers);
    const malformed = { ...connected, settings: { ...connected.settings, publicKey } };
    expect(discord.verify(request, malformed, 0)).toMatchObject({ ok: false });
  });
});

describe('the fields of a channel (case 134)', () => {
  const { applicationId = '', publicKey = '' } = connected.settings;
  const botToken = connected.secrets.botToken ?? '';
  const good = { applicationId, publicKey, botToken };

  test('only the token is a secret', () => {
    expect(discord.fields.parse({ ...good, publicKey: publicKey.toUpperCase() })).toEqual({
      ...{ ok: true, secrets: { botToken }, settings: { applicationId, publicKey } },
    });
    expect(discord.fields.parse({ ...good, botToken: `Bot ${botToken}` })).toMatchObject({ secrets: { botToken } });
  });

  test.each([
    ['applicationId', ''],
    ['applicationId', 'acme'],
    ['publicKey', undefined],
    ['publicKey', 'secret words that were pasted'],
    ['botToken', 'a whole paragraph that was pasted, with the token in it'],
    ['botToken', ''],
  ])('%s: “%s” is refused without being shown', (field, value) => {
    const refused = discord.fields.parse({ ...good, [field]: value });
    expect(refused).toMatchObject({ ok: false, field });
    if (value) expect(JSON.stringify(refused)).not.toContain(value);
  });

  test('a person is a number (case 43)', () => {
    expect(discord.fields.personFault?.('400000000000000001')).toBeUndefined();
    for (const id of ['ana', '@ana', '<@4>', '0', '']) expect(discord.fields.personFault?.(id)).toBeDefined();
  });
});

describe('connecting (SPEC 14.1)', () => {
  test('the application that the token belongs to is told', async () => {
    const bot = { id: '100000000000000001', username: 'acme', name: 'Acme' };
    expect(await discord.identify(channel)).toEqual({ ok: true, bot });
  });

  test.each([
    ['another application', { applicationId: '100000000000000099' }, {}, 'applicationId'],
    ['another public key', { publicKey: vectors.otherPublicKey }, {}, 'publicKey'],
    ['a token that was reset', {}, { botToken: 'MTAw.another.token-0123456789' }, 'botToken'],
  ])('%s is refused', async (_case, settings, secrets, field) => {
    const wrong = {
      ...channel,
      settings: { ...channel.settings, ...settings },
      secrets: { ...channel.secrets, ...secrets },
    };
    const refused = await discord.identify(wrong);
    expect(refused).toMatchObject({ ok: false, field });
    expect(JSON.stringify(refused)).not.toContain(wrong.secrets.botToken);
  });

  test.each([
    ['too many calls', () => standIn.fail(tooMany(3)), 'botToken'],
    ['out of reach', () => standIn.fail({ kind: 'reset', effect: false }), 'apiRoot'],
  ])('%s: said in words', async (_case, break_, field) => {
    break_();
    expect(await discord.identify(channel)).toMatchObject({ ok: false, field, reason: expect.stringMatching(/again/) });
  });

  test('an address that does not check signatures is not taken', async () => {
    const refused = await discord.register(channel, 'http://127.0.0.1:9/discord/t1.abc');
    expect(refused).toMatchObject({ ok: false, reason: expect.stringContaining('could not be verified') });
    expect(standIn.webhook).toBeUndefined();
  });
});

describe('disconnecting', () => {
  test('the address is taken away at Discord', async () => {
    standIn.webhook = 'https://conch.example/discord/t1.abc';
    expect(await discord.unregister(channel)).toEqual({ ok: true });
    expect(standIn.webhook).toBeUndefined();
  });

  test('one that is another channel’s by now is left alone', async () => {
    standIn.webhook = 'https://conch.example/discord/t2.xyz';
    expect(await discord.unregister(channel)).toEqual({ ok: true });
    expect(standIn.webhook).toBe('https://conch.example/discord/t2.xyz');
  });

  test('a token that was reset: said in words, without the token', async () => {
    const refused = await discord.unregister({ ...channel, secrets: { botToken: 'MTAw.another.token-0123456789' } });
    expect(refused).toMatchObject({ ok: false, field: 'botToken' });
  });
});

describe('the menu (SPEC 12.1, 12.2)', () => {
  test('one call puts the registry’s commands with their fields, and one in the menu of messages', async () => {
    expect(await discord.publishMenu(channel, MENU)).toEqual({ ok: true });
    expect(standIn.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /applications/100000000000000001/commands',
    ]);
    const named = (name: string) => standIn.commands.find((one) => one.name === name);
    const choices = ['on', 'off'].map((value) => ({ name: value, value }));
    expect(named('fast')?.options).toEqual([{ type: 3, name: 'value', description: 'on or off', choices }]);
    expect(named('model')?.options).toEqual([
      { type: 3, name: 'value', description: 'name, or default', autocomplete: true },
    ]);
    expect(named('goal')?.options).toEqual([{ type: 3, name: 'text', description: 'text, or clear' }]);
    expect(named('new')?.contexts).toEqual([0, 1, 2]);
    expect(named('goal')?.contexts).toEqual([1]);
    expect(standIn.commands[0]).toMatchObject({ name: 'ask', contexts: [0, 1, 2], options: [{ name: 'text' }] });
    expect(standIn.commands.at(-1)).toEqual({ type: 3, name: 'Ask Acme', contexts: [0, 1, 2] });
  });

  test('at most 100, what has no room or no form is left out with its reason (cases 64, 67, 70)', () => {
    const many = Array.from({ length: 120 }, (_, n) => ({
      name: `command-${n}`,
      description: 'x',
      custom: true as const,
    }));
    const odd = ['c++', 'with space', 'New', 'Баланс'].map((name) => ({ name, description: '' }));
    const { commands, leftOut } = slashCommands({
      private: [{ name: 'new', description: 'New' }, ...odd, ...many],
      group: [],
    });
    expect(refusedCommands(commands)).toBeUndefined();
    expect(commands).toHaveLength(100);
    expect(commands.slice(0, 3).map(({ name }) => name)).toEqual(['new', 'баланс', 'command-0']);
    expect(leftOut.slice(0, 3).map(({ name }) => name)).toEqual(['c++', 'with space', 'New']);
    expect(leftOut).toHaveLength(3 + 120 - 98);
    expect(leftOut.at(-1)?.reason).toMatch(/100/);
  });

  test('more choices than a list takes, or longer ones, are suggested or free (case 71)', () => {
    const long = Array.from({ length: 25 }, () => 'x'.repeat(100));
    const argument = (choices: string[]) => ({ hint: 'which\none', choices });
    const { commands } = slashCommands({
      private: [
        { name: 'a', description: 'x'.repeat(300), argument: argument(Array.from({ length: 26 }, (_, n) => `${n}`)) },
        { name: 'b', description: 'x\ny', argument: argument(long) },
        { name: 'c', description: 'x', argument: { ...argument(['x'.repeat(101)]), suggested: true } },
      ],
      group: [],
    });
    expect(refusedCommands(commands)).toBeUndefined();
    expect(commands.map(({ options }) => options)).toEqual([
      [{ type: 3, name: 'text', description: 'which one' }],
      [{ type: 3, name: 'text', description: 'which one' }],
      [{ type: 3, name: 'value', description: 'which one', autocomplete: true }],
    ]);
  });

  test('a refusal is told', async () => {
    standIn.fail({ kind: 'refuse', status: 400, code: 30034, message: 'Max number of daily command creates reached' });
    expect(await discord.publishMenu(channel, MENU)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('daily'),
    });
  });
});
