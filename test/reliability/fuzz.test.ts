import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { telegram } from '../../lib/channels/telegram/index.ts';
import { createText } from '../../lib/channels/text/index.ts';
import { signatureHeaders } from '../../lib/channels/text/verify.ts';
import { type ParsedCommand, parseChatCommand } from '../../lib/commands/parse.ts';
import { commandNamed } from '../../lib/commands/registry.ts';
import { Ingest } from '../../lib/conversations/ingest.ts';
import { contentOf } from '../../lib/domain/events.ts';
import type { Channel, ChatApp, Incoming, Sender, WebhookRequest } from '../../lib/ports/chatApp.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';
import { modelFacts, resolveModel } from '../../lib/providers/models.ts';
import { TenantDirectory } from '../../lib/tenants/directory.ts';
import { MemoryReplies } from '../channels/text/channel.ts';
import { MemoryQueue } from '../support/memory/queue.ts';
import { BOT, headers, telegramBody, telegramMessage, text, textBody, textMessage } from './fuzzInputs.ts';
import { IS_LONG } from './walk.ts';
import { memoryStores } from './world.ts';

const NOW = 1_790_000_500_000;
const SECRET = 'conch_Test-secret_0123456789';
const RUNS = { numRuns: IS_LONG ? 100_000 : 2_000, seed: IS_LONG ? Date.now() % 1_000_000 : 21 };
if (IS_LONG) vi.setConfig({ testTimeout: 3_600_000 });
const KINDS = new Set(['message', 'press', 'membership', 'ignored', 'malformed']);

const channels: Record<'telegram' | 'text', Channel> = {
  telegram: {
    ...{ id: 't.tg', tenant: 't', name: 'tg', app: 'telegram', settings: {}, bot: { ...BOT, name: 'Acme' } },
    secrets: { token: '999:test-token_abcdefghijklmnopqrstuvw', webhookSecret: SECRET },
  },
  text: {
    ...{ id: 't.text', tenant: 't', name: 'text', app: 'text', settings: {}, bot: BOT },
    secrets: { secret: SECRET },
  },
};
const textApp = createText(new MemoryReplies());

const BLANK = /^[\s\u200B-\u200F\u2060\uFEFF]*/u;

const OUR_NAME = /^@acme_bot(?![A-Za-z0-9_])/iu;

/** A second reader of what a person typed: our name in front or behind the command dropped, then SPEC 3.1. */
function commandTyped(own: string, mentionLength = 0): ParsedCommand | 'for another bot' | undefined {
  const isNamed = OUR_NAME.test(own.replace(BLANK, ''));
  const rest = mentionLength > 0 && !isNamed ? own.slice(mentionLength) : own.replace(BLANK, '').replace(OUR_NAME, '');
  const words = rest.replace(BLANK, '');
  const match = /^\/([\p{L}\p{M}\p{N}_:-]+)(?:@([A-Za-z0-9_]{3,32}))?(?=\s|$)/u.exec(words);
  if (!match?.[1]) return undefined;
  if (match[2] !== undefined && match[2].toLowerCase() !== BOT.username) return 'for another bot';
  return { name: match[1], args: words.slice(match[0].length).trim() };
}

/** The length of a mention of us at the very start that an entity marks. */
function markedMention({ text: own, entities }: { text?: string; entities?: unknown }): number {
  const blank = (own ?? '').length - (own ?? '').trimStart().length;
  const found = (Array.isArray(entities) ? entities : []).find(
    ({ type, offset, user }) => offset === blank && type === 'text_mention' && String(user?.id) === BOT.id,
  );
  return found ? found.offset + found.length : 0;
}

/** What the model reads are the words byte for byte, but for our name in front of them (SPEC 3.2). */
function keepsWords(read: string, words: string): void {
  expect(words.endsWith(read)).toBe(true);
  const dropped = words.slice(0, words.length - read.length).replace(BLANK, '');
  if (dropped !== '') expect(dropped).toMatch(/^(@acme_bot|\S[^\n]*)[,:]?[\s\p{Cf}]*$/iu);
}

/** The channel of one of the two apps here. */
function channelFor({ name }: ChatApp): Channel {
  return name === 'text' ? channels.text : channels.telegram;
}

function readAll(app: ChatApp, body: Uint8Array): Incoming[] {
  return app.read(body, channelFor(app), NOW);
}

test('telegram: any body is read, ignored or refused, never an exception', () => {
  const reads = (body: Uint8Array) => {
    const all = readAll(telegram, body);
    expect(all.length).toBeGreaterThan(0);
    for (const { kind } of all) expect(KINDS).toContain(kind);
  };
  fc.assert(fc.property(telegramBody, reads), RUNS);
});

test('text: any body is read or refused, never an exception', () => {
  const reads = (body: Uint8Array) => {
    for (const { kind } of readAll(textApp, body)) expect(KINDS).toContain(kind);
  };
  fc.assert(fc.property(textBody, reads), RUNS);
});

test('telegram: a command is what the person typed as one, and nothing else (SPEC 3)', () => {
  const agrees = ({ message, ...update }: { message: Record<string, unknown>; update_id: number }) => {
    const [incoming] = readAll(telegram, new TextEncoder().encode(JSON.stringify({ ...update, message })));
    const isOwn = message.text !== undefined && message.forward_origin === undefined;
    if (incoming?.kind !== 'message') return;
    const read = incoming.typed === undefined ? undefined : parseChatCommand(incoming.typed);
    expect(read).toEqual(isOwn ? commandTyped(String(message.text), markedMention(message)) : undefined);
    if (!read) keepsWords(incoming.content.text, String(message.text ?? message.caption ?? ''));
  };
  fc.assert(fc.property(telegramMessage, agrees), RUNS);
});

test('text: a command is what the person typed as one, and nothing else (SPEC 3)', () => {
  const agrees = (message: { text: string }) => {
    const [incoming] = readAll(textApp, new TextEncoder().encode(JSON.stringify(message)));
    if (incoming?.kind !== 'message') return;
    const read = incoming.typed === undefined ? undefined : parseChatCommand(incoming.typed);
    expect(read).toEqual(commandTyped(message.text));
    if (!read) keepsWords(incoming.content.text, message.text);
  };
  fc.assert(fc.property(textMessage, agrees), RUNS);
});

test('parseChatCommand: never throws, and keeps every character of the argument', () => {
  const holds = (words: string) => {
    const parsed = parseChatCommand(words);
    if (parsed) expect(words.trimEnd().endsWith(parsed.args)).toBe(true);
  };
  fc.assert(fc.property(text, holds), RUNS);
});

test('telegram: only the very secret is let in, and none at all when there is no secret', async () => {
  const secret = fc.constantFrom<string | undefined>(undefined, '', SECRET, 'short');
  const checks = async (given: Record<string, string>, header: string, webhookSecret: string | undefined) => {
    const request: WebhookRequest = { headers: given, body: new Uint8Array() };
    if (header) request.headers = { ...given, 'x-telegram-bot-api-secret-token': header };
    const secrets = webhookSecret === undefined ? {} : { webhookSecret };
    const verified = await telegram.verify(request, { ...channels.telegram, secrets }, NOW);
    const sent = request.headers['x-telegram-bot-api-secret-token'];
    expect(verified.ok).toBe(Boolean(webhookSecret) && sent === webhookSecret);
  };
  await fc.assert(fc.asyncProperty(headers, fc.constantFrom('', SECRET, `${SECRET} `, 'short'), secret, checks), RUNS);
});

test('text: a signature holds for its own body, time and secret alone', async () => {
  const checks = async (body: Uint8Array, other: Uint8Array, given: Record<string, string>, ageS: number) => {
    const signed = signatureHeaders(SECRET, body, NOW);
    const ask = (from: Record<string, string>, sent: Uint8Array, now = NOW, secret = SECRET) =>
      textApp.verify({ headers: from, body: sent }, { ...channels.text, secrets: { secret } }, now);
    expect((await ask(signed, body)).ok).toBe(true);
    expect((await ask(signed, body, NOW + ageS * 1000)).ok).toBe(Math.abs(ageS) <= 300);
    expect((await ask(signed, other)).ok).toBe(Buffer.from(other).equals(Buffer.from(body)));
    expect((await ask(given, body)).ok).toBe(false);
    expect((await ask(signed, body, NOW, `${SECRET}x`)).ok).toBe(false);
    expect((await ask(signed, body, NOW, '')).ok).toBe(false);
  };
  const age = fc.integer({ min: -400, max: 400 });
  await fc.assert(fc.asyncProperty(textBody, textBody, headers, age, checks), { ...RUNS, numRuns: RUNS.numRuns / 4 });
});

const silent: Sender = {
  post: async () => ({ kind: 'sent', id: '1' }),
  edit: async (_to, id) => ({ kind: 'sent', id }),
  file: async () => ({ kind: 'sent', id: '2' }),
  typing: async () => undefined,
  answerPress: async () => undefined,
  removeChoices: async () => undefined,
  pressedMessage: () => undefined,
};

/** The webhook of one app over fresh stores, and what it has written. */
async function webhookOf(app: ChatApp) {
  const stores = memoryStores();
  const channel = channelFor(app);
  await stores.tenants.putSettings('t', {});
  await stores.tenants.putChannel('t', { ...channel, access: 'anyone' });
  const written: StoredEvent[] = [];
  let ids = 0;
  const log: typeof stores.log = Object.create(stores.log, {
    newest: { value: stores.log.newest.bind(stores.log) },
    at: { value: stores.log.at.bind(stores.log) },
    range: { value: stores.log.range.bind(stores.log) },
    append: {
      value: async (...args: Parameters<typeof stores.log.append>) => {
        written.push(args[1]);
        return stores.log.append(...args);
      },
    },
  });
  const quiet = () => undefined;
  const ingest = new Ingest({
    ...{ ...stores, log, queue: new MemoryQueue(() => NOW), directory: new TenantDirectory(stores.tenants, () => NOW) },
    ...{ apps: { [app.name]: app }, resolveModel, listModels: modelFacts, openChannel: async () => channel },
    runtime: { now: () => NOW, newId: () => `id${++ids}`, random: () => 0.5, sleep: async () => undefined },
    logger: { info: quiet, warn: quiet, error: quiet },
  });
  return {
    written,
    handle: (request: WebhookRequest) => ingest.handle({ ...app, sender: () => silent }, channel.id, request),
  };
}

test('telegram: any signed request is answered; every event has the command that was typed, and no other', async () => {
  const { written, handle } = await webhookOf(telegram);
  const answers = async (body: Uint8Array) => {
    const request = { headers: { 'x-telegram-bot-api-secret-token': SECRET }, body };
    expect([200, 400]).toContain((await handle(request)).status);
    expect((await handle({ ...request, headers: {} })).status).toBe(401);
    for (const event of written.splice(0)) checkCommand(event, body);
  };
  await fc.assert(fc.asyncProperty(telegramBody, answers), { ...RUNS, numRuns: RUNS.numRuns / 2 });
});

test('text: any signed request is answered', async () => {
  const { written, handle } = await webhookOf(textApp);
  const answers = async (body: Uint8Array) => {
    const request = { headers: signatureHeaders(SECRET, body, NOW), body };
    expect([200, 400]).toContain((await handle(request)).status);
    expect((await handle({ ...request, body: new Uint8Array([...body, 32]) })).status).toBe(401);
    for (const event of written.splice(0)) checkCommand(event, body);
  };
  await fc.assert(fc.asyncProperty(textBody, answers), { ...RUNS, numRuns: RUNS.numRuns / 2 });
});

/** An event that names a command was typed as that command; one that holds a message holds its words. */
function checkCommand(event: StoredEvent, body: Uint8Array): void {
  const update = JSON.parse(new TextDecoder().decode(body)) as { message?: Record<string, unknown>; text?: string };
  const message = (update.message ?? update) as { text?: string; caption?: string; forward_origin?: unknown };
  const { command, action } = event.data as { command?: string; action?: string };
  const typed = message.forward_origin ? undefined : commandTyped(message.text ?? '', markedMention(message));
  const parsed = typeof typed === 'object' ? typed : undefined;
  const row = parsed && commandNamed(parsed.name);
  if (command && action === undefined && commandNamed(command)) expect(row?.name).toBe(command);
  if (command === 'unknown-command') expect(parsed && !row).toBe(true);
  if (event.type === 'message' && action === undefined) {
    expect(parsed).toBeUndefined();
    keepsWords(contentOf(event)?.text ?? '', message.text ?? message.caption ?? '');
  }
}
