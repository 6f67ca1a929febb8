import { contentOf } from '../../lib/domain/events.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';

/** A second account of what the model may know (SPEC 4.11, 5, 8), by objects, from the log alone. */

/** A memory: the names of what is in it, with the seq that brought each; the name of the summary in force. */
interface Remembered {
  items: Item[];
  summary?: string | undefined;
}

interface Item {
  seq: number;
  name: string;
  turn?: string;
}

/** What an event of a turn says. */
interface Said {
  turn?: string;
  memory?: number;
  messages?: number[];
  text?: string;
  plan?: string;
  outcome?: string;
  upTo?: number;
  summary?: string;
  calls?: { input: unknown }[];
  results?: { output: string }[];
}

/** The names of messages (`m1`), answers (`a1`), plans (`p1`), results (`r1`) and summaries (`s1`) in a text, in order. */
export function namesIn(text: string): string[] {
  return [...new Set(text.match(/\b[maprs]\d+\b/gu) ?? [])].sort(byName);
}

function byName(a: string, b: string): number {
  return a.slice(1) === b.slice(1) ? (a < b ? -1 : 1) : Number(a.slice(1)) - Number(b.slice(1));
}

const namesOf = (items: readonly Item[]) => [...new Set(items.map(({ name }) => name))].sort(byName);

interface KnownTurn {
  home: Remembered;
  start: number;
  messages: number[];
  steps: number;
  /** The summary that it made while its memory was not in force: its own alone. */
  own?: string | undefined;
}

class Account {
  current: Remembered = { items: [] };
  #cleared: Remembered | undefined;
  /** What was left of each conversation, by the seq that began it. */
  readonly #left = new Map<number, Remembered>();
  #conversation = 0;
  readonly #messages = new Map<number, { home: Remembered; names: string[] }>();
  readonly #turns = new Map<string, KnownTurn>();

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
    const data = event.data as Said;
    const { turn = '', messages = [] } = data;
    const known = this.#turns.get(turn);
    if (event.type === 'turn.started' && !known) this.#begin(turn, event.seq, messages);
    if (!known) return;
    if (event.type === 'step') known.steps++;
    if (event.type === 'step' || event.type === 'tool.result') add(known, turn, event.seq, data);
    if (event.type === 'context.compacted') this.#sumUp(known, data);
    if (event.type === 'turn.ended') this.#end(known, turn, event.seq, data);
  }

  #begin(turn: string, seq: number, messages: number[]): void {
    const home = this.#messages.get(messages.at(-1) ?? 0)?.home ?? this.current;
    this.#turns.set(turn, { home, start: seq, messages, steps: 0 });
    // A message that no turn took was dropped while it waited, and is remembered nowhere (SPEC 4.10).
    for (const one of messages)
      for (const name of this.#messages.get(one)?.names ?? []) home.items.push({ seq: one, name });
  }

  /** Discarded but for the turn itself where the memory has been cleared or left meanwhile (SPEC 5.6). */
  #sumUp(known: KnownTurn, { summary = '' }: Said): void {
    const name = namesIn(summary).find((one) => one.startsWith('s'));
    known.own = name;
    if (known.home === this.current) known.home.summary = name;
  }

  #end(known: KnownTurn, turn: string, seq: number, data: Said): void {
    add(known, turn, seq, data);
    // What came to nothing does not come along with the next messages (SPEC 13.5).
    const isNothing = data.outcome === 'failed' && (data.text ?? '').trim() === '' && known.steps === 0;
    const gone = isNothing ? known.messages : [];
    known.home.items = known.home.items.filter((item) => !gone.includes(item.seq));
  }

  mayKnow(turn: string): string[] {
    const known = this.#turns.get(turn);
    if (!known) return [];
    const own = known.messages.flatMap((seq) => this.#messages.get(seq)?.names ?? []);
    const before = known.home.items.filter((item) => item.seq < known.start || item.turn === turn);
    const summary = known.own ?? known.home.summary;
    return [...new Set([...own, ...namesOf(before), ...(summary === undefined ? [] : [summary])])].sort(byName);
  }

  /** What a summary of this turn up to there has to name. */
  upTo(turn: string, upTo: number): string[] {
    const known = this.#turns.get(turn);
    return namesOf(
      (known?.home.items ?? []).filter(
        ({ seq, turn: of }) => seq <= upTo && (seq < (known?.start ?? 0) || of === turn),
      ),
    );
  }
}

function add({ home }: KnownTurn, turn: string, seq: number, data: Said): void {
  const plans = (data.calls ?? []).map(({ input }) => JSON.stringify(input) ?? '');
  const words = [data.text ?? '', ...plans, ...(data.results ?? []).map(({ output }) => output)].join('\n');
  for (const name of namesIn(words)) home.items.push({ seq, name, turn });
}

function accountOf(events: readonly StoredEvent[]): Account {
  const account = new Account();
  for (const event of events) account.take(event);
  return account;
}

/** The names that a request of this turn has to hold: exactly these. */
export function expectedNames(events: readonly StoredEvent[], turn: string): string[] {
  return accountOf(events).mayKnow(turn);
}

/** The names that a summary by this turn has to hold, if it sums up to there: exactly these. */
export function summarizedNames(events: readonly StoredEvent[], turn: string, upTo: number): string[] {
  return accountOf(events).upTo(turn, upTo);
}
