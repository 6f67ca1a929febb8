import {
  type Attachment,
  type Content,
  contentOf,
  type EventOf,
  eventOf,
  type UnknownEvent,
} from '../domain/events.ts';
import { visibleTo } from '../domain/memory.ts';
import type { Turn } from '../domain/state.ts';
import type { TranscriptMessage } from '../ports/engine.ts';

/**
 * What the provider reads in this turn: a fold of the events that it may see (DESIGN 2). An answer stands right after
 * the last message that it answers (SPEC 5.6), also when others arrived while it was written.
 * @param events the log from `historyFrom(turn)` on, ascending.
 */
export function transcript(turn: Turn, events: readonly UnknownEvent[]): TranscriptMessage[] {
  const visible = visibleTo(turn, events);
  const answers = answersByMessage(visible);
  const failed = failedMessages(visible);
  const messages = visible.flatMap((event): TranscriptMessage[] => {
    const content = contentOf(event);
    if (!content || failed.has(event.seq)) return [];
    const answered = (answers.get(event.seq) ?? []).map(({ data }) => assistantMessage(data.text.trim() || NO_ANSWER));
    return [{ role: 'user', text: contentText(content) }, ...answered];
  });
  return merged([...summaryOf(turn, events), ...messages]);
}

/** What stands where an answer was stopped before its first word, so that two messages do not read as one. */
const NO_ANSWER = '(stopped)';

/**
 * Messages whose turn failed without a word of an answer. The person was told, and sends again what still counts: a
 * message that a provider refuses would be refused with every later one.
 */
function failedMessages(visible: readonly UnknownEvent[]): Set<number> {
  return new Set(
    visible.flatMap((event) => {
      const ended = eventOf(event, 'turn.ended');
      return ended?.data.outcome === 'failed' && ended.data.text.trim() === '' ? ended.data.messages : [];
    }),
  );
}

function answersByMessage(visible: readonly UnknownEvent[]): Map<number, EventOf<'turn.ended'>[]> {
  const answers = new Map<number, EventOf<'turn.ended'>[]>();
  for (const event of visible) {
    const ended = eventOf(event, 'turn.ended');
    const last = ended?.data.messages.at(-1);
    if (ended && last !== undefined) answers.set(last, [...(answers.get(last) ?? []), ended]);
  }
  return answers;
}

function assistantMessage(text: string): TranscriptMessage {
  return { role: 'assistant', text: text.trim() };
}

function summaryOf(turn: Turn, events: readonly UnknownEvent[]): TranscriptMessage[] {
  const compacted = eventOf(
    events.find(({ seq }) => seq === turn.memory.summary),
    'context.compacted',
  );
  if (!compacted) return [];
  return [{ role: 'user', text: `A summary of the conversation so far:\n\n${compacted.data.summary}` }];
}

/** What a person sent, as the model reads it: their words byte for byte, other people's words marked as such (SPEC 3.3). */
export function contentText(content: Content): string {
  const { quote, forwardedFrom, attachments } = content;
  const parts = [
    ...(quote ? [quoted(quote.by === undefined ? '' : ` by=${oneLine(quote.by)}`, quote.text)] : []),
    ...(attachments ?? []).map(attachmentLine),
    forwardedFrom === undefined ? content.text : quoted(` forwarded-from=${oneLine(forwardedFrom)}`, content.text),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** What begins or ends a quotation, however it is written: in somebody else's words it is none. */
const FENCE = /<(?=[\s\p{Cc}\p{Cf}/]*quote)/giu;

function quoted(of: string, text: string): string {
  return `<quote${of}>\n${text.replace(FENCE, '&lt;')}\n</quote>`;
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

/** Neighbours of one role as one message: providers want the roles to alternate. */
function merged(messages: readonly TranscriptMessage[]): TranscriptMessage[] {
  const result: TranscriptMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (message.role !== 'tool' && last?.role === message.role) last.text += `\n\n${message.text}`;
    else result.push({ ...message });
  }
  return result;
}
