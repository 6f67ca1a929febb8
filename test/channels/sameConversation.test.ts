import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { runtime } from '../../functions/runtime.ts';
import { webhookFunction } from '../../functions/webhook.ts';
import type { WorkerDeps } from '../../lib/conversations/deps.ts';
import { Worker } from '../../lib/conversations/worker.ts';
import type { UnknownEvent } from '../../lib/domain/events.ts';
import type { Channel } from '../../lib/ports/chatApp.ts';
import { modelFacts, resolveModel } from '../../lib/providers/models.ts';
import { APP_CHATS, type AppChat, type Seen } from '../support/appChats.ts';
import { listenTo } from '../support/functionUrl.ts';
import { MemoryActions } from '../support/memory/actions.ts';
import { MemoryCapacity, MemoryUsage } from '../support/memory/capacity.ts';
import { MemoryInstallations } from '../support/memory/installations.ts';
import { MemoryLog } from '../support/memory/log.ts';
import { MemoryQueue } from '../support/memory/queue.ts';
import { MemoryTenants } from '../support/memory/tenants.ts';
import { ScriptedEngine } from '../support/scriptedEngine.ts';

/** The same conversation in every app, through its own webhook, the real Ingest and the real Worker. */

const CODE =
  '# Whales\n\n```ts\nlet whales = 2;\n```\n\n| name | sings |\n|---|---|\n| Ada | often |\n| Ben | never |\n\n';
/** Longer than one message of some apps. */
const LONG = 'All whales sing. '.repeat(530);

class Conversation {
  readonly chat: AppChat;
  readonly engine = new ScriptedEngine();
  readonly log = new MemoryLog();
  readonly #queue = new MemoryQueue(Date.now);
  readonly #worker: Worker;
  #close: (() => Promise<void>) | undefined;
  readonly #deps: WorkerDeps;

  constructor(chat: AppChat) {
    this.chat = chat;
    const tenants = new MemoryTenants();
    this.#deps = {
      ...{ log: this.log, tenants, actions: new MemoryActions(), usage: new MemoryUsage() },
      ...{ capacity: new MemoryCapacity(), queue: this.#queue, apps: { [chat.app.name]: chat.app } },
      directory: { get: (tenant) => tenants.load(tenant), fresh: (tenant) => tenants.load(tenant) },
      openChannel: async () => chat.channel,
      workspaces: { installations: new MemoryInstallations(), open: async () => chat.installed },
      openEngine: async () => this.engine,
      openTools: async () => ({ tools: [], close: async () => undefined }),
      ...{ resolveModel, listModels: modelFacts, runtime },
      logger: { info: () => {}, warn: () => {}, error: (_what, error) => this.errors.push(error) },
    };
    this.#worker = new Worker(this.#deps);
  }

  readonly errors: unknown[] = [];

  async open(): Promise<void> {
    const { tenant, id, name, app } = this.chat.channel as Channel;
    const { tenants } = this.#deps;
    await tenants.putSettings(tenant, {});
    const models = ['one', 'two'].map((model) => ({ id: model, contextWindow: 100_000 }));
    const provider = { name: 'main', engine: 'openai-compatible', models, settings: {}, secrets: {} } as const;
    await tenants.putProvider(tenant, { ...provider, models });
    await tenants.putChannel(tenant, { id, name, app, access: 'anyone', settings: {}, secrets: {} });
    const { url, close } = await listenTo(webhookFunction(this.#deps, this.chat.app));
    this.#close = close;
    this.chat.connect(`${url}/${app}/${id}`);
  }

  async close(): Promise<void> {
    await this.#close?.();
    await this.chat.close();
  }

  /** Does something in the app, and lets the worker do what is owed then. */
  async do(step: Promise<void>): Promise<void> {
    await step;
    for (;;) {
      const received = this.#queue.receive(900_000);
      if (!received) return;
      const { hint, receipt } = received;
      await this.#worker.look({ hint, receipt, deadline: Date.now() + 900_000 });
      this.#queue.delete(receipt);
    }
  }

  /** The log of the one place, without what is the app's own. */
  async events(): Promise<object[]> {
    const places = await Array.fromAsync(this.log.places(this.chat.channel.tenant));
    expect(places).toHaveLength(1);
    const ref = { tenant: this.chat.channel.tenant, place: places[0]?.place ?? '' };
    const events = await Array.fromAsync(this.log.range(ref, { from: 1 }));
    return events.filter(({ type }) => !OWN_TYPES.has(type)).map((event, n) => common(event, n + 1, events));
  }
}

/** Messages that are opened are as many as the app's length needs, and none where it cannot edit. */
const OWN_TYPES = new Set(['reply.opened', 'turn.renewed']);
const OWN_FIELDS = new Set(['delivery', 'person', 'to', 'turn', 'leaseUntil', 'action', 'question']);

/** Numbers of events are counted anew, without the app's own. */
function common({ type, data }: UnknownEvent, seq: number, all: readonly UnknownEvent[]): object {
  const counted = all.filter((one) => !OWN_TYPES.has(one.type)).map((one) => one.seq);
  const renumbered = (key: string, value: unknown): unknown => {
    if (OWN_FIELDS.has(key)) return undefined;
    // Behind Slack’s own /conch nobody writes a slash.
    if (key === 'typed') return String(value).replace(/^\//u, '');
    return SEQ_FIELDS.has(key) && typeof value === 'number' && value > 0 ? counted.indexOf(value) + 1 : value;
  };
  const messages = (data as { messages?: unknown }).messages;
  const own = Array.isArray(messages) ? { messages: messages.map((one) => counted.indexOf(one) + 1) } : {};
  return { seq, type, ...JSON.parse(JSON.stringify(data, (key, value) => renumbered(key, value))), ...own };
}

const SEQ_FIELDS = new Set(['memory', 'conversation', 'clear', 'id', 'upTo', 'last', 'first', 'summary']);

const open: Conversation[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** What a person does, one after the other: a message, a command, or a choice that is picked. */
const STEPS: readonly ({ says: string; answer: string[] } | { command: string; args?: string } | { picks: string })[] =
  [
    { says: 'Will it rain?', answer: ['It ', 'rains.'] },
    { command: 'goal', args: 'Speak of whales' },
    { says: 'Show me code and a table', answer: [CODE, LONG] },
    { command: 'clear' },
    { picks: 'Undo' },
    { command: 'clera' },
    { command: 'model' },
    { picks: 'two' },
    { says: 'And now?', answer: ['Whales ', 'sing.'] },
    { command: 'status' },
  ];

interface Conversed {
  events: object[];
  /** What the providers were asked. */
  asked: object[];
  transcript: string;
  errors: unknown[];
}

async function converse(kind: Kind): Promise<Conversed> {
  const chat = await APP_CHATS[kind]();
  const conversation = new Conversation(chat);
  open.push(conversation);
  await conversation.open();
  const lines: string[] = [];
  let before: Seen[] = [];
  for (const step of STEPS) {
    if ('answer' in step) conversation.engine.reply(...step.answer);
    await conversation.do(act(chat, step));
    const after = await chat.seen();
    lines.push(said('You', written(chat, step)), ...after.flatMap((one) => botLine(one, before)));
    before = after;
  }
  const { errors, engine } = conversation;
  return {
    events: await conversation.events(),
    asked: engine.requests.map(({ cacheKey: _own, ...request }) => request),
    transcript: `${lines.join('\n')}\n`,
    errors,
  };
}

function act(chat: AppChat, step: (typeof STEPS)[number]): Promise<void> {
  if ('says' in step) return chat.say(step.says);
  return 'picks' in step ? chat.pick(step.picks) : chat.command(step.command, step.args);
}

function written({ written: how }: AppChat, step: (typeof STEPS)[number]): string {
  if ('says' in step) return how.message(step.says);
  return 'picks' in step ? `(${how.pick(step.picks)})` : how.command(step.command, step.args);
}

/** A message that is new, or has changed; one that grew began as "…". */
function botLine(one: Seen, before: readonly Seen[]): string[] {
  const was = before.find(({ id }) => id === one.id);
  if (was && was.text === one.text && was.buttons.join() === one.buttons.join()) return [];
  const grew = !was && one.first === '…' ? '…, then: ' : '';
  const buttons = one.buttons.length > 0 ? `\n${one.buttons.map((label) => `[${label}]`).join(' ')}` : '';
  return [said(was ? 'Bot, in the same message' : 'Bot', `${grew}${shortened(one.text)}${buttons}`)];
}

const LONG_CHARS = 600;
const SHOWN_CHARS = 200;

function shortened(text: string): string {
  return text.length <= LONG_CHARS ? text : `${text.slice(0, SHOWN_CHARS).trimEnd()} (… ${text.length} characters)`;
}

function said(who: string, text: string): string {
  return `${who}: ${text.split('\n').join('\n     ')}`.replaceAll(/[ ]+$/gmu, '');
}

type Kind = keyof typeof APP_CHATS;
const KINDS = Object.keys(APP_CHATS) as Kind[];

/** The block of the page that shows an app. */
const TITLES: Record<Kind, string> = {
  ...{
    telegram: 'Telegram',
    discord: 'Discord',
    slack: 'Slack',
    'slack, in many workspaces': 'Slack',
    teams: 'Microsoft Teams',
    text: 'The text app',
  },
};

function shownInDocs(kind: Kind): string | undefined {
  const page = readFileSync('docs/what-people-see.md', 'utf8');
  const [, section = ''] = page.split(`\n## ${TITLES[kind]}\n`);
  return /````text\n([\s\S]*?)````/u.exec(section)?.[1];
}

describe('the same conversation in every app', () => {
  test.each(KINDS.filter((kind) => kind !== 'telegram'))('%s has the same events as Telegram', async (kind) => {
    const [expected, found] = [await converse('telegram'), await converse(kind)];
    expect([...expected.errors, ...found.errors]).toEqual([]);
    expect(found.events).toEqual(expected.events);
    expect(found.events.length).toBeGreaterThan(STEPS.length);
    expect(found.asked).toEqual(expected.asked);
  });

  test.each(KINDS)(
    'cases A 5, 8: words that only look like a command reach the model byte for byte (%s)',
    async (kind) => {
      const chat = await APP_CHATS[kind]();
      const conversation = new Conversation(chat);
      open.push(conversation);
      await conversation.open();
      for (const words of ['/usr/bin/env: not found, why?', '// a comment', '1/2 of it', 'fix /clear please']) {
        conversation.engine.reply('Yes.');
        await conversation.do(chat.say(words));
        expect(conversation.engine.last.messages.at(-1)).toEqual({ role: 'user', text: words });
      }
      expect(conversation.errors).toEqual([]);
    },
  );

  test.each(KINDS)('%s shows what docs/what-people-see.md says', async (kind) => {
    const { transcript } = await converse(kind);
    expect(transcript).toBe(shownInDocs(kind));
  });
});
