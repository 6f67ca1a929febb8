import { eventOf, type UnknownEvent } from '../domain/events.ts';
import { historyFrom, matters, type Remembering } from '../domain/memory.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { Turn } from '../domain/state.ts';
import type { Said } from '../domain/turns.ts';
import type { Log } from '../ports/log.ts';
import { withLead } from './answering.ts';

/** What a turn reads of the log; or more than a worker can hold, of which none is kept. */
export type History = { events: UnknownEvent[]; tooLong?: undefined } | { tooLong: true };

/** More characters than the largest window of any model takes, and well within a worker's memory. */
const MOST_CHARS = 12_000_000;

/**
 * Reads what this turn may see, page by page. Past what a worker can hold it stops: to leave some of it out would be
 * another memory than the person was told.
 * @param to the newest event to read.
 */
export async function readHistory(log: Log, place: PlaceRef, turn: Remembering, to: number): Promise<History> {
  const isPart = matters(turn);
  const events: UnknownEvent[] = [];
  let chars = 0;
  let summed: number | undefined;
  for await (const { state: _, ...event } of log.range(place, { from: historyFrom(turn), to })) {
    if (!isPart(event)) continue;
    if (event.type === 'context.summed') {
      // Each holds all of those before it.
      if (summed !== undefined) events.splice(summed, 1);
      summed = events.length;
    } else chars += charsIn(event);
    if (chars > MOST_CHARS) return { tooLong: true };
    events.push(event);
  }
  return { events };
}

/** What this turn has said up to `to`: the words of its steps, however long all that it may see is. */
export async function readSaid(log: Log, place: PlaceRef, turn: Turn, to: number): Promise<Said & { steps: number }> {
  const { id, start, steps } = turn;
  if (steps === 0) return { steps, text: '' };
  const history: UnknownEvent[] = [];
  for await (const { state: _, ...event } of log.range(place, { from: start, to })) {
    const step = eventOf(event, 'step');
    if (step) history.push({ ...event, data: { ...step.data, calls: [], own: undefined } });
    else if (event.type === 'question.answered' || event.type === 'context.compacted') history.push(event);
  }
  return { steps, ...withLead({ history, holder: { claim: { turn: id } } }, '') };
}

interface Words {
  content?: { text?: string; quote?: { text?: string } };
  text?: string;
  summary?: string;
  calls?: unknown;
  results?: unknown;
  own?: unknown;
}

function charsIn({ data }: UnknownEvent): number {
  const { content, text, summary, calls, results, own } = data as Words;
  const words = [content?.text, content?.quote?.text, text, summary];
  const parts = [calls, results, own].map((part) => (part === undefined ? undefined : JSON.stringify(part)));
  return [...words, ...parts].reduce((sum, one) => sum + (one?.length ?? 0), 0);
}
