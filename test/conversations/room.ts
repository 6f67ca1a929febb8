import { append, stateOf } from '../../lib/conversations/append.ts';
import { Ingest } from '../../lib/conversations/ingest.ts';
import { placeRef } from '../../lib/conversations/scene.ts';
import type { Draft } from '../../lib/domain/events.ts';
import { fold } from '../../lib/domain/evolve.ts';
import type { State } from '../../lib/domain/state.ts';
import type { Channel, ChatApp, Limits, Outgoing, Sender } from '../../lib/ports/chatApp.ts';
import type { ChannelRecord, ProviderRecord, TenantSettings } from '../../lib/ports/tenants.ts';
import { modelFacts, resolveModel } from '../../lib/providers/models.ts';
import { NOON } from '../support/given.ts';
import { MemoryActions } from '../support/memory/actions.ts';
import { MemoryUsage } from '../support/memory/capacity.ts';
import { MemoryLog } from '../support/memory/log.ts';
import { MemoryQueue } from '../support/memory/queue.ts';
import { MemoryTenants } from '../support/memory/tenants.ts';

/** A message of the bot as it stands in the chat. */
export interface Shown {
  id: string;
  chat: string;
  text: string;
  labels: string[];
  values: string[];
  /** The name of the file, if it is one; `text` is what stands in it. */
  file?: string;
}

/** Faults of what lies outside: the call with this number (from 1) fails before it is done, or after. */
export interface Fault {
  call: number;
  when: 'before' | 'after';
}

/** What goes with a message: whether it is in a group, its id, its sender's name, what it quotes. */
interface Said {
  group?: boolean;
  id?: string;
  name?: string;
  thread?: string;
  quote?: { text: string; by?: string };
  /** Of a group; default true. */
  addressed?: boolean;
}

export interface RoomOptions {
  providers?: ProviderRecord[];
  settings?: TenantSettings;
  access?: ChannelRecord['access'];
  /** Default Ana; null: nobody has claimed the channel. */
  owner?: string | null;
  limits?: Partial<Limits>;
  /** Whether a person's id tells their private chat; default true. */
  knowsChats?: boolean;
}

const LIMITS: Limits = {
  ...{ textLimit: 4096, buttonLimit: 8, hasButtons: true, canEdit: true },
  ...{ deliversMessages: true, minEditIntervalMs: { private: 0, group: 0 }, commandPrefix: '/' },
};

/** A provider with these models. */
export function provider(name: string, models: string[], more: Partial<ProviderRecord> = {}): ProviderRecord {
  const records = models.map((id) => ({ id, contextWindow: 200_000 }));
  return { name, engine: 'openai', models: records, settings: {}, secrets: {}, ...more };
}

/** A channel of a chat app without a wire, over stores in memory: what people do goes in, what they see comes out. */
export class Room {
  now = NOON;
  /** Everything that stands in the chats, oldest first. */
  readonly messages: Shown[] = [];
  /** What was said privately to whom pressed. */
  readonly whispers: (string | undefined)[] = [];
  readonly log = new MemoryLog();
  readonly tenants = new MemoryTenants();
  readonly actions = new MemoryActions();
  readonly limits: Limits;
  readonly usage = new MemoryUsage();
  knowsChats = true;
  /** Set, it makes one call to a store or to the app fail; `calls` counts them. */
  fault: Fault | undefined;
  calls = 0;
  readonly #ingest: Ingest;
  readonly #app: ChatApp;
  readonly #channel: Channel = { id: 't.room', tenant: 't', name: 'room', app: 'text', settings: {}, secrets: {} };
  readonly #sent = new Map<string, string | undefined>();
  #ids = 0;

  private constructor(limits: Limits) {
    this.limits = limits;
    this.#app = this.#createApp();
    const now = () => this.now;
    this.#ingest = new Ingest({
      ...{ log: this.#failing(this.log), tenants: this.#failing(this.tenants), actions: this.#failing(this.actions) },
      ...{ usage: this.usage, apps: {} },
      queue: new MemoryQueue(now),
      directory: { get: (t) => this.tenants.load(t), fresh: (t) => this.tenants.load(t) },
      ...{ openChannel: async () => this.#channel, resolveModel, listModels: modelFacts },
      runtime: { now, newId: () => this.#id(), random: () => 0, sleep: async () => {} },
      logger: { info: () => {}, warn: () => {}, error: () => {} },
    });
  }

  static async open(options: RoomOptions = {}): Promise<Room> {
    const { providers = [provider('main', ['one', 'two'])], settings = {}, access = 'anyone', owner = 'ana' } = options;
    const room = new Room({ ...LIMITS, ...options.limits });
    room.knowsChats = options.knowsChats ?? true;
    await room.tenants.putSettings('t', settings);
    await room.own(owner, access);
    for (const [addedAt, one] of providers.entries()) await room.tenants.putProvider('t', { addedAt, ...one });
    return room;
  }

  /** Makes this person the owner of the channel. */
  async own(owner: string | null, access: ChannelRecord['access'] = 'anyone'): Promise<void> {
    const record: ChannelRecord = { id: 't.room', name: 'room', app: 'text', access, settings: {}, secrets: {} };
    await this.tenants.putChannel('t', { ...record, ...(owner === null ? {} : { owner }) });
  }

  #id(): string {
    this.#ids += 1;
    return `id${this.#ids}`;
  }

  #createApp(): ChatApp {
    return {
      ...{ name: 'text', limits: this.limits, verify: () => ({ ok: true }) },
      read: (body: Uint8Array) => JSON.parse(new TextDecoder().decode(body)),
      render: (outgoing: Outgoing) => [{ body: { ...outgoing }, plain: {} }],
      sender: () => this.#failing(this.#sender()),
      privateChat: (person) => (this.knowsChats ? { chat: person } : undefined),
    } as Partial<ChatApp> as ChatApp;
  }

  /** The same, but for the call that `fault` names. */
  #failing<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (of, name) => {
        const member: unknown = Reflect.get(of, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          this.calls += 1;
          const fault = this.fault?.call === this.calls ? this.fault.when : undefined;
          if (fault === 'before') throw new Error('The process died');
          const result: unknown = member.apply(of, args);
          if (fault === undefined || !(result instanceof Promise)) return result;
          return result.then(() => {
            throw new Error('The process died');
          });
        };
      },
    });
  }

  #sender(): Sender {
    const shown = (id: string, chat: string, body: object): Shown => {
      const { markdown, choices = [] } = body as Outgoing;
      const labels = choices.map(({ label }) => label);
      return { id, chat, text: markdown, labels, values: choices.map(({ value }) => value) };
    };
    return {
      post: async (to, { body }, { idempotencyKey }) => {
        const id = this.#id();
        this.#sent.set(to.chat, idempotencyKey);
        this.messages.push(shown(id, to.chat, body));
        return { kind: 'sent', id };
      },
      edit: async (to, id, { body }) => {
        this.messages.splice(this.#at(id), 1, shown(id, to.chat, body));
        return { kind: 'sent', id };
      },
      file: async (to, file) => {
        const id = this.#id();
        this.messages.push({
          ...shown(id, to.chat, { markdown: new TextDecoder().decode(file.bytes) }),
          file: file.name,
        });
        return { kind: 'sent', id };
      },
      typing: async () => {},
      newestSent: async ({ chat }) => this.#sent.get(chat),
      answerPress: async (_press, text) => void this.whispers.push(text),
      removeChoices: async ({ to }) => {
        const before = this.messages[this.#at(to.message)];
        if (before) Object.assign(before, { labels: [], values: [] });
      },
      pressedMessage: ({ to }) => to.message,
    } as Partial<Sender> as Sender;
  }

  #at(id: string | undefined): number {
    return this.messages.findIndex((message) => message.id === id);
  }

  async #take(incoming: object): Promise<void> {
    this.now += 1_000;
    const body = new TextEncoder().encode(JSON.stringify([incoming]));
    await this.#ingest.handle(this.#app, 't.room', { headers: {}, body });
  }

  /** Somebody writes in their private chat, or in a group; gives the newest message of the bot, if it said anything. */
  async say(text: string, who = 'ana', more: Said = {}): Promise<Shown> {
    const { group = false, id = this.#id(), name = '', thread = '', quote, addressed = true } = more;
    const before = this.messages.length;
    const to = { chat: group ? 'group' : who, message: id, ...(thread ? { thread } : {}), ...(group ? { group } : {}) };
    await this.#take({
      ...{ kind: 'message', key: `m:${id}`, update: id, sentAt: this.now + 1_000 },
      person: { id: who, ...(name ? { name } : {}) },
      ...{ to, content: { text, ...(quote ? { quote } : {}) } },
      ...{ typed: text, addressed, namesUs: false },
    });
    return this.messages.length > before ? this.last : NOTHING;
  }

  get last(): Shown {
    return this.messages.at(-1) ?? NOTHING;
  }

  /** Somebody presses the button with this label; gives the message as it stands afterwards. */
  async press(label: string, who = 'ana', message = this.last, update = this.#id(), sentAt?: number): Promise<Shown> {
    const value = message.values[message.labels.indexOf(label)];
    if (value === undefined) throw new Error(`No “${label}” among ${message.labels.join(', ')}`);
    const [, action = '', choice = '0'] = value.split(':');
    await this.#take({
      ...{ kind: 'press', update, sentAt: sentAt ?? this.now + 1_000, person: { id: who } },
      ...{ action, choice: Number(choice), pressId: update, to: { chat: message.chat, message: message.id } },
    });
    return this.messages[this.#at(message.id)] ?? NOTHING;
  }

  /** The stored choices under a message. */
  async shownItem({ chat, values }: Shown) {
    const [, id = ''] = values[0]?.split(':') ?? [];
    return this.actions.get({ tenant: 't', channelId: 't.room', chat, id });
  }

  #place(who: string, group = false) {
    return placeRef(this.#channel, group ? { chat: 'group', group } : { chat: who }, who);
  }

  /** The whole log of a private chat, without what every webhook's event carries. */
  async events(who = 'ana', group = false): Promise<object[]> {
    const events = await Array.fromAsync(this.log.range(this.#place(who, group), { from: 1 }));
    const newest = events.at(-1);
    if (newest && JSON.stringify(newest.state) !== JSON.stringify(fold(events))) throw new Error('Another fold');
    return events.map(({ type, data }) => {
      const { delivery: _d, person: _p, to: _t, action, ...rest } = data as Record<string, unknown>;
      return { type, ...rest, ...(action === undefined ? {} : { pressed: true }) };
    });
  }

  async state(who = 'ana'): Promise<State> {
    return stateOf(this.log, this.#place(who), await this.log.newest(this.#place(who)));
  }

  /** Appends what a worker would. */
  async work(draft: Draft, who = 'ana'): Promise<void> {
    const runtime = { now: () => this.now, newId: () => this.#id(), random: () => 0, sleep: async () => {} };
    await append({ log: this.log, runtime }, this.#place(who), await this.state(who), () => ({ draft }));
  }

  async settings(): Promise<TenantSettings | undefined> {
    return (await this.tenants.load('t'))?.settings;
  }
}

const NOTHING: Shown = { id: '', chat: '', text: '', labels: [], values: [] };
