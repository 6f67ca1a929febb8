import type { Outgoing, Piece, ShownChoice } from '../../ports/chatApp.ts';
import { cutText } from '../shared/graphemes.ts';
import { drawMarkdown } from '../shared/markdown.ts';
import { rememberedWithin } from '../shared/remembered.ts';
import { plainRich, type Rich } from '../shared/rich.ts';
import { splitRich } from '../shared/split.ts';
import { type Written, writeWithin } from '../shared/writeWithin.ts';
import { type Card, cardOf } from './card.ts';
import { CARD_LIMIT_CHARS, CARD_TEXT_LIMIT_CHARS, limits, SUMMARY_LIMIT_CHARS } from './limits.ts';
import { escaped, escapedLength, toTeams } from './markdown.ts';

/** Of an attachment that is a card. */
export const CARD_TYPE = 'application/vnd.microsoft.card.adaptive';

/**
 * Markdown in the dialect of Teams' messages. Choices need a card, which takes the place of the last message: text and
 * card in one would come apart, and Teams would tell the id of neither. What takes a card's place is a card too, since
 * clients go on showing the card where it becomes a text.
 */
export function render(outgoing: Outgoing): Piece[] {
  return renderWithin(outgoing, limits.textLimit);
}

/** As `render`, under another limit. @param limit in UTF-16 units, at least 16. */
export function renderWithin(outgoing: Outgoing, limit: number): Piece[] {
  const { markdown, choices = [], inPlace } = outgoing;
  if (choices.length === 0 && !inPlace) return messagesOf(markdown, limit);
  const rich = drawMarkdown(markdown);
  const pieces = splitRich(rich, limit, escapedLength);
  const last = pieces.pop() ?? rich;
  const cards = splitRich(last, Math.min(limit, CARD_TEXT_LIMIT_CHARS), ({ length }) => length);
  const card = cardPiece(cards.pop() ?? last, choices);
  return [...[...pieces, ...cards].flatMap((piece) => messages(piece, limit)), card];
}

/** Nobody may change them. */
const messagesOf = rememberedWithin((markdown, limit) => messages(drawMarkdown(markdown), limit));

const MARKUP = { write: toTeams, escaped, escapedLength };

function messages(rich: Rich, limit: number): Piece[] {
  return writeWithin(rich, limit, MARKUP).map(messagePiece);
}

function messagePiece({ text, words }: Written): Piece {
  const type = 'message';
  return { body: { type, textFormat: 'markdown', text }, plain: { type, textFormat: 'plain', text: words } };
}

function cardPiece(rich: Rich, choices: readonly ShownChoice[]): Piece {
  const plain = cardOf(plainRich(rich.text), choices);
  const card = cardOf(rich, choices);
  const body = JSON.stringify(card).length <= CARD_LIMIT_CHARS ? card : plain;
  return { body: cardMessage(body, rich.text), plain: cardMessage(plain, rich.text) };
}

/** A message that is a card, with the words that a notification shows. */
export function cardMessage(card: Card, words: string): Record<string, unknown> {
  const summary = cutText(words.replace(/\s+/g, ' ').trim(), SUMMARY_LIMIT_CHARS);
  return { type: 'message', summary, attachments: [{ contentType: CARD_TYPE, content: card }] };
}
