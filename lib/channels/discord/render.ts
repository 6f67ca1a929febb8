import type { Outgoing, Piece, ShownChoice } from '../../ports/chatApp.ts';
import { buttonLabel } from '../shared/labels.ts';
import { drawMarkdown } from '../shared/markdown.ts';
import { rememberedWithin } from '../shared/remembered.ts';
import { writeWithin } from '../shared/writeWithin.ts';
import { EPHEMERAL } from './address.ts';
import { NO_MENTIONS } from './answers.ts';
import { BUTTON_LABEL_LIMIT_CHARS, BUTTONS_IN_A_ROW, CUSTOM_ID_LIMIT_CHARS, limits } from './limits.ts';
import { escaped, escapedLength, toDiscord } from './markdown.ts';

/** A message shows no previews, which would fetch what the model wrote. */
const SUPPRESS_EMBEDS = 4;
const ROW = 1;
const BUTTON = 2;
const STYLES = { primary: 1, danger: 4, none: 2 } as const;

/**
 * Markdown in Discord's own, in which nobody is mentioned. The choices become buttons under the last piece. Without
 * formatting the same words are escaped: Discord has no other way to show them as they are.
 */
export function render(outgoing: Outgoing): Piece[] {
  return renderWithin(outgoing, limits.textLimit);
}

/** As `render`, under another limit. @param limit in UTF-16 units, at least 16. */
export function renderWithin(outgoing: Outgoing, limit: number): Piece[] {
  const pieces = piecesOf(outgoing.markdown, limit);
  return pieces.map(({ content, plain }, index) => {
    const isLast = index === pieces.length - 1;
    const common = {
      flags: SUPPRESS_EMBEDS + (outgoing.onlyFor ? EPHEMERAL : 0),
      components: isLast && outgoing.choices ? rowsOf(outgoing.choices) : [],
      ...NO_MENTIONS,
    };
    return { body: { content, ...common }, plain: { content: plain, ...common } };
  });
}

/** The words of each piece, as they are sent. */
const piecesOf = rememberedWithin((markdown, limit) =>
  writeWithin(drawMarkdown(markdown), limit, MARKUP).map(({ text, words }) => ({
    content: text,
    plain: escaped(words),
  })),
);

const MARKUP = { write: toDiscord, escaped, escapedLength };

/** Rows of buttons, in order. A value that does not fit into a button is left out: Discord would refuse them all. */
function rowsOf(choices: readonly ShownChoice[]): Record<string, unknown>[] {
  const buttons = choices
    .filter(({ value }) => value !== '' && value.length <= CUSTOM_ID_LIMIT_CHARS)
    .slice(0, limits.buttonLimit)
    .map(({ label, value, style }) => ({
      type: BUTTON,
      style: STYLES[style ?? 'none'],
      label: buttonLabel(label, BUTTON_LABEL_LIMIT_CHARS),
      custom_id: value,
    }));
  const rows = Math.ceil(buttons.length / BUTTONS_IN_A_ROW);
  return Array.from({ length: rows }, (_, n) => ({
    type: ROW,
    components: buttons.slice(n * BUTTONS_IN_A_ROW, (n + 1) * BUTTONS_IN_A_ROW),
  }));
}
