import { type Rich, runsOf, type Span } from '../shared/rich.ts';
import { URL_LIMIT_CHARS } from './limits.ts';

/** A run of text in one look, or a link, of a `rich_text` block. */
export interface RichElement {
  type: 'text' | 'link';
  text: string;
  url?: string;
  style?: Partial<Record<'bold' | 'italic' | 'strike' | 'code', true>>;
}

export interface RichPart {
  type: 'rich_text_section' | 'rich_text_preformatted' | 'rich_text_quote';
  elements: RichElement[];
}

export interface RichBlock {
  type: 'rich_text';
  elements: RichPart[];
}

/** A stretch of text in one part of the block. */
interface Stretch {
  type: RichPart['type'];
  start: number;
  end: number;
}

/**
 * The text as a `rich_text` block: nothing in it is read as markup, so that no character has to be escaped, nobody can be
 * pinged and no name with `_` or `*` changes its look (SPEC 13.1, 13.4; cases 82, 83).
 */
export function richBlock(rich: Rich): RichBlock {
  const stretches = stretchesOf(rich);
  const elements = stretches.flatMap((stretch, n): RichPart[] => {
    const { start, end } = tightened(rich.text, stretch, { first: n === 0, last: n === stretches.length - 1 });
    const isCode = stretch.type === 'rich_text_preformatted';
    return start < end ? [{ type: stretch.type, elements: elementsOf(rich, start, end, isCode) }] : [];
  });
  return { type: 'rich_text', elements };
}

/** The text cut where parts begin and end: code wins over a quotation around it. */
function stretchesOf({ text, spans }: Rich): Stretch[] {
  const blocks = spans.filter(({ style }) => style.kind === 'pre' || style.kind === 'quote');
  const stretches: Stretch[] = [];
  let before: Span | undefined;
  for (const { start, end, around } of runsOf(blocks, 0, text.length)) {
    const span = around.find(({ style }) => style.kind === 'pre') ?? around[0];
    const last = stretches.at(-1);
    if (last && before === span) last.end = end;
    else stretches.push({ type: partType(span), start, end });
    before = span;
  }
  return stretches;
}

function partType(span: Span | undefined): RichPart['type'] {
  if (!span) return 'rich_text_section';
  return span.style.kind === 'pre' ? 'rich_text_preformatted' : 'rich_text_quote';
}

/** Parts stand on lines of their own, so the line breaks between them go. */
function tightened(text: string, { type, start, end }: Stretch, { first, last }: { first: boolean; last: boolean }) {
  if (type !== 'rich_text_section') return { start, end };
  const words = text.slice(start, end);
  const from = first ? 0 : words.length - words.replace(/^\n+/, '').length;
  const to = last ? words.length : words.replace(/\n+$/, '').length;
  return { start: start + from, end: start + Math.max(from, to) };
}

function elementsOf(rich: Rich, start: number, end: number, isCode: boolean): RichElement[] {
  if (isCode) return [{ type: 'text', text: rich.text.slice(start, end) }];
  return runsOf(rich.spans, start, end).map((run) => elementOf(rich.text.slice(run.start, run.end), run.around));
}

function elementOf(text: string, around: readonly Span[]): RichElement {
  let url: string | undefined;
  const style: NonNullable<RichElement['style']> = {};
  for (const { style: look } of around) {
    if (look.kind === 'link') url = look.url;
    else if (look.kind === 'heading') style.bold = true;
    else if (look.kind !== 'pre' && look.kind !== 'quote') style[look.kind] = true;
  }
  const styled = Object.keys(style).length > 0 ? { style } : {};
  return url !== undefined && url.length <= URL_LIMIT_CHARS
    ? { type: 'link', url, text, ...styled }
    : { type: 'text', text, ...styled };
}
