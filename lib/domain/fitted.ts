import type { Draft, EventData, EventType } from './events.ts';
import { EVENT_BYTES, SESSION_CHARS } from './limits.ts';
import { beginningOf, jsonBytes } from './textSize.ts';

/** Stands where words were left out that the event could not hold. */
export const LEFT_OUT = '… [The rest was too long to keep.]';

/** Makes an event's data smaller by so many bytes as JSON, as far as this part of it can. */
type Give<T extends EventType> = (data: EventData<T>, surplus: number) => EventData<T>;

/**
 * What a turn's worker writes with words of a provider or a tool, and what of it gives way when all of it together is too
 * much: in this order. What cannot give way is bounded where it comes in: calls and their ids (`takeCalls`).
 */
const GIVES: { [T in EventType]?: readonly Give<T>[] } = {
  step: [
    ({ own: _, ...data }) => data,
    withoutLongSession,
    (data, surplus) => ({ ...data, text: shortened([data.text], surplus)[0] ?? '' }),
  ],
  'tool.result': [
    (data, surplus) => {
      const outputs = shortened(
        data.results.map(({ output }) => output),
        surplus,
      );
      return { ...data, results: data.results.map((one, n) => ({ ...one, output: outputs[n] ?? '' })) };
    },
  ],
  'turn.ended': [withoutLongSession, shorterBefore, shorterEnd],
  'question.asked': [
    (data, surplus) => shorter(data, 'text', surplus),
    (data, surplus) => shorter(data, 'plan', surplus),
  ],
  'context.summed': [(data, surplus) => shorter(data, 'summary', surplus)],
  'context.compacted': [
    (data, surplus) => shorter(data, 'said', surplus),
    (data, surplus) => shorter(data, 'summary', surplus),
  ],
};

/** The event as the store can hold it: where its words are too many, some are left out, and it says so. */
export function fitted(draft: Draft): Draft {
  const gives = (GIVES[draft.type] ?? []) as readonly Give<EventType>[];
  let data: EventData<EventType> = draft.data;
  for (const give of gives) {
    const surplus = Buffer.byteLength(JSON.stringify(data)) - EVENT_BYTES;
    if (surplus <= 0) break;
    data = give(data, surplus);
  }
  return data === draft.data ? draft : ({ type: draft.type, data } as Draft);
}

/** A session is a provider's id: what is longer is none, and without it the provider is sent all that it should know. */
function withoutLongSession<D extends { session?: string | undefined }>(data: D): D {
  if (data.session === undefined || data.session.length <= SESSION_CHARS) return data;
  const { session: _, ...rest } = data;
  return rest as D;
}

function shorter<K extends string, D extends { [key in K]?: string | undefined }>(data: D, key: K, surplus: number): D {
  const text = data[key];
  return text === undefined ? data : { ...data, [key]: shortened([text], surplus)[0] };
}

/** What the steps before the last one said gives way before the answer itself. */
function shorterBefore(data: EventData<'turn.ended'>, surplus: number): EventData<'turn.ended'> {
  const { text, lastStepAt = 0 } = data;
  if (lastStepAt === 0) return data;
  const [before = ''] = shortened([text.slice(0, lastStepAt).trimEnd()], surplus + 2);
  const last = text.slice(lastStepAt);
  const lead = last === '' ? before : `${before}\n\n`;
  return { ...data, text: lead + last, lastStepAt: lead.length };
}

function shorterEnd(data: EventData<'turn.ended'>, surplus: number): EventData<'turn.ended'> {
  const { text, lastStepAt = 0 } = data;
  return { ...data, text: text.slice(0, lastStepAt) + (shortened([text.slice(lastStepAt)], surplus)[0] ?? '') };
}

/** The texts, by so many bytes smaller together, the longest first; each that is cut ends with `LEFT_OUT`. */
function shortened(texts: readonly string[], surplus: number): string[] {
  const sizes = texts.map(jsonBytes);
  const room = sizes.reduce((sum, size) => sum + size, 0) - surplus;
  const level = levelOf(sizes, Math.max(0, room));
  return texts.map((text, n) => {
    if ((sizes[n] ?? 0) <= level) return text;
    return beginningOf(text, { bytes: level - jsonBytes(LEFT_OUT) }) + LEFT_OUT;
  });
}

/** The most that each may have, so that all fit the room and no one is cut for another's sake who has less. */
function levelOf(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [n, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = left / (sizes.length - n);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
