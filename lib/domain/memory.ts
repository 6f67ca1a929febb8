import { contentOf, eventOf, type Memory, type UnknownEvent } from './events.ts';
import type { State, Turn } from './state.ts';

/**
 * The seq after which the memory in force begins: nothing at or before it reaches a provider (SPEC 5.1, 5.7). The SPEC
 * names it, and tests say by it what must hold; turns read their own memory.
 * @public
 */
export function contextStart(state: State): number {
  return state.memory.upTo;
}

/**
 * The newest clear, if `/undo` can still take it back. SPEC 5.5 names it, and tests say by it what must hold; `decideUndo`
 * reads the state itself, since it says why not.
 * @public
 */
export function undoableClear(state: State): number | undefined {
  return state.clear?.seq;
}

/** The first seq that has to be read to build the requests of this turn. */
export function historyFrom(turn: Pick<Turn, 'memory' | 'messages'>): number {
  const { upTo, summary = Number.POSITIVE_INFINITY, waited = [] } = turn.memory;
  return Math.min(upTo + 1, summary, ...waited, ...turn.messages);
}

/**
 * The events of content that this turn may see, in order (DESIGN 3a, memory by attribution): those of its memory from
 * before it began, the messages that it answers, and its own. A message that no turn took was dropped while it waited
 * (SPEC 4.10): no provider reads it.
 * @param events a stretch of the log from `historyFrom(turn)` on, ascending.
 */
export function visibleTo(turn: Turn, events: readonly UnknownEvent[]): UnknownEvent[] {
  const answered = new Set(turn.messages);
  const taken = new Set(events.flatMap((event) => eventOf(event, 'turn.started')?.data.messages ?? []));
  return events.filter((event) => {
    const data = event.data as { turn?: string; memory?: unknown };
    if (contentOf(event)) {
      if (answered.has(event.seq)) return true;
      return event.seq < turn.start && taken.has(event.seq) && belongsTo(turn.memory, event);
    }
    // Compacted in mid-turn, its steps up to there are in the summary.
    if (data.turn === turn.id) return event.seq > turn.memory.upTo;
    return event.seq < turn.start && belongsTo(turn.memory, event);
  });
}

/**
 * The earlier turns that were compacted for themselves alone, since their chat was cleared or left by then, each with the seq
 * of that compaction. What they did is part of the memory that came back; what they read since is another memory: neither
 * its size nor a session of it says anything of this one (SPEC 5.5, 5.6).
 */
export function compactedAlone(turn: Turn, events: readonly UnknownEvent[]): Map<string, number> {
  const compacted = events.flatMap((event) => eventOf(event, 'context.compacted') ?? []);
  const others = compacted.filter(({ seq, data }) => seq !== turn.memory.summary && data.turn !== turn.id);
  return new Map(others.map(({ seq, data }) => [data.turn, seq]));
}

/** A turn, or what one that is about to begin will have. */
export type Remembering = Pick<Turn, 'memory' | 'messages'> & Partial<Pick<Turn, 'id' | 'start' | 'answers'>>;

/** Tells of an event whether this turn's request, or its address, needs it: no more than that has to be kept. */
export function matters(turn: Remembering): (event: UnknownEvent) => boolean {
  const own = new Set([...turn.messages, turn.memory.summary, turn.answers]);
  const { start = Number.POSITIVE_INFINITY } = turn;
  return (event) => {
    const data = event.data as { turn?: string };
    if (own.has(event.seq) || event.type === 'turn.started') return true;
    if (turn.id !== undefined && data.turn === turn.id) return true;
    return event.seq < start && belongsTo(turn.memory, event);
  };
}

/** Whether the event carries this memory's id and is not summarised away. */
function belongsTo(memory: Memory, event: UnknownEvent): boolean {
  const isLeft = event.seq > memory.upTo || memory.waited?.includes(event.seq) === true;
  return isLeft && memoryIdOf(event) === memory.id;
}

/**
 * The id of the memory that an event of content belongs to. An event that begins a memory and brings its first message
 * (`/new hello`) belongs to the memory that it begins.
 */
function memoryIdOf(event: UnknownEvent): unknown {
  const data = event.data as { memory?: unknown };
  return event.type === 'conversation.started' ? event.seq : data.memory;
}
