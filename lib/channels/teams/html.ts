import type { Content } from '../../domain/events.ts';

/** Somebody's words that the message repeats, in Teams' HTML. */
export type Repeated = NonNullable<Content['quote']>;

/** A message's HTML, taken apart: the person's own words, what it replies to, and what it forwards. */
export interface ReadHtml {
  own: string;
  /** Their first `/` stands in code or a quotation (SPEC 3.3). */
  quotesSlash?: true;
  reply?: Repeated;
  forward?: Repeated;
}

/** Longer HTML than a message can have, or of more quotations, is not looked through: it would take too long. */
const HTML_LIMIT_CHARS = 200_000;
const QUOTATIONS_LIMIT = 50;
const BLOCKQUOTE = /<blockquote\b([^<>]*)>([\s\S]*?)<\/blockquote>/gi;
const KIND = /schema\.skype\.com\/(reply|forward)/i;
const AUTHOR = /<strong\b[^<>]{0,300}itemprop="?mri[^<>]{0,300}>([^<]*)<\/strong>/i;
const TIME = /<span\b[^<>]{0,300}itemprop="?time[^<>]{0,300}>[^<]*<\/span>/gi;
const MENTION = /<(span|at)\b[^<>]{0,300}(?:schema\.skype\.com\/mention|\bid=)[^<>]{0,300}>([^<]*)<\/\1>/gi;
const CODE_OR_QUOTATION = /^<(\/?)(?:code|codeblock|pre|blockquote)\b/i;
const LINE_END = /<br\b[^<>]*>|<\/(?:p|div|li|blockquote|pre|h[1-6]|tr)>/gi;
const TAG = /<[^<>]*>/g;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Takes a message's HTML apart. Mentions become `<at>name</at>`, as they stand in an activity's text. */
export function readHtml(html: string): ReadHtml {
  const quotations = html.match(/<blockquote\b/gi)?.length ?? 0;
  if (html.length > HTML_LIMIT_CHARS || quotations > QUOTATIONS_LIMIT) return { own: '' };
  const found: Pick<ReadHtml, 'reply' | 'forward'> = {};
  const own = html.replace(BLOCKQUOTE, (whole: string, attributes: string, inner: string) => {
    const kind = KIND.exec(attributes)?.[1]?.toLowerCase();
    if (kind === undefined) return whole;
    found[kind === 'reply' ? 'reply' : 'forward'] = repeated(inner);
    return '';
  });
  return { own: htmlWords(own), ...(slashIsQuoted(own) && { quotesSlash: true }), ...found };
}

/** Whether the first `/` that is read, but for names, stands in code or a quotation. */
function slashIsQuoted(html: string): boolean {
  const unnamed = html.replace(MENTION, '');
  let [depth, from] = [0, 0];
  for (const tag of unnamed.matchAll(TAG)) {
    if (decoded(unnamed.slice(from, tag.index)).includes('/')) break;
    const block = CODE_OR_QUOTATION.exec(tag[0]);
    if (block) depth += block[1] ? -1 : 1;
    from = tag.index + tag[0].length;
  }
  return depth > 0;
}

function repeated(html: string): Repeated {
  const by = decoded(AUTHOR.exec(html)?.[1] ?? '').trim();
  const text = htmlWords(html.replace(AUTHOR, '').replace(TIME, ''));
  return { ...(by && { by }), text };
}

/** Mentions outlive the tags as what the tags' signs are written as. */
function htmlWords(html: string): string {
  const marked = html.replace(MENTION, '&lt;at&gt;$2&lt;/at&gt;').replace(/\r?\n/g, ' ');
  const words = decoded(marked.replace(LINE_END, '\n').replace(TAG, ''));
  return words.replace(/[ \t]*\n[ \t]*/g, '\n').trim();
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '';
  });
}
