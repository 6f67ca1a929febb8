import { ran } from '../domain/decide.ts';
import { type Content, contentOf, type EventData, eventOf, type UnknownEvent } from '../domain/events.ts';
import { plainValue } from './arguments.ts';
import type { Handler, ReplyContext } from './command.ts';
import { detailOf, outcomeOf } from './command.ts';
import { compactionLine } from './compact.ts';
import { askedIn, questionText } from './question.ts';
import { escapeMarkdown } from './words.ts';

const FORMATS = {
  markdown: { extension: 'md', mimeType: 'text/markdown' },
  json: { extension: 'json', mimeType: 'application/json' },
} as const;
type Format = keyof typeof FORMATS;

const NAMES: Record<string, Format> = { '': 'markdown', markdown: 'markdown', md: 'markdown', json: 'json' };

/** `/export`: the whole conversation as a file, also what the model has forgotten (SPEC 4.2, 5.1). */
export const exportConversation: Handler = {
  reads: ['conversation'],
  decide(_state, { base, args }) {
    const name = plainValue(args).toLowerCase();
    const format = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
    return format ? ran(base, 'exported', { format }) : ran(base, 'unknown');
  },
  reply(context) {
    if (outcomeOf(context.event) === 'unknown') return { markdown: formats(context) };
    const lines = linesOf(context);
    if (!lines.some(({ kind }) => kind === 'message')) return { markdown: 'There is nothing to export yet.' };
    const { format = 'markdown' } = detailOf<{ format?: Format }>(context.event);
    const { extension, mimeType } = FORMATS[format];
    const name = `conversation-${new Date(context.event.at).toISOString().slice(0, 10)}.${extension}`;
    const text = format === 'json' ? asJson(context, lines) : asMarkdown(lines);
    const refused = 'I could not send the file here. Ask whoever runs this bot for it.';
    return { markdown: refused, file: { name, mimeType, bytes: new TextEncoder().encode(text) } };
  },
};

function formats({ slash }: ReplyContext): string {
  return `I can export as ${slash('export', 'markdown')} or ${slash('export', 'json')}.`;
}

/** A line of the conversation as people see it: a message, or a mark between messages. */
type Line =
  | { kind: 'message'; at: number; from: 'you' | 'conch'; text: string; attachments?: string[] }
  | { kind: 'mark'; at: number; mark: 'memory-starts' | 'compacted'; text: string };

/** What people see of these events, in order. A summary is no message (SPEC 8.7). */
function linesOf({ facts, state }: ReplyContext): Line[] {
  return (facts.conversation ?? []).flatMap((event): Line[] => {
    const content = contentOf(event);
    if (content) return [messageOf(event, content)];
    const ended = eventOf(event, 'turn.ended');
    if (ended) return answerOf(ended.at, ended.data);
    const asked = askedIn(event);
    if (asked) return answerOf(event.at, { text: questionText(asked) });
    const compacted = eventOf(event, 'context.compacted');
    if (compacted) return boundary(event.at, compacted.data);
    if (event.type !== 'context.cleared' || event.seq !== state.memory.id) return [];
    return [{ kind: 'mark', at: event.at, mark: 'memory-starts', text: 'The memory starts here.' }];
  });
}

/** A filled-in command shows as it was typed (SPEC 10.3). */
function messageOf(event: UnknownEvent, { text, command, quote, forwardedFrom, attachments }: Content): Line {
  const shown = command?.display ?? text;
  const quoted = quote ? `${quoteLines(quote.text)}\n\n` : '';
  const from = forwardedFrom === undefined ? '' : `Forwarded from ${forwardedFrom}:\n\n`;
  const files = (attachments ?? []).map(({ kind, name }) => name ?? kind);
  return {
    ...{ kind: 'message', at: event.at, from: 'you', text: `${quoted}${from}${shown}` },
    ...(files.length > 0 ? { attachments: files } : {}),
  };
}

function quoteLines(text: string): string {
  return text.replaceAll(/^/gmu, '> ');
}

/** A boundary ends the message before it (SPEC 8.7). */
function boundary(at: number, data: EventData<'context.compacted'>): Line[] {
  return [
    ...answerOf(at, { text: data.said ?? '' }),
    { kind: 'mark', at, mark: 'compacted', text: compactionLine(data) },
  ];
}

function answerOf(at: number, { text, notice }: { text: string; notice?: string | undefined }): Line[] {
  const shown = [text.trim(), notice].filter(Boolean).join('\n\n');
  return shown === '' ? [] : [{ kind: 'message', at, from: 'conch', text: shown }];
}

const WHO = { you: 'You', conch: 'Conch' };

/** `2026-11-30 13:27 UTC` */
function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function asMarkdown(lines: readonly Line[]): string {
  const blocks = lines.map((line) => {
    if (line.kind === 'mark') return `---\n\n*${line.text}*\n\n---`;
    const files = (line.attachments ?? []).map((name) => `- Attached: ${escapeMarkdown(name)}`).join('\n');
    return [`**${WHO[line.from]}**, ${timeOf(line.at)}`, line.text, files].filter(Boolean).join('\n\n');
  });
  return `# Conversation\n\n${blocks.join('\n\n')}\n`;
}

function asJson({ event }: ReplyContext, lines: readonly Line[]): string {
  const entries = lines.map(({ at, ...line }) => ({ at: new Date(at).toISOString(), ...line }));
  return `${JSON.stringify({ exportedAt: new Date(event.at).toISOString(), entries }, null, 2)}\n`;
}
