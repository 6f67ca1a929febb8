import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { telegram } from '../../lib/channels/telegram/index.ts';
import { createText } from '../../lib/channels/text/index.ts';
import { signatureHeaders } from '../../lib/channels/text/verify.ts';
import { claimHash } from '../../lib/conversations/access.ts';
import type { WorkerDeps } from '../../lib/conversations/deps.ts';
import { Ingest } from '../../lib/conversations/ingest.ts';
import { Worker } from '../../lib/conversations/worker.ts';
import { fold } from '../../lib/domain/evolve.ts';
import { keyPart, type PlaceRef } from '../../lib/domain/place.ts';
import type { State } from '../../lib/domain/state.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';
import type { LogFields, Logger } from '../../lib/ports/runtime.ts';
import { providerOwner } from '../../lib/ports/secrets.ts';
import type { ChannelRecord, ProviderRecord, TenantSettings } from '../../lib/ports/tenants.ts';
import type { Tool } from '../../lib/ports/tools.ts';
import { modelFacts, resolveModel } from '../../lib/providers/models.ts';
import { channelOpener } from '../../lib/tenants/channels.ts';
import { TenantDirectory } from '../../lib/tenants/directory.ts';
import { type Message, person, TelegramStandIn, type Update, Updates, type User } from '../standins/telegram.ts';
import { ScriptedEngine } from './scriptedEngine.ts';
import { createStores, type Stores } from './stores.ts';
import { VirtualQueue } from './virtualQueue.ts';
import { VirtualTime } from './virtualTime.ts';

/** The secrets of every bot here: none of them may be found anywhere afterwards. */
export const SECRETS = {
  webhookSecret: 'canary-webhook-secret-0123456789',
  apiKey: 'canary-api-key-0123456789',
  text: 'canary-text-secret-0123456789',
};
export const CLAIM_CODE = 'canary-claim-code';

export interface BotOptions extends Partial<Pick<ChannelRecord, 'access' | 'owner' | 'claim'>> {
  tenant?: string;
  settings?: TenantSettings;
  models?: string[];
}

/** Fails calls of the wrapped object by name: before they do anything, or after they have done it. */
export type Faults = Map<string, { when: 'before' | 'after'; times: number }>;

function faulty<T extends object>(target: T, faults: Faults): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const fault = faults.get(String(name));
        const isDue = fault !== undefined && fault.times > 0;
        if (isDue) fault.times -= 1;
        if (isDue && fault.when === 'before') throw new Error(`${String(name)} failed before it was done`);
        const result = Reflect.apply(value, object, args) as unknown;
        if (!isDue) return result;
        return Promise.resolve(result).then(() => {
          throw new Error(`${String(name)} failed after it was done`);
        });
      };
    },
  });
}

/** Real stores and a stand-in of Telegram, for a test file; each test has bots of its own. Call `close` at the end. */
export class World {
  readonly stores: Stores;
  readonly telegram: TelegramStandIn;
  #bots = 0;
  #people = 10_000;

  private constructor(stores: Stores, standIn: TelegramStandIn) {
    this.stores = stores;
    this.telegram = standIn;
  }

  static async open(): Promise<World> {
    const [stores, standIn] = await Promise.all([createStores(), TelegramStandIn.start()]);
    return new World(stores, standIn);
  }

  async close(): Promise<void> {
    this.stores.close();
    await this.telegram.close();
  }

  /** Somebody whom no other test knows. */
  somebody(name = 'Ana'): User {
    this.#people += 1;
    return person(this.#people, name);
  }

  /** A new tenant with one Telegram bot, its own clock, queue, engine and log lines. */
  async bot(options: BotOptions = {}): Promise<Bot> {
    this.#bots += 1;
    const { tenant = `t${this.#bots}`, settings = {}, models = ['one'], ...channel } = options;
    const bot = new Bot(this, tenant, `${randomBytes(4).toString('hex')}-`);
    await bot.store(settings, models, channel);
    return bot;
  }
}

/** One tenant with one bot on Telegram (`telegram`) and one on the text app. */
export class Bot {
  readonly world: World;
  readonly tenant: string;
  readonly time: VirtualTime;
  readonly queue: VirtualQueue;
  readonly engine = new ScriptedEngine();
  /** What the model may use here. */
  tools: Tool[] = [];
  readonly faults: Faults = new Map();
  readonly logged: string[] = [];
  readonly updates: Updates;
  readonly channelId: string;
  readonly deps: WorkerDeps;
  #ingest: Ingest;

  constructor(world: World, tenant: string, prefix: string) {
    this.world = world;
    this.tenant = tenant;
    this.time = new VirtualTime(prefix);
    this.queue = new VirtualQueue(this.time);
    this.updates = new Updates(() => Math.floor(this.time.now() / 1000));
    this.channelId = `${tenant}.tg${this.#random}`;
    const { stores } = world;
    this.deps = {
      ...stores,
      log: faulty(stores.log, this.faults),
      actions: faulty(stores.actions, this.faults),
      tenants: faulty(stores.tenants, this.faults),
      queue: this.queue,
      directory: new TenantDirectory(stores.tenants, this.time.now),
      apps: { telegram, text: createText(stores.textReplies) },
      openChannel: channelOpener(stores.secrets),
      openEngine: async () => this.engine,
      openTools: async () => ({ tools: this.tools, close: async () => undefined }),
      resolveModel,
      listModels: modelFacts,
      runtime: this.time,
      logger: this.#logger,
    };
    this.#ingest = new Ingest(this.deps);
  }

  readonly #random = randomBytes(4).toString('hex');
  readonly textId = (): string => `${this.tenant}.tx${this.#random}`;

  get #logger(): Logger {
    const line = (what: string, ...more: (LogFields | undefined | unknown)[]) => {
      const words = more.map((one) => (one instanceof Error ? `${one.name} ${one.message}` : JSON.stringify(one)));
      this.logged.push([what, ...words].join(' '));
    };
    return { info: line, warn: line, error: line };
  }

  async store(settings: TenantSettings, models: string[], channel: Partial<ChannelRecord>): Promise<void> {
    const { tenants, secrets } = this.world.stores;
    const { tenant, channelId } = this;
    const seal = (plain: string, owner: string) => secrets.seal(plain, { tenant, owner });
    const provider: ProviderRecord = {
      ...{ name: 'main', engine: 'openai-compatible', settings: {} },
      models: models.map((id) => ({ id, contextWindow: 100_000 })),
      secrets: { apiKey: await seal(SECRETS.apiKey, providerOwner('main')) },
    };
    await tenants.putSettings(tenant, settings);
    await tenants.putProvider(tenant, provider);
    await this.putChannel({
      ...{ id: channelId, name: 'bot', app: 'telegram', access: 'anyone', settings: {} },
      apiRoot: this.world.telegram.root,
      bot: { id: '999', username: 'acme_bot' },
      secrets: {
        token: await seal(this.world.telegram.token, channelId),
        webhookSecret: await seal(SECRETS.webhookSecret, channelId),
      },
      ...channel,
    });
    await this.putChannel({
      ...{ id: this.textId(), name: 'text', app: 'text', access: 'anyone', settings: {} },
      secrets: { secret: await seal(SECRETS.text, this.textId()) },
      ...channel,
    });
  }

  async putChannel(channel: ChannelRecord): Promise<void> {
    await this.world.stores.tenants.putChannel(this.tenant, channel);
  }

  async channel(): Promise<ChannelRecord> {
    const record = await this.world.stores.tenants.load(this.tenant);
    const found = record?.channels.find(({ id }) => id === this.channelId);
    if (!found) throw new Error('No such channel');
    return found;
  }

  /** A claim that CLAIM_CODE settles. */
  claim(more: { expiresInMs?: number; usedBy?: string } = {}) {
    const { expiresInMs = 86_400_000, usedBy } = more;
    const expiresAt = this.time.now() + expiresInMs;
    return { codeHash: claimHash(CLAIM_CODE), expiresAt, ...(usedBy === undefined ? {} : { usedBy }) };
  }

  /** Another process for the webhooks: it remembers no answer. */
  newProcess(): void {
    this.#ingest = new Ingest(this.deps);
  }

  /** Delivers an update; the HTTP status, or 503 where the function would answer so. */
  async deliver(update: Update): Promise<number> {
    this.world.telegram.know(update);
    return this.#handle(telegram, this.channelId, JSON.stringify(update), {
      'x-telegram-bot-api-secret-token': SECRETS.webhookSecret,
    });
  }

  async #handle(app: Parameters<Ingest['handle']>[0], id: string, body: string, headers: Record<string, string>) {
    const request = { headers, body: new TextEncoder().encode(body) };
    try {
      return (await this.#ingest.handle(app, id, request)).status;
    } catch (error) {
      this.logged.push(`thrown ${error instanceof Error ? error.message : String(error)}`);
      return 503;
    }
  }

  /** Says something in the person's private chat. */
  async say(who: User, text: string, fields: object = {}): Promise<Update> {
    const update = this.updates.privateMessage(text, who, { ...fields });
    expect(await this.deliver(update)).toBe(200);
    return update;
  }

  /** Says something in the text app's chat of this name. */
  async sayText(chat: string, text: string, id: string, at?: number): Promise<number> {
    const body = JSON.stringify({ id, chat, person: `p-${chat}`, text, at });
    const headers = signatureHeaders(SECRETS.text, body, this.time.now());
    return this.#handle(createText(this.world.stores.textReplies), this.textId(), body, headers);
  }

  async textReplies(chat: string): Promise<string[]> {
    const where = { tenant: this.tenant, channelId: this.textId(), chat };
    return (await this.world.stores.textReplies.after(where, 0, 100)).map(({ text }) => text);
  }

  /** Presses the button with this label under the newest message that has one. */
  press(who: User, message: Message, label: string): Update {
    const button = message.buttons.flat().find(({ text }) => text === label);
    if (!button) throw new Error(`No button ${label} under ${message.text}`);
    return this.updates.press(button.data, who, this.world.telegram.asSent(message));
  }

  /** What the app showed for a press. */
  pressAnswer(update: Update): string | undefined {
    return this.world.telegram.answers.get((update.callback_query as { id: string }).id);
  }

  /** The texts of the bot in a chat, as a reader sees them. */
  texts(who: User | number): string[] {
    return this.world.telegram.visible(typeof who === 'number' ? who : who.id);
  }

  /** The newest message of the bot in a chat. */
  newest(who: User | number): Message {
    const message = this.world.telegram.messages(typeof who === 'number' ? who : who.id).at(-1);
    if (!message) throw new Error('The bot said nothing');
    return message;
  }

  /** One worker looks at the place of the next visible hint; false if there is none. A hint whose look failed stays. */
  async workOnce(lifeMs = 900_000): Promise<boolean> {
    const received = this.queue.receive();
    if (!received) return false;
    try {
      await new Worker(this.deps).look({ ...received, deadline: this.time.now() + lifeMs });
      this.queue.delete(received.receipt);
    } catch (error) {
      this.logged.push(`worker failed ${error instanceof Error ? error.message : String(error)}`);
    }
    return true;
  }

  /**
   * A worker that is stuck: it renews no lease and looks for nothing while its provider answers. Its hint stays. The
   * look goes on when the provider does.
   */
  workStuck(): Promise<void> {
    const received = this.queue.receive();
    if (!received) throw new Error('There is no hint');
    const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
      signal ? new Promise((_, reject) => signal.addEventListener('abort', reject)) : this.time.sleep(ms);
    const runtime = { ...this.deps.runtime, sleep };
    return new Worker({ ...this.deps, runtime }).look({ ...received, deadline: this.time.now() + 900_000 });
  }

  /** Lets time pass in small steps, so that a worker that waits for its provider looks about meanwhile. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      this.time.advance(Math.min(500, left));
      for (let n = 0; n < 5_000 && this.time.waits === 0; n++) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Works until no hint is visible now. */
  async work(): Promise<void> {
    for (let n = 0; n < 50; n++) if (!(await this.workOnce())) return;
    throw new Error('There is always another hint');
  }

  /** Works until no hint is left, moving time on to each. */
  async settle(): Promise<void> {
    for (let n = 0; n < 100 && this.queue.waiting.count > 0; n++) {
      this.time.advance(this.queue.waiting.nextInMs);
      await this.workOnce();
    }
    expect(this.queue.waiting.count).toBe(0);
  }

  /** Waits until some use of today is counted, which nobody waits for otherwise. */
  async counted(): Promise<void> {
    while (!((await this.deps.usage.read(this.tenant, 1))[0]?.inputTokens ?? 0))
      await new Promise((done) => setTimeout(done, 5));
  }

  /** Says something and lets the workers answer it. */
  async ask(who: User, text: string): Promise<void> {
    await this.say(who, text);
    await this.work();
  }

  privatePlace(who: User): PlaceRef {
    return { tenant: this.tenant, place: `tg${this.#random}~${keyPart(String(who.id))}` };
  }

  textPlace(chat: string): PlaceRef {
    return { tenant: this.tenant, place: `tx${this.#random}~${keyPart(chat)}` };
  }

  groupPlace(chat: number, who: User): PlaceRef {
    return { tenant: this.tenant, place: `tg${this.#random}~${keyPart(String(chat))}~~${keyPart(String(who.id))}` };
  }

  /** A place's whole log, after a check that every event carries the fold from the first one (SPEC 2.4). */
  async log(place: PlaceRef): Promise<StoredEvent[]> {
    const events = await Array.fromAsync(this.world.stores.log.range(place, { from: 1 }));
    for (const [index, event] of events.entries()) expect(event.state).toEqual(fold(events.slice(0, index + 1)));
    return events;
  }

  async types(who: User): Promise<string[]> {
    return (await this.log(this.privatePlace(who))).map(({ type }) => type);
  }

  async state(who: User): Promise<State> {
    const newest = (await this.log(this.privatePlace(who))).at(-1);
    if (!newest) throw new Error('The place has no events');
    return newest.state;
  }
}
