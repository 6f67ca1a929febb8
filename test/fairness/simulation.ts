import { LEASE_MS, TAKEOVER_GRACE_MS, TURNS_AT_ONCE } from '../../lib/domain/limits.ts';
import type { Capacity, Slot } from '../../lib/ports/capacity.ts';
import type { Hint } from '../../lib/ports/queue.ts';
import { MemoryCapacity } from '../support/memory/capacity.ts';
import { FairQueue } from './fairQueue.ts';

/** A person's message: when the webhook takes it, and where. */
export interface Arrival {
  at: number;
  tenant: string;
  place: string;
}

/** How the worker is deployed. */
export interface Workers {
  instances: number;
  /** Hints in one call; the instance takes the next ones when all of them are done. */
  batch: number;
}

/** From the webhook to the hint in the queue, and from there to a function that runs, ms. */
const ENQUEUE_MS = 20;
const INVOKE_MS = 20;
/** A look at a place, and the claim of a turn. */
const LOOK_MS = 30;
const CLAIM_MS = 20;
const TURN_MS = { least: 4_000, most: 12_000 };
/** The safety net of a place on the waiting list, as the worker has it. */
const SLOT_WAIT_MS = 120_000;
const SLOT_WAIT_JITTER_MS = 30_000;

interface Place {
  /** When each waiting message was sent. */
  waiting: number[];
  isHeld: boolean;
}

/**
 * Places, workers and the queue in virtual time, by the rules of `lib/conversations/worker.ts`: a slot before a claim, the
 * waiting list without one, whoever frees a slot wakes the place that has waited longest.
 */
export class Simulation {
  /** For each tenant, how long each of its messages waited for the request to the provider, ms. */
  readonly waits = new Map<string, number[]>();
  readonly #queue = new FairQueue();
  readonly #capacity: Capacity = new MemoryCapacity();
  readonly #places = new Map<string, Place>();
  readonly #events = new Map<number, (() => Promise<void>)[]>();
  readonly #times: number[] = [];
  readonly #batch: number;
  readonly #random: () => number;
  #free: number;
  #now = 0;
  #holders = 0;

  /** @param random gives numbers from 0 to 1. */
  constructor(workers: Workers, random: () => number) {
    this.#free = workers.instances;
    this.#batch = workers.batch;
    this.#random = random;
  }

  /** Lets all this happen, up to `until`. */
  async run(arrivals: readonly Arrival[], until: number): Promise<void> {
    for (const arrival of arrivals) this.#at(arrival.at, async () => this.#take(arrival));
    for (let time = this.#nextTime(); time !== undefined && time <= until; time = this.#nextTime()) {
      this.#now = time;
      const due = this.#events.get(time) ?? [];
      this.#events.delete(time);
      for (const event of due) {
        await event();
        // Time stands still until all that follows at once is done.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  /** Times are kept as a heap: the earliest is first. */
  #nextTime(): number | undefined {
    const [first] = this.#times;
    const last = this.#times.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.#times.length > 0) sink(this.#times, last);
    return first;
  }

  #at(time: number, event: () => Promise<void>): void {
    const at = Math.ceil(time);
    const events = this.#events.get(at);
    if (events) events.push(event);
    else {
      this.#events.set(at, [event]);
      rise(this.#times, at);
    }
  }

  #after(ms: number): Promise<void> {
    return new Promise((resolve) => this.#at(this.#now + ms, async () => resolve()));
  }

  #placeOf({ tenant, place }: Hint): Place {
    const key = `${tenant} ${place}`;
    const known = this.#places.get(key) ?? { waiting: [], isHeld: false };
    this.#places.set(key, known);
    return known;
  }

  /** A webhook: the message waits; a hint goes out unless somebody holds the place. */
  #take({ at, tenant, place }: Arrival): void {
    const found = this.#placeOf({ tenant, place });
    found.waiting.push(at);
    if (!found.isHeld) this.#send({ tenant, place }, ENQUEUE_MS);
  }

  #send(hint: Hint, delayMs: number): void {
    this.#at(this.#now + delayMs, async () => {
      this.#queue.add(hint);
      this.#poll();
    });
  }

  /** Free instances take what is visible. */
  #poll(): void {
    while (this.#free > 0) {
      const hints = this.#queue.receive(this.#batch);
      if (hints.length === 0) return;
      this.#free -= 1;
      void this.#invoke(hints);
    }
  }

  async #invoke(hints: Hint[]): Promise<void> {
    await this.#after(INVOKE_MS);
    await Promise.all(hints.map((hint) => this.#visit(hint)));
    for (const hint of hints) this.#queue.done(hint);
    this.#free += 1;
    this.#poll();
  }

  async #visit(hint: Hint): Promise<void> {
    await this.#after(LOOK_MS);
    const place = this.#placeOf(hint);
    const holder = `h${this.#holders++}`;
    let slot: Slot | undefined;
    while (place.waiting.length > 0 && !place.isHeld) {
      slot ??= await this.#slot(hint.tenant, holder);
      slot ??= await this.#waitForSlot(hint, holder);
      if (!slot) return;
      if (place.isHeld) break;
      await this.#turn(hint.tenant, place);
    }
    if (slot) await this.#freeSlot(slot);
    else if (place.isHeld && !hint.wakeUp) this.#send({ ...hint }, LEASE_MS + TAKEOVER_GRACE_MS);
  }

  #slot(tenant: string, holder: string): Promise<Slot | undefined> {
    // A holder renews its slot for as long as it works: here it simply lasts.
    return this.#capacity.take(tenant, TURNS_AT_ONCE, holder, this.#now, Number.MAX_SAFE_INTEGER);
  }

  async #waitForSlot(hint: Hint, holder: string): Promise<Slot | undefined> {
    await this.#capacity.wait(hint.tenant, hint.place, this.#now);
    const slot = await this.#slot(hint.tenant, holder);
    if (slot) await this.#capacity.unwait(hint.tenant, hint.place);
    else if (!hint.wakeUp) this.#send({ ...hint }, SLOT_WAIT_MS + this.#random() * SLOT_WAIT_JITTER_MS);
    return slot;
  }

  async #turn(tenant: string, place: Place): Promise<void> {
    place.isHeld = true;
    const messages = place.waiting.splice(0);
    await this.#after(CLAIM_MS);
    const waits = this.waits.get(tenant) ?? [];
    this.waits.set(tenant, waits);
    waits.push(...messages.map((sent) => this.#now - sent));
    await this.#after(TURN_MS.least + this.#random() * (TURN_MS.most - TURN_MS.least));
    place.isHeld = false;
  }

  async #freeSlot(slot: Slot): Promise<void> {
    await this.#capacity.free(slot);
    const place = await this.#capacity.nextWaiting(slot.tenant);
    if (place !== undefined) this.#send({ tenant: slot.tenant, place, wakeUp: true }, ENQUEUE_MS);
  }
}

function rise(heap: number[], value: number): void {
  let at = heap.push(value) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= value) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = value;
}

function sink(heap: number[], value: number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if ((heap[child + 1] ?? Number.POSITIVE_INFINITY) < (heap[child] ?? 0)) child += 1;
    const below = heap[child] ?? 0;
    if (below >= value) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = value;
}
