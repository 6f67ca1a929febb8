import { shownText, strangeIn } from './teamsText.ts';

/**
 * What Teams refuses of an activity, by the code of its error; undefined for what it takes. Stricter than Teams: text and
 * a card in one (Teams would split them), formatting that it does not show, and anything that could mention somebody or
 * lead somewhere are refused too.
 */

export type Params = Record<string, unknown>;

/** Bytes of a message in UTF-16. */
const SIZE_LIMIT_BYTES = 80_000;
const CARD_LIMIT_BYTES = 28_000;
const ACTIONS_LIMIT = 6;
const CARD = 'application/vnd.microsoft.card.adaptive';
const VERSION = '1.5';
const FIELDS = new Set(['type', 'id', 'text', 'textFormat', 'summary', 'attachments']);
const LOOKS = new Set(['weight', 'italic', 'strikethrough', 'fontType', 'isSubtle']);

const bytesOf = (value: unknown) => 2 * JSON.stringify(value).length;

/** Why Teams refuses it: status and code. */
export interface Refused {
  status: number;
  code: string;
}

export function refusedActivity(activity: Params): Refused | undefined {
  const bad = (what: string): Refused => ({ status: 400, code: `Bad Argument ${what}` });
  const strange = Object.keys(activity).find((name) => !FIELDS.has(name));
  if (strange !== undefined) return bad(strange);
  if (bytesOf(activity) > SIZE_LIMIT_BYTES) return { status: 413, code: 'MessageSizeTooBig' };
  const { type, text, textFormat, attachments, summary } = activity;
  if (type === 'typing') return Object.keys(activity).length === 1 ? undefined : bad('typing');
  if (type !== 'message') return bad('type');
  if ((text === undefined) === (attachments === undefined)) return bad('text and attachments');
  if (text === undefined) return isText(summary) ? refusedCard(attachments, bad) : bad('summary');
  if (!isText(text)) return bad('text');
  if (textFormat === 'plain') return undefined;
  if (textFormat !== 'markdown') return bad('textFormat');
  const [kind] = strangeIn(text as string);
  return kind === undefined ? undefined : bad(`text with ${kind}`);
}

function refusedCard(attachments: unknown, bad: (what: string) => Refused): Refused | undefined {
  const [attachment, ...more] = attachments as Params[];
  if (!attachment || more.length > 0 || attachment.contentType !== CARD) return bad('attachments');
  const fault = cardFault(attachment.content as Params);
  return fault === undefined ? undefined : bad(fault);
}

/** What is wrong with a card; undefined if nothing is. */
export function cardFault(card: Params): string | undefined {
  const { type, $schema: _schema, version, body, actions = [], msteams: _width, ...more } = card ?? {};
  if (type !== 'AdaptiveCard' || Object.keys(more).length > 0) return 'card';
  if (version !== VERSION) return 'card version';
  if (bytesOf(card) > CARD_LIMIT_BYTES) return 'card size';
  if (!Array.isArray(body) || body.length === 0 || !body.every(isElement)) return 'card body';
  if (!Array.isArray(actions) || actions.length > ACTIONS_LIMIT) return 'card actions';
  return actions.every(isAction) ? undefined : 'card action';
}

function isElement({ type, inlines, id, isVisible, isMultiline: _lines, value, ...more }: Params): boolean {
  if (Object.keys(more).length > 0) return false;
  if (type === 'Input.Text') return isText(id) && isVisible === false && typeof value === 'string';
  return type === 'RichTextBlock' && Array.isArray(inlines) && inlines.length > 0 && inlines.every(isRun);
}

function isRun({ type, text, ...looks }: Params): boolean {
  return (
    type === 'TextRun' && typeof text === 'string' && text !== '' && Object.keys(looks).every((look) => LOOKS.has(look))
  );
}

function isAction({ type, title, verb, data, style, ...more }: Params): boolean {
  const isStyled = style === undefined || style === 'positive' || style === 'destructive';
  const isKnown = type === 'Action.Execute' && isText(verb) && Object.keys(more).length === 0;
  return isKnown && isStyled && isText(title) && String(title).length <= 80 && typeof data === 'object';
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.isWellFormed();
}

/** A button of a message. */
export interface Button {
  title: string;
  data: Params;
}

/** The card of a message; undefined for a text. */
export function cardIn({ attachments }: Params): Params | undefined {
  return (attachments as { content: Params }[] | undefined)?.[0]?.content;
}

export function buttonsOf(activity: Params): Button[] {
  return ((cardIn(activity)?.actions ?? []) as Button[]).map(({ title, data }) => ({ title, data }));
}

/** What a press of the card's buttons brings along: the values of its fields. */
export function fieldsOf(activity: Params): Params {
  const fields = ((cardIn(activity)?.body ?? []) as Params[]).filter(({ type }) => type === 'Input.Text');
  return Object.fromEntries(fields.map(({ id, value }) => [id, value]));
}

/** The words that people read of a message. */
export function shownWords(activity: Params): string {
  const { text, textFormat } = activity;
  const card = cardIn(activity);
  if (card) return cardWords(card);
  return textFormat === 'markdown' ? shownText(String(text)) : String(text);
}

/** The words that people read of a card. */
export function cardWords(card: Params): string {
  const blocks = (card.body as { type: string; inlines?: { text: string }[] }[]).filter(
    ({ type }) => type === 'RichTextBlock',
  );
  return blocks.map(({ inlines = [] }) => inlines.map(({ text }) => text).join('')).join('\n\n');
}
