import type { Rich, Span } from '../shared/rich.ts';
import { ENTITY_LIMIT } from './limits.ts';

/** A formatting entity as the Bot API takes it; offsets in UTF-16 units. */
export interface MessageEntity {
  type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'pre' | 'blockquote' | 'text_link';
  offset: number;
  length: number;
  language?: string;
  url?: string;
}

type Mark = Pick<MessageEntity, 'type' | 'language' | 'url'>;
type Ranged = Mark & { start: number; end: number };

const JOINER = '\u2060';
/** A name behind `@` as Telegram reads it, also behind a command (`/ban@some_bot`), where a tap would send it. */
const NAME = /(?<=(?<![\p{L}\p{N}_])@|(?<![\p{L}\p{N}_/])\/\w{1,64}@)(?=\w{2})/gu;

/** Where a joiner keeps a name from being a mention of somebody or a command for another bot (SPEC 13.4). */
function namePositions(text: string): number[] {
  return text.includes('@') ? [...text.matchAll(NAME)].map((match) => match.index) : [];
}

/** The text in which no name is a mention, whatever its formatting. */
export function withoutMentions(text: string): string {
  return text.includes('@') ? text.replace(NAME, JOINER) : text;
}

/** The text and its entities as Telegram takes them. Names in code are left alone, since they mention nobody there. */
export function toEntities(rich: Rich): { text: string; entities: MessageEntity[] } {
  const ranges = nested(rich.spans.map(ranged));
  const isCode = ({ type }: Mark) => type === 'code' || type === 'pre';
  const codes = ranges.filter(isCode);
  const joints = namePositions(rich.text).filter((at) => !codes.some(({ start, end }) => start < at && at <= end));
  const moved = (offset: number, isEnd: boolean) =>
    offset + joints.filter((at) => (isEnd ? at < offset : at <= offset)).length;
  const entities = ranges.map(({ start, end, ...mark }) => {
    const offset = moved(start, false);
    return { ...mark, offset, length: moved(end, true) - offset };
  });
  return { text: joined(rich.text, joints), entities: mostWanted(entities) };
}

function joined(text: string, joints: readonly number[]): string {
  const cuts = [0, ...joints, text.length];
  return cuts
    .slice(1)
    .map((cut, i) => text.slice(cuts[i], cut))
    .join(JOINER);
}

function ranged({ start, end, style }: Span): Ranged {
  switch (style.kind) {
    case 'heading':
      return { type: 'bold', start, end };
    case 'strike':
      return { type: 'strikethrough', start, end };
    case 'quote':
      return { type: 'blockquote', start, end };
    case 'link':
      return { type: 'text_link', url: style.url, start, end };
    case 'pre':
      return { type: 'pre', start, end, ...(style.language !== undefined && { language: style.language }) };
    default:
      return { type: style.kind, start, end };
  }
}

/**
 * Telegram's rules of nesting: code holds nothing and stands in a quotation at most, a quotation in no other, a style in
 * none of its own kind. A link wins over code in it, code over other styles around it.
 */
function nested(ranges: readonly Ranged[]): Ranged[] {
  const links = ranges.filter(({ type }) => type === 'text_link');
  const isInside = (inner: Ranged, outer: Ranged) =>
    inner !== outer && outer.start <= inner.start && inner.end <= outer.end;
  const kept = ranges.filter((range, index) => {
    if (range.type === 'code' && links.some((link) => isInside(range, link))) return false;
    return !ranges.slice(0, index).some((outer) => outer.type === range.type && isInside(range, outer));
  });
  const codes = kept.filter(({ type }) => type === 'code' || type === 'pre');
  return kept.flatMap((range) =>
    range.type === 'blockquote' || codes.includes(range) ? [range] : outsideOf(range, codes),
  );
}

/** The parts of a range that no code stands in. */
function outsideOf(range: Ranged, codes: readonly Ranged[]): Ranged[] {
  const parts: Ranged[] = [];
  let start = range.start;
  for (const code of codes) {
    if (code.end <= start || code.start >= range.end) continue;
    if (code.start > start) parts.push({ ...range, start, end: code.start });
    start = code.end;
  }
  if (start < range.end) parts.push({ ...range, start });
  return parts;
}

/** At most the number of entities that take effect: links and code first, since without them something is lost. */
function mostWanted(entities: MessageEntity[]): MessageEntity[] {
  if (entities.length <= ENTITY_LIMIT) return entities;
  const rank = ({ type }: MessageEntity) => (type === 'text_link' || type === 'pre' || type === 'code' ? 0 : 1);
  const wanted = entities.toSorted((a, b) => rank(a) - rank(b)).slice(0, ENTITY_LIMIT);
  return wanted.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
}
