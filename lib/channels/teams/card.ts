import type { ShownChoice } from '../../ports/chatApp.ts';
import { buttonLabel } from '../shared/labels.ts';
import { isBlank, type Rich, type Run, runsOf } from '../shared/rich.ts';
import { CARD_VERSION, LABEL_LIMIT_CHARS, limits } from './limits.ts';

/** A run of text in one look. Nothing in it is read as markup. */
export interface TextRun {
  type: 'TextRun';
  text: string;
  weight?: 'bolder';
  italic?: true;
  strikethrough?: true;
  fontType?: 'monospace';
  isSubtle?: true;
}

type Element = Record<string, unknown>;

/** An adaptive card of ours. */
export interface Card extends Element {
  type: 'AdaptiveCard';
  body: Element[];
  actions?: Element[];
}

/** Name of the field that nobody sees: it holds the card's words, since a press does not tell them. */
const SHOWN = 'shown';
const STYLES = { primary: 'positive', danger: 'destructive' } as const;

/** A drawn text and choices as a card. Links are spelled: a card opens no address that a model wrote (SPEC 13.4). */
export function cardOf(rich: Rich, choices: readonly ShownChoice[]): Card {
  const actions = choices
    .filter(({ value }) => value !== '')
    .slice(0, limits.buttonLimit)
    .map(actionOf);
  return {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: CARD_VERSION,
    body: [...paragraphsOf(rich), ...(actions.length > 0 ? [wordsField(rich.text)] : [])],
    ...(actions.length > 0 && { actions }),
    msteams: { width: 'Full' },
  };
}

function actionOf({ label, value, style }: ShownChoice): Element {
  return {
    type: 'Action.Execute',
    title: buttonLabel(label, LABEL_LIMIT_CHARS),
    verb: 'choice',
    data: { press: value },
    ...(style && { style: STYLES[style] }),
  };
}

function wordsField(text: string): Element {
  return { type: 'Input.Text', id: SHOWN, isVisible: false, isMultiline: true, value: text };
}

/** Paragraphs are elements of their own; within one a line's end is in the text. */
function paragraphsOf(rich: Rich): Element[] {
  const elements: Element[] = [];
  for (const match of rich.text.matchAll(/[^\n]+(?:\n[^\n]+)*/g)) {
    const start = match.index;
    const runs = runsOf(rich.spans, start, start + match[0].length);
    const inlines = runs.map((run) => textRun(rich.text, run));
    if (!isBlank(match[0])) elements.push({ type: 'RichTextBlock', inlines });
  }
  return elements;
}

/** A link is spelled where it ends. */
function textRun(text: string, { start, end, around }: Run): TextRun {
  const run: TextRun = { type: 'TextRun', text: text.slice(start, end) };
  for (const { style } of around) {
    if (style.kind === 'bold' || style.kind === 'heading') run.weight = 'bolder';
    else if (style.kind === 'italic') run.italic = true;
    else if (style.kind === 'strike') run.strikethrough = true;
    else if (style.kind === 'quote') run.isSubtle = true;
    else if (style.kind !== 'link') run.fontType = 'monospace';
  }
  const link = around.find(({ style, end: last }) => style.kind === 'link' && last === end);
  if (link?.style.kind === 'link' && !isItself(text.slice(link.start, link.end), link.style.url)) {
    run.text += ` (${link.style.url})`;
  }
  return run;
}

function isItself(words: string, url: string): boolean {
  return words === url || `${words}/` === url;
}
