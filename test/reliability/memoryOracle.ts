import { contentOf } from '../../lib/domain/events.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';

/** A second account of what the model may know (SPEC 4.11, 5), by objects, from the log alone. */

/** A memory: the names of the messages and answers in it, with the seq that brought each. */
interface Remembered {
  items: { seq: number; name: string }[];
}

/** The names of messages (`m1`) and answers (`a1`) in a text, in order of number. */
export function namesIn(text: string): string[] {
  return [...new Set(text.match(/\b[ma]\d+\b/gu) ?? [])].sort(byName);
}

function byName(a: string, b: string): number {
  return a.slice(1) === b.slice(1) ? (a < b ? -1 : 1) : Number(a.slice(1)) - Number(b.slice(1));
}

class Account {
  current: Remembered = { items: [] };
  #cleared: Remembered | undefined;
  /** What was left of each conversation, by the seq that began it. */
  readonly #left = new Map<number, Remembered>();
  #conversation = 0;
  readonly #messages = new Map<number, { home: Remembered; names: string[] }>();
  readonly #turns = new Map<string, { home: Remembered; start: number; messages: number[] }>();

  take(event: StoredEvent): void {
    this.#move(event);
    const content = contentOf(event);
    if (content) {
      this.#messages.set(event.seq, { home: this.current, names: namesIn(content.text) });
      this.#cleared = undefined;
    }
    this.#turn(event);
  }

  #move({ type, seq, data }: StoredEvent): void {
    if (type === 'context.cleared') {
      this.#cleared = this.current;
      this.current = { items: [] };
    } else if (type === 'context.restored' && this.#cleared) {
      this.current = this.#cleared;
      this.#cleared = undefined;
    } else if (type === 'conversation.started') {
      this.#leaveFor(seq, { items: [] });
    } else if (type === 'conversation.resumed') {
      const { conversation } = (data as { resumed: { conversation: number } }).resumed;
      this.#leaveFor(conversation, this.#left.get(conversation) ?? { items: [] });
    }
  }

  #leaveFor(conversation: number, memory: Remembered): void {
    this.#left.set(this.#conversation, this.current);
    this.#cleared = undefined;
    this.#conversation = conversation;
    this.current = memory;
  }

  #turn(event: StoredEvent): void {
    const data = event.data as { turn?: string; messages?: number[]; text?: string; outcome?: string };
    const { turn = '', messages = [], text = '', outcome } = data;
    const known = this.#turns.get(turn);
    if (event.type === 'turn.started' && !known) {
      const home = this.#messages.get(messages.at(-1) ?? 0)?.home ?? this.current;
      this.#turns.set(turn, { home, start: event.seq, messages });
      // A message that no turn took was dropped while it waited, and is remembered nowhere (SPEC 4.10).
      for (const seq of messages)
        for (const name of this.#messages.get(seq)?.names ?? []) home.items.push({ seq, name });
    }
    if (event.type === 'turn.ended' && known) {
      for (const name of namesIn(text)) known.home.items.push({ seq: event.seq, name });
      // What came to nothing does not come along with the next messages (SPEC 13.5).
      const gone = outcome === 'failed' && text.trim() === '' ? known.messages : [];
      known.home.items = known.home.items.filter(({ seq }) => !gone.includes(seq));
    }
  }

  mayKnow(turn: string): string[] {
    const known = this.#turns.get(turn);
    if (!known) return [];
    // Its own messages it reads in any case: a worker that was slow may ask when the turn has ended already.
    const own = known.messages.flatMap((seq) => this.#messages.get(seq)?.names ?? []);
    const before = known.home.items.filter(({ seq }) => seq < known.start).map(({ name }) => name);
    return [...new Set([...own, ...before])].sort(byName);
  }
}

/** The names that a request of this turn has to hold: exactly these. */
export function expectedNames(events: readonly StoredEvent[], turn: string): string[] {
  const account = new Account();
  for (const event of events) account.take(event);
  return account.mayKnow(turn);
}
