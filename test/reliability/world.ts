import { lookAgain } from '../../lib/conversations/deadLetter.ts';
import { pending } from '../../lib/domain/pending.ts';
import type { PlaceRef } from '../../lib/domain/place.ts';
import type { ChannelRecord } from '../../lib/ports/tenants.ts';
import { modelFacts, resolveModel } from '../../lib/providers/models.ts';
import { TenantDirectory } from '../../lib/tenants/directory.ts';
import { MemoryActions } from '../support/memory/actions.ts';
import { MemoryCapacity, MemoryCursor, MemoryUsage } from '../support/memory/capacity.ts';
import { MemoryLog } from '../support/memory/log.ts';
import { MemoryQueue, type QueuedHint } from '../support/memory/queue.ts';
import { MemoryTenants } from '../support/memory/tenants.ts';
import { ChatStandIn, type Shown } from './chat.ts';
import { randomFrom, startOf, VirtualClock } from './clock.ts';
import { Deliverer, type Update } from './delivery.ts';
import { ScriptedProvider } from './engine.ts';
import { Faults } from './faults.ts';
import { Functions, Instance, type InstanceDeps } from './instances.ts';
import { Person } from './person.ts';
import { portsOf, stored, type WorldStores } from './ports.ts';
import { Process, type ProcessKind } from './process.ts';
import { GREET, type Scenario } from './scenarios.ts';
import { WorldTools } from './tools.ts';
import { Watch } from './watch.ts';

/** How long an SQS message stays invisible that nobody holds, ms; how often it is received. */
const VISIBILITY_MS = 900_000;
const MAX_RECEIVES = 20;
const SWEEP_EVERY_MS = 60_000;
/** What is not quiet by then is stuck. */
const HORIZON_MS = 6 * 3_600_000;

/** Whom every world's channel belongs to. */
const OWNER = 'ann';

/** How a world differs from an ordinary one. */
export interface WorldOptions {
  seed?: number;
  faults?: Faults;
  stores?: WorldStores;
  /** Where worlds share their stores: a number of its own, for its tenant and its time. */
  number?: number;
  /** How far the clock of a process is ahead, ms; a second or so, either way, if absent. */
  skewMs?: (process: number) => number;
  /** Whether the queue delivers this hint once more, and when, ms. */
  duplicate?: (random: () => number) => number | undefined;
}

/** The stores in memory. */
export function memoryStores(): WorldStores {
  return {
    ...{ log: new MemoryLog(), tenants: new MemoryTenants(), actions: new MemoryActions() },
    ...{ capacity: new MemoryCapacity(), usage: new MemoryUsage(), cursor: new MemoryCursor() },
  };
}

/** Everything around Conch, in virtual time: people, a chat app, a provider, stores, a queue, functions that may die. */
export class World {
  readonly clock: VirtualClock;
  readonly random: () => number;
  readonly faults: Faults;
  readonly stores: WorldStores;
  readonly queue = new MemoryQueue(() => this.clock.now());
  readonly chat: ChatStandIn;
  readonly provider: ScriptedProvider;
  readonly tools: WorldTools;
  readonly functions: Functions;
  readonly deliverer: Deliverer;
  readonly watch: Watch;
  readonly scenario: Scenario;
  readonly tenant: string;
  readonly #channel: string;
  readonly #options: WorldOptions;
  #inFlight = 0;
  #ids = 0;
  #processes = 0;
  #deadLetters = 0;
  /** Hints that went to the dead letters. */
  receivedDead = 0;
  /** Things that people have yet to do. */
  #toDo = 0;

  constructor(scenario: Scenario, options: WorldOptions = {}) {
    this.scenario = scenario;
    this.#options = options;
    this.tenant = `acme${options.number ?? ''}`;
    this.clock = new VirtualClock(startOf(options.number));
    this.#channel = `${this.tenant}.bot`;
    this.random = randomFrom(options.seed ?? 1);
    this.faults = options.faults ?? new Faults();
    this.stores = options.stores ?? memoryStores();
    const now = () => this.clock.now();
    this.watch = new Watch(now, scenario.turnsAtOnce, () => this.faults.stalled);
    this.chat = new ChatStandIn(scenario.kind ?? 'telegram', now, (shown: Shown) => this.watch.shown(shown));
    this.provider = new ScriptedProvider(now, (request) => this.watch.asked(request, this.provider.requests));
    this.tools = new WorldTools((run) => this.watch.toolRan(run));
    const { workerMs } = scenario;
    const limits = workerMs === undefined ? {} : { worker: workerMs };
    this.functions = new Functions(this.clock, (kind) => this.#start(kind), limits);
    const rule = scenario.rule ?? this.chat.kind;
    this.deliverer = new Deliverer(this.clock, rule, (update, done) => this.#webhook(update, done));
  }

  /** Plays the scenario until nothing is left to do, or nothing moves any more. */
  async play(): Promise<void> {
    await this.#setUp();
    const person = new Person(this);
    for (const act of this.scenario.acts) {
      this.#toDo++;
      this.clock.after(act.at, () => person.do(act, () => this.#toDo--));
    }
    this.clock.after(SWEEP_EVERY_MS, () => this.#sweep());
    const end = this.clock.now() + HORIZON_MS;
    do await this.#settled();
    while (!this.quiet && this.clock.now() < end && this.clock.next());
  }

  /** Nobody does, delivers, waits for or owes anything. */
  get quiet(): boolean {
    const busy = this.#toDo + this.functions.active + this.queue.size + this.#deadLetters + this.deliverer.pending;
    return busy === 0 && this.watch.states().every((state) => pending(state, this.clock.now()).kind === 'none');
  }

  /** How long after the last thing that a person did the last event came, ms. */
  get settledMs(): number {
    const lastAct = Math.max(...this.scenario.acts.map(({ at }) => this.clock.startMs + at));
    return Math.max(0, ...this.watch.lastEvents().map(({ at }) => at - lastAct));
  }

  async #setUp(): Promise<void> {
    const { tenants } = this.stores;
    const { turnsAtOnce, messagesPerMinute, access = 'anyone', mode } = this.scenario;
    const channel: ChannelRecord = {
      ...{ id: this.#channel, name: 'bot', app: this.chat.kind, access, owner: OWNER, settings: {}, secrets: {} },
    };
    await tenants.putSettings(this.tenant, {
      ...(turnsAtOnce === undefined ? {} : { turnsAtOnce }),
      ...(messagesPerMinute === undefined ? {} : { messagesPerMinute }),
      ...(mode === undefined ? {} : { mode }),
    });
    await tenants.putChannel(this.tenant, channel);
    for (const provider of this.scenario.providers ?? []) await tenants.putProvider(this.tenant, provider);
    await tenants.putCommand(this.tenant, GREET);
  }

  /** Lets everything happen that takes no virtual time. */
  async #settled(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#inFlight > 0);
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#inFlight++;
    try {
      return await work;
    } finally {
      this.#inFlight--;
    }
  }

  #newId(): string {
    this.#ids++;
    return `id${String(this.#ids).padStart(14, '0')}`;
  }

  #start(kind: ProcessKind): Instance {
    const { clock, faults, random } = this;
    const around = {
      clock,
      faults,
      random,
      newId: () => this.#newId(),
      track: <T>(work: Promise<T>) => this.#track(work),
    };
    const process = new Process(around, ++this.#processes, kind, this.#options.skewMs);
    return new Instance(process, this.#deps(process));
  }

  #deps(process: Process): InstanceDeps {
    const send = async (...args: Parameters<MemoryQueue['send']>) => {
      await this.queue.send(...args);
      this.#poke();
    };
    const hold = async (...args: Parameters<MemoryQueue['hold']>) => {
      await this.queue.hold(...args);
      this.#poke();
    };
    const done = (receipt: string) => this.queue.done(receipt);
    const written = (place: PlaceRef, event: Parameters<Watch['written']>[2]) =>
      this.watch.written(process, place, event);
    const ports = portsOf(process, { ...this.stores, queue: { send, hold, done } }, written);
    const app = this.chat.app(process);
    return {
      ...ports,
      directory: new TenantDirectory(ports.tenants, () => this.clock.now()),
      apps: { [app.name]: app },
      openChannel: (tenant, record) => stored(process, 'openChannel', async () => ({ ...record, tenant })),
      openEngine: (_tenant, { name }) => stored(process, 'openEngine', async () => this.provider.engine(process, name)),
      openTools: () => stored(process, 'openTools', async () => this.tools.box(process)),
      resolveModel,
      listModels: modelFacts,
      runtime: process.runtime,
      logger: this.watch.logger,
    };
  }

  #webhook(update: Update, done: (status: number) => void): void {
    const request = {
      ...{ headers: {} },
      body: new TextEncoder().encode(JSON.stringify([update.incoming])),
    };
    this.functions.invoke(
      'webhook',
      ({ ingest, process }) => ingest.handle(this.chat.app(process), this.#channel, request),
      (ending) => {
        if (ending.how === 'failed') this.watch.thrown(ending.error);
        done(ending.how === 'done' ? ending.value.status : 503);
      },
    );
  }

  #poke(): void {
    const at = this.queue.nextVisibleAt;
    if (at !== undefined) this.clock.after(at - this.clock.now(), () => this.#poll());
  }

  #poll(): void {
    for (let message = this.queue.receive(VISIBILITY_MS); message; message = this.queue.receive(VISIBILITY_MS)) {
      if (message.received > MAX_RECEIVES) this.#deadLetter(message);
      else this.#receive(message);
    }
    this.#poke();
  }

  #receive(message: QueuedHint): void {
    this.#look(message);
    const againMs = this.#options.duplicate?.(this.random);
    if (againMs !== undefined) this.clock.after(againMs, () => this.#look(message));
  }

  #look({ hint, receipt }: QueuedHint): void {
    this.functions.invoke(
      'worker',
      ({ worker }, deadline) => worker.look({ hint, receipt, deadline, shared: this.scenario.shared === true }),
      (ending) => {
        if (ending.how === 'failed') this.watch.thrown(ending.error);
        if (ending.how === 'done') this.queue.delete(receipt);
      },
    );
  }

  #deadLetter(message: QueuedHint): void {
    this.queue.delete(message.receipt);
    this.#deadLetters++;
    this.receivedDead++;
    const again = () =>
      this.functions.invoke(
        'dead-letters',
        ({ deps }) => lookAgain(deps, message.hint),
        (ending) => {
          if (ending.how === 'done') this.#deadLetters--;
          else this.clock.after(SWEEP_EVERY_MS, again);
        },
      );
    again();
  }

  #sweep(): void {
    this.functions.invoke(
      'sweeper',
      ({ sweeper }) => sweeper.sweep(),
      (ending) => {
        if (ending.how === 'failed') this.watch.thrown(ending.error);
        if (ending.how === 'done') this.watch.swept += ending.value;
      },
    );
    this.clock.after(SWEEP_EVERY_MS, () => this.#sweep());
  }
}
