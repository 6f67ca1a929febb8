import {
  type Attachment,
  type Content,
  contentOf,
  type EventType,
  eventOf,
  knownEvent,
  type UnknownEvent,
} from '../domain/events.ts';
import { compactedAlone, visibleTo } from '../domain/memory.ts';
import type { Turn } from '../domain/state.ts';
import type { Answer } from '../domain/toolCalls.ts';
import type { TranscriptMessage } from '../ports/engine.ts';
import { fenced } from './fenced.ts';
import { type TurnEvents, turnContent } from './turnContent.ts';

/**
 * What the provider reads in this turn: a fold of the events that it may see (DESIGN 2). An answer stands right after
 * the last message that it answers (SPEC 5.6), also when others arrived while it was written.
 * @param events the log from `historyFrom(turn)` on, ascending.
 * @param reader `provider/model` of who reads; what that provider made replays as it made it.
 */
export function transcript(turn: Turn, events: readonly UnknownEvent[], reader?: string): TranscriptMessage[] {
  const visible = visibleTo(turn, events);
  const turns = [...turnsIn(turn, visible, events).values()];
  const failed = new Set(turns.flatMap((one) => (cameToNothing(one) ? one.messages : [])));
  const speaking = turns.filter((one) => !isSilent(one));
  const spoken = new Map(speaking.map((one) => [one.at, turnContent(one, reader)]));
  // What answers messages that are summed up comes before all that are not.
  const earlier = speaking.flatMap((one) => (one.at === undefined ? turnContent(one, reader) : []));
  const messages = visible.flatMap((event): TranscriptMessage[] => {
    const content = contentOf(event);
    if (failed.has(event.seq)) return [];
    const said: TranscriptMessage[] = content ? [{ role: 'user', text: contentText(content) }] : [];
    return [...said, ...(spoken.get(event.seq) ?? [])];
  });
  return merged([...summaryOf(turn, events), ...earlier, ...messages]);
}

/** A turn's events, the messages that it answers, and the one behind which it reads: the last that may be seen. */
type SeenTurn = TurnEvents & { messages: readonly number[]; at: number | undefined };

function turnsIn(turn: Turn, visible: readonly UnknownEvent[], events: readonly UnknownEvent[]): Map<string, SeenTurn> {
  const seen = new Set(visible.map(({ seq }) => seq));
  const begun = new Map(events.flatMap((event) => begunBy(event)));
  const alone = compactedAlone(turn, events);
  const turns = new Map<string, SeenTurn>();
  for (const event of visible) {
    const id = (event.data as { turn?: string }).turn;
    if (id === undefined || !SPEAKS.has(event.type)) continue;
    const start = begun.get(id);
    const messages =
      (id === turn.id ? turn.messages : start?.messages) ?? eventOf(event, 'turn.ended')?.data.messages ?? [];
    const found = turns.get(id) ?? {
      ...{ steps: [], started: new Map(), results: new Map(), messages },
      at: messages.findLast((seq) => seen.has(seq)),
      sameMemory: id === turn.id || (start?.memory.upTo === turn.memory.upTo && !alone.has(id)),
    };
    turns.set(id, found);
    take(found, event);
  }
  return turns;
}

function begunBy(event: UnknownEvent) {
  const begun = eventOf(event, 'turn.started')?.data;
  return begun ? [[begun.turn, begun] as const] : [];
}

const SPEAKS: ReadonlySet<string> = new Set<EventType>([
  'step',
  'tool.started',
  'tool.result',
  'question.answered',
  'turn.ended',
]);

/** Answers about a plan; those about tools stand in the tools' results. */
const OF_PLAN: ReadonlySet<string> = new Set<Answer>(['start', 'keep']);

function take(turn: SeenTurn, event: UnknownEvent): void {
  const known = knownEvent(event);
  if (known?.type === 'step') turn.steps.push(known);
  if (known?.type === 'tool.started') turn.started.set(known.data.n, known.data.calls);
  if (known?.type === 'tool.result') turn.results.set(known.data.n, known.data.results);
  if (known?.type === 'question.answered' && OF_PLAN.has(known.data.answer)) turn.answered = known;
  if (known?.type === 'turn.ended') turn.ended = known;
}

/** It failed, or was a compaction, whose end is no answer to anything. */
function isSilent(turn: SeenTurn): boolean {
  return cameToNothing(turn) || (turn.messages.length === 0 && turn.steps.length === 0);
}

/**
 * A turn that failed without a word of an answer. The person was told, and sends again what still counts: a message that
 * a provider refuses would be refused with every later one.
 */
function cameToNothing({ ended, steps }: SeenTurn): boolean {
  return ended?.data.outcome === 'failed' && ended.data.text.trim() === '' && steps.length === 0;
}

function summaryOf(turn: Turn, events: readonly UnknownEvent[]): TranscriptMessage[] {
  const compacted = eventOf(
    events.find(({ seq }) => seq === turn.memory.summary),
    'context.compacted',
  );
  if (!compacted) return [];
  return [
    { role: 'user', text: `A summary of the conversation so far:\n\n${fenced('summary', compacted.data.summary)}` },
  ];
}

/** What a person sent, as the model reads it: their words byte for byte, other people's words marked as such (SPEC 3.3). */
export function contentText(content: Content): string {
  const { quote, forwardedFrom, attachments } = content;
  const parts = [
    ...(quote ? [fenced('quote', quote.text, quote.by === undefined ? '' : ` by=${oneLine(quote.by)}`)] : []),
    ...(attachments ?? []).map(attachmentLine),
    forwardedFrom === undefined
      ? content.text
      : fenced('quote', content.text, ` forwarded-from=${oneLine(forwardedFrom)}`),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** A name that somebody else chose: on one line, between quotation marks, without a tag in it. */
function oneLine(name: string): string {
  const line = JSON.stringify(name.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  return line.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function attachmentLine({ kind, name, mimeType }: Attachment): string {
  const what = [name, mimeType].flatMap((one) => (one ? [oneLine(one)] : [])).join(', ');
  return `[The person attached a file that you cannot open: ${kind}${what ? ` (${what})` : ''}]`;
}

/** Neighbours of one role as one message: providers want the roles to alternate. Calls stay beside their results. */
function merged(messages: readonly TranscriptMessage[]): TranscriptMessage[] {
  const result: TranscriptMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (last && isPlain(last) && isPlain(message) && last.role === message.role) last.text += `\n\n${message.text}`;
    else result.push({ ...message });
  }
  return result;
}

function isPlain(message: TranscriptMessage): message is Extract<TranscriptMessage, { text: string }> {
  return message.role !== 'tool' && !('calls' in message) && !('session' in message);
}
