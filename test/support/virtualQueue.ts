import type { Hint, HintQueue } from '../../lib/ports/queue.ts';
import type { VirtualTime } from './virtualTime.ts';

interface Message {
  receipt: string;
  hint: Hint;
  visibleAt: number;
}

/** How long a received hint stays invisible if nobody moves it, as on SQS. */
const VISIBILITY_MS = 900_000;

/** A queue of hints in virtual time: delays, visibility, deletion and redelivery as on SQS. */
export class VirtualQueue implements HintQueue {
  readonly #time: VirtualTime;
  #messages: Message[] = [];
  #receipts = 0;
  /** Every hint that was sent, with its delay. */
  readonly sent: (Hint & { delayMs: number })[] = [];
  /** Every receipt that was held, with the time that it was held for. */
  readonly holds: { receipt: string; forMs: number }[] = [];
  /** While set, sending and holding fail. */
  down = false;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  async send(hint: Hint, delayMs = 0): Promise<void> {
    if (this.down) throw new Error('The queue is away');
    this.sent.push({ ...hint, delayMs });
    this.#receipts += 1;
    this.#messages.push({ receipt: `r${this.#receipts}`, hint, visibleAt: this.#time.now() + delayMs });
  }

  async hold(receipt: string, forMs: number): Promise<void> {
    if (this.down) throw new Error('The queue is away');
    this.holds.push({ receipt, forMs });
    const message = this.#messages.find((one) => one.receipt === receipt);
    if (message) message.visibleAt = this.#time.now() + forMs;
  }

  async done(receipt: string): Promise<void> {
    if (this.down) throw new Error('The queue is away');
    this.delete(receipt);
  }

  /** The oldest hint that is visible, which is invisible from then on. */
  receive(): { hint: Hint; receipt: string } | undefined {
    const message = this.#messages.find(({ visibleAt }) => visibleAt <= this.#time.now());
    if (!message) return undefined;
    message.visibleAt = this.#time.now() + VISIBILITY_MS;
    return message;
  }

  delete(receipt: string): void {
    this.#messages = this.#messages.filter((one) => one.receipt !== receipt);
  }

  /** Drops everything, as if each hint were lost. */
  lose(): void {
    this.#messages = [];
  }

  /** How many hints there are, and when the next one is visible, ms from now. */
  get waiting(): { count: number; nextInMs: number } {
    const times = this.#messages.map(({ visibleAt }) => visibleAt - this.#time.now());
    return { count: times.length, nextInMs: Math.max(0, Math.min(...times)) };
  }
}
