import type { Outgoing, Piece, ShownChoice } from '../../ports/chatApp.ts';
import { buttonLabel } from '../shared/labels.ts';
import { drawMarkdown } from '../shared/markdown.ts';
import { rememberedWithin } from '../shared/remembered.ts';
import { splitRich } from '../shared/split.ts';
import { ACTIONS_LIMIT, LABEL_LIMIT_CHARS, limits, VALUE_LIMIT_CHARS } from './limits.ts';
import { richBlock } from './richText.ts';
import { escaped } from './text.ts';

/**
 * Markdown as a `rich_text` block, with its words as the text that notifications show. The choices become buttons under
 * the last piece. `user` is the one person that a piece is for.
 */
export function render(outgoing: Outgoing): Piece[] {
  return renderWithin(outgoing, limits.textLimit);
}

/** As `render`, under another limit. @param limit in UTF-16 units of the escaped text, at least 16. */
export function renderWithin(outgoing: Outgoing, limit: number): Piece[] {
  const pieces = piecesOf(outgoing.markdown, limit);
  const forOne = outgoing.onlyFor ? { user: outgoing.onlyFor } : {};
  return pieces.map(({ text, block, plain }, index) => {
    const isLast = index === pieces.length - 1;
    const buttons = isLast && outgoing.choices ? buttonBlocks(outgoing.choices) : [];
    return {
      body: { text, blocks: [block, ...buttons], ...forOne },
      plain: { text, ...(buttons.length > 0 && { blocks: [plainBlock(plain), ...buttons] }), ...forOne },
    };
  });
}

/** The words of each piece, as they are sent. */
const piecesOf = rememberedWithin((markdown, limit) => {
  const pieces = splitRich(drawMarkdown(markdown), limit, (text) => escaped(text).length);
  return pieces.map((piece) => ({ text: escaped(piece.text), block: richBlock(piece), plain: piece.text }));
});

/** Words that Slack reads nothing into, beside buttons: with blocks, the text alone would not show. */
function plainBlock(text: string) {
  return { type: 'section', text: { type: 'plain_text', text } };
}

/** A value that does not fit into a button is left out: Slack would refuse them all. */
function buttonBlocks(choices: readonly ShownChoice[]): Record<string, unknown>[] {
  const buttons = choices
    .filter(({ value }) => value !== '' && value.length <= VALUE_LIMIT_CHARS)
    .map(({ label, value, style }, n) => ({
      type: 'button',
      action_id: `choice-${n}`,
      text: { type: 'plain_text', text: buttonLabel(label, LABEL_LIMIT_CHARS) },
      value,
      ...(style && { style }),
    }));
  const rows = Math.ceil(buttons.length / ACTIONS_LIMIT);
  return Array.from({ length: rows }, (_, n) => ({
    type: 'actions',
    elements: buttons.slice(n * ACTIONS_LIMIT, (n + 1) * ACTIONS_LIMIT),
  }));
}
