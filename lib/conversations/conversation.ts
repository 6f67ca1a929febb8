import { contentOf, eventOf, type UnknownEvent } from '../domain/events.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { State } from '../domain/state.ts';
import type { Log } from '../ports/log.ts';

/** What a turn notes of its work. */
const WORK: ReadonlySet<string> = new Set(['step', 'tool.started', 'tool.result', 'context.summed']);

/**
 * The events of the conversation in force, up to this state, oldest first: those appended while it was in force, and
 * what turns that began in it have added since (SPEC 4.11). What is no words of a conversation, such as results of tools,
 * is left out: there may be more of it than a process can hold.
 */
export async function conversationEvents(log: Log, place: PlaceRef, state: State): Promise<UnknownEvent[]> {
  const found: UnknownEvent[] = [];
  const messages = new Set<number>();
  const memories = new Set<number>();
  const from = Math.max(1, state.conversation);
  for await (const { state: after, ...event } of log.range(place, { from, to: state.seq })) {
    const ended = eventOf(event, 'turn.ended');
    const compacted = eventOf(event, 'context.compacted');
    const within = after.conversation === state.conversation;
    if (within) memories.add(after.memory.id);
    if (within && contentOf(event)) messages.add(event.seq);
    const belongs = ended
      ? ended.data.messages.some((seq) => messages.has(seq))
      : compacted
        ? memories.has(compacted.data.memory)
        : within;
    if (belongs && !WORK.has(event.type)) found.push(event);
  }
  return found;
}
