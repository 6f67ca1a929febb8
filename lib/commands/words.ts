import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/limits.ts';
import type { State } from '../domain/state.ts';

/** Words of a person or a provider, escaped so that Markdown shows them as they are (one line). */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>~|#&]/gu, '\\$&');
}

/** Words of a person as a Markdown quotation, each line as they wrote it. */
export function quote(text: string): string {
  return text
    .split(/\r\n|[\r\n]/u)
    .map((line) => `> ${withoutBlock(escapeMarkdown(line))}`)
    .join('\n');
}

/** The line without what would begin a list, an underline or, by its indentation, a block of code. */
function withoutBlock(line: string): string {
  return line.replace(/^[ \t]+/u, (blank) => '\u00a0'.repeat(blank.length)).replace(/^(\d{0,9})([-+=:.)])/u, '$1\\$2');
}

/** What is allowed in a chat, named as questions about it name it: `box/add` is `box: add`, without the mark of its server's address. */
export function grantWords(grant: string): string {
  return escapeMarkdown(grant.replace(/#[0-9a-f]{8}$/u, '').replace('/', ': '));
}

/** A number with separators: `60,000`. */
export function number(n: number): string {
  return n.toLocaleString('en');
}

/** `1 message`, `3 messages`. */
export function count(n: number, noun: string): string {
  return `${number(n)} ${noun}${n === 1 ? '' : 's'}`;
}

/** A number of tokens as people read it (SPEC 8.1): `950`, `84.2k`, `1.2M`. */
export function tokens(n: number): string {
  if (n < 1000) return String(Math.round(n));
  const [value, unit] = n < 999_950 ? [n / 1000, 'k'] : [n / 1_000_000, 'M'];
  return `${value.toFixed(1).replace(/\.0$/u, '')}${unit}`;
}

/**
 * When something was, said so that it holds in every time zone: `5 minutes ago`, `3 days ago`, and the day (in UTC) of
 * what is older than two weeks.
 */
export function whenSaid(at: number, now: number): string {
  const age = Math.max(0, now - at);
  if (age < MINUTE_MS) return 'just now';
  if (age < HOUR_MS) return `${count(Math.floor(age / MINUTE_MS), 'minute')} ago`;
  if (age < DAY_MS) return `${count(Math.floor(age / HOUR_MS), 'hour')} ago`;
  if (age < 14 * DAY_MS) return `${count(Math.floor(age / DAY_MS), 'day')} ago`;
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
}

/** How long something takes, rounded up: `23 seconds`, `5 minutes`, `11 hours`. */
export function lasting(ms: number): string {
  if (ms < 90_000) return count(Math.max(1, Math.ceil(ms / 1000)), 'second');
  if (ms < 90 * MINUTE_MS) return count(Math.ceil(ms / MINUTE_MS), 'minute');
  return count(Math.ceil(ms / HOUR_MS), 'hour');
}

/** Longest name of a person that is shown, in characters. */
const NAME_CHARS = 60;

/** A person as others read of them, on one line: the name, or the id where there is none. */
export function nameOf({ id, name }: { id: string; name?: string | undefined }): string {
  const line = [...(name ?? '').replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()];
  if (line.length === 0) return id;
  return line.length > NAME_CHARS ? `${line.slice(0, NAME_CHARS - 1).join('')}…` : line.join('');
}

/** How many messages that waited were dropped, as a sentence to append; empty for none. */
export function droppedSentence(dropped: number): string {
  if (dropped === 0) return '';
  return dropped === 1
    ? ' 1 message that was waiting is dropped.'
    : ` ${dropped} messages that were waiting are dropped.`;
}

/** Whether an answer is being written that will still arrive: nobody has stopped it. */
export function isAnswering({ turn }: State): boolean {
  return turn?.kind === 'answer' && !turn.stopAsked;
}

/** How a person's words reach the bot: ` with /ask` where it is delivered no messages, else nothing has to be said (SPEC 12.2). */
export function withAsk({ withoutMessages }: { withoutMessages?: boolean }, slash: (name: string) => string): string {
  return withoutMessages ? ` with ${slash('ask')}` : '';
}
