import type { Outgoing, Piece, ShownChoice } from '../../ports/chatApp.ts';
import { codePoints } from '../shared/graphemes.ts';
import { NOTHING_TO_SEE } from '../shared/labels.ts';
import { isBlank } from '../shared/rich.ts';
import { splitRich } from '../shared/split.ts';
import { limits } from './limits.ts';

/** Markdown as it is, with the choices as numbered lines behind it (SPEC 11.4). */
export function render(outgoing: Outgoing): Piece[] {
  return renderWithin(outgoing, limits.textLimit);
}

/** As `render`, under another limit. @param limit in code points. */
export function renderWithin(outgoing: Outgoing, limit: number): Piece[] {
  const written = outgoing.markdown.toWellFormed();
  const choices = (outgoing.choices ?? []).map(numbered);
  const picking = choices.length > 0 ? [choices.join('\n'), HOW_TO_PICK] : [];
  const text = [isBlank(written) ? '' : written, ...picking].filter(Boolean).join('\n\n') || NOTHING_TO_SEE;
  const rich = { text, spans: [], borders: bordersOf(text) };
  return splitRich(rich, limit, codePoints).map((piece) => ({
    body: { text: piece.text },
    plain: { text: piece.text },
  }));
}

const HOW_TO_PICK = 'Answer with a number to choose.';

function numbered({ label }: ShownChoice, index: number): string {
  return `${index + 1}. ${label.toWellFormed()}`;
}

function bordersOf(text: string): number[] {
  return [...text.matchAll(/\n\s*\n/g)].map((match) => match.index + match[0].length);
}
