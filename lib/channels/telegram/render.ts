import type { Outgoing, Piece, ShownChoice } from '../../ports/chatApp.ts';
import { codePoints } from '../shared/graphemes.ts';
import { buttonLabel } from '../shared/labels.ts';
import { drawMarkdown } from '../shared/markdown.ts';
import { rememberedWithin } from '../shared/remembered.ts';
import { splitRich } from '../shared/split.ts';
import { toEntities, withoutMentions } from './entities.ts';
import { CALLBACK_DATA_LIMIT_BYTES, limits } from './limits.ts';

/** How much of labels stands in one row of buttons, in characters; a button counts 4 more. */
const ROW_WIDTH_CHARS = 32;
const LABEL_LIMIT_CHARS = 64;

const NO_PREVIEW = { link_preview_options: { is_disabled: true } } as const;

/**
 * Markdown as text with entities, which Telegram cannot fail to parse, and without previews, which would fetch what the
 * model wrote. The choices become buttons under the last piece.
 */
export function render(outgoing: Outgoing): Piece[] {
  return renderWithin(outgoing, limits.textLimit);
}

/** As `render`, under another limit. @param limit in code points, at least 16. */
export function renderWithin(outgoing: Outgoing, limit: number): Piece[] {
  const pieces = piecesOf(outgoing.markdown, limit);
  return pieces.map(({ text, entities, plain }, index) => {
    const keyboard = index === pieces.length - 1 ? keyboardOf(outgoing.choices ?? []) : {};
    return {
      body: {
        text,
        ...(entities.length > 0 && { entities }),
        ...NO_PREVIEW,
        ...keyboard,
        ...(outgoing.onlyFor && { ephemeral_message_parameters: { receiver_user_id: Number(outgoing.onlyFor) } }),
      },
      plain: { text: plain, ...NO_PREVIEW, ...keyboard },
    };
  });
}

/** The words of each piece, as they are sent. */
const piecesOf = rememberedWithin((markdown, limit) => {
  const pieces = splitRich(drawMarkdown(markdown), limit, (text) => codePoints(withoutMentions(text)));
  return pieces.map((piece) => ({ ...toEntities(piece), plain: withoutMentions(piece.text) }));
});

interface Button {
  text: string;
  callback_data: string;
  style?: 'primary' | 'danger';
}

/** The buttons in rows, in order. A value that does not fit into a button is left out: Telegram would refuse them all. */
function keyboardOf(choices: readonly ShownChoice[]): { reply_markup?: { inline_keyboard: Button[][] } } {
  const rows: Button[][] = [];
  let used = 0;
  for (const { label, value, style } of choices) {
    if (!value || Buffer.byteLength(value) > CALLBACK_DATA_LIMIT_BYTES) continue;
    const text = buttonLabel(label, LABEL_LIMIT_CHARS);
    const width = codePoints(text) + 4;
    const row = rows.at(-1);
    const button = { text, callback_data: value, ...(style && { style }) };
    if (row && used + width <= ROW_WIDTH_CHARS) row.push(button);
    else rows.push([button]);
    used = row && used + width <= ROW_WIDTH_CHARS ? used + width : width;
  }
  return rows.length > 0 ? { reply_markup: { inline_keyboard: rows } } : {};
}
