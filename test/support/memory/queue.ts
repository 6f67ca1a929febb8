import type { Hint, HintQueue } from '../../../lib/ports/queue.ts';

/** A message of the queue, as its receiver gets it. */
export interface QueuedHint {
  hint: Hint;
  receipt: string;
  /** How often it was received, this time included. */
  received: number;
}

interface Message {
  id: number;
  hint: Hint;
  visibleAt: number;
  received: number;
}

/** A standard queue in memory: delays, visibility, receive counts. What it calls now is given. */
export class MemoryQueue implements HintQueue {
  readonly #now: () => number;
  readonly #messages = new Map<number, Message>();
  #last = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  async send(hint: Hint, delayMs = 0): Promise<void> {
    const id = ++this.#last;
    const visibleAt = this.#now() + Math.ceil(delayMs / 1000) * 1000;
    this.#messages.set(id, { id, hint: { ...hint }, visibleAt, received: 0 });
  }

  /** At least a second, as the real queue has it. */
  async hold(receipt: string, forMs: number): Promise<void> {
    const message = this.#messages.get(idOf(receipt));
    if (message) message.visibleAt = this.#now() + Math.max(1, Math.ceil(forMs / 1000)) * 1000;
  }

  async done(receipt: string): Promise<void> {
    this.delete(receipt);
  }

  /** The visible message that waits longest; it stays invisible for `visibilityMs`. */
  receive(visibilityMs: number): QueuedHint | undefined {
    const visible = [...this.#messages.values()].filter(({ visibleAt }) => visibleAt <= this.#now());
    const [first] = visible.sort((a, b) => a.visibleAt - b.visibleAt || a.id - b.id);
    if (!first) return undefined;
    first.visibleAt = this.#now() + visibilityMs;
    first.received++;
    return { hint: { ...first.hint }, receipt: `${first.id}:${first.received}`, received: first.received };
  }

  delete(receipt: string): void {
    this.#messages.delete(idOf(receipt));
  }

  /** When the next message can be received; undefined if there is none. */
  get nextVisibleAt(): number | undefined {
    const times = [...this.#messages.values()].map(({ visibleAt }) => visibleAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  get size(): number {
    return this.#messages.size;
  }
}

function idOf(receipt: string): number {
  return Number(receipt.split(':')[0]);
}
