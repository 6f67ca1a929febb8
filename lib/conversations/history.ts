import type { UnknownEvent } from '../domain/events.ts';
import { historyFrom, matters, type Remembering } from '../domain/memory.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { ResolvedModel } from '../ports/engine.ts';
import type { Log } from '../ports/log.ts';

/** What a turn reads of the log; or more words than its model could take, of which none is kept. */
export type History = { events: UnknownEvent[]; tooLong?: undefined } | { tooLong: true };

/** More characters than a token of any language or code has over a whole conversation. */
const CHARS_PER_TOKEN = 6;
/** Where there is no model, so that no request follows. */
const NO_MODEL_TOKENS = 1_000_000;

/**
 * Reads what this turn may see, page by page. Past what the model can take it stops: to leave some of it out would be
 * another memory than the person was told.
 * @param to the newest event to read.
 */
export async function readHistory(
  log: Log,
  place: PlaceRef,
  turn: Remembering,
  { to, resolved }: { to: number; resolved: ResolvedModel },
): Promise<History> {
  const most = CHARS_PER_TOKEN * (resolved.ok ? resolved.contextWindow : NO_MODEL_TOKENS);
  const isPart = matters(turn);
  const events: UnknownEvent[] = [];
  let words = 0;
  for await (const { state: _, ...event } of log.range(place, { from: historyFrom(turn), to })) {
    if (!isPart(event)) continue;
    words += wordsIn(event);
    if (words > most) return { tooLong: true };
    events.push(event);
  }
  return { events };
}

interface Words {
  content?: { text?: string; quote?: { text?: string } };
  text?: string;
  summary?: string;
}

function wordsIn({ data }: UnknownEvent): number {
  const { content, text, summary } = data as Words;
  return [content?.text, content?.quote?.text, text, summary].reduce((sum, one) => sum + (one?.length ?? 0), 0);
}
