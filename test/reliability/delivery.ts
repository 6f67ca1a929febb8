import type { Incoming } from '../../lib/ports/chatApp.ts';
import type { VirtualClock } from './clock.ts';

/** Something that a person did, as the chat app delivers it. */
export interface Update {
  id: string;
  chat: string;
  incoming: Extract<Incoming, { kind: 'message' | 'press' }>;
  state: 'pending' | 'acknowledged' | 'given-up';
}

/** How an app delivers again what was not answered in time. */
export interface Redelivery {
  /** How long it waits for an answer, ms. */
  timeoutMs: number;
  /** What waits for the one before to be answered. */
  inOrder: boolean;
  /** The wait before the next try, ms; undefined if there is none. `tries`: so far, from 1. */
  again(tries: number, how: 'failed' | 'late', update: Update): number | undefined;
}

const isPress = ({ incoming }: Update) => incoming.kind === 'press';

/** The rules of the chat apps, as their documentation has them. */
export const REDELIVERY = {
  telegram: {
    ...{ timeoutMs: 60_000, inOrder: true },
    again: (tries) => (tries < 40 ? Math.min(60_000, 2_000 * 2 ** Math.min(tries, 6)) : undefined),
  },
  slack: {
    ...{ timeoutMs: 3_000, inOrder: false },
    again: (tries, _how, update) => (isPress(update) ? undefined : [500, 60_000, 300_000][tries - 1]),
  },
  discord: { timeoutMs: 3_000, inOrder: false, again: () => undefined },
  teams: {
    timeoutMs: 15_000,
    inOrder: false,
    again: (tries, how) => (how === 'late' && tries < 3 ? 1_000 : undefined),
  },
  /** A client of ours that sends again until it is taken. */
  text: { timeoutMs: 30_000, inOrder: false, again: (tries) => (tries < 10 ? 5_000 : undefined) },
} satisfies Record<string, Redelivery>;

export type RuleName = keyof typeof REDELIVERY;

/** What came of one delivery: the webhook's status, or that its process died. */
export type Attempt = (update: Update, done: (status: number) => void) => void;

/** Delivers updates to the webhook, again and again by the app's rule. */
export class Deliverer {
  readonly updates: Update[] = [];
  readonly #clock: VirtualClock;
  readonly #rule: Redelivery;
  readonly #attempt: Attempt;
  readonly #queues = new Map<string, Update[]>();

  constructor(clock: VirtualClock, rule: RuleName, attempt: Attempt) {
    this.#clock = clock;
    this.#rule = REDELIVERY[rule];
    this.#attempt = attempt;
  }

  get pending(): number {
    return this.updates.filter(({ state }) => state === 'pending').length;
  }

  deliver(update: Update): void {
    this.updates.push(update);
    const queue = this.#queues.get(this.#queueOf(update)) ?? [];
    this.#queues.set(this.#queueOf(update), queue);
    const isFirst = queue.push(update) === 1;
    if (isFirst || !this.#rule.inOrder) this.#try(update, 1);
  }

  /** A delivery beside the others, whose answer nobody waits for: the same one again, or late. */
  repeat(update: Update): void {
    this.#attempt(update, () => undefined);
  }

  #queueOf({ chat, incoming }: Update): string {
    return `${chat} ${incoming.kind}`;
  }

  #try(update: Update, tries: number): void {
    let over = false;
    const after = (how: 'done' | 'failed' | 'late') => {
      if (over) return;
      over = true;
      if (how === 'done') return this.#end(update, 'acknowledged');
      const waitMs = this.#rule.again(tries, how, update);
      if (waitMs === undefined) return this.#end(update, 'given-up');
      this.#clock.after(waitMs, () => this.#try(update, tries + 1));
    };
    this.#attempt(update, (status) => after(status === 200 ? 'done' : 'failed'));
    this.#clock.after(this.#rule.timeoutMs, () => after('late'));
  }

  #end(update: Update, state: Update['state']): void {
    update.state = state;
    const queue = this.#queues.get(this.#queueOf(update));
    if (!this.#rule.inOrder || queue?.[0] !== update) return;
    queue.shift();
    const [next] = queue;
    if (next) this.#try(next, 1);
  }
}
