import type { Rich } from './rich.ts';
import { type Measure, splitRich } from './split.ts';

/** An app's own markup. */
export interface Markup {
  /** A drawn text with its marks. */
  write(rich: Rich): string;
  /** A text that the app shows as it is. */
  escaped(text: string): string;
  /** How long a text becomes at most when it is escaped, in UTF-16 units; a longer text never counts less. */
  escapedLength: Measure;
}

/** A stretch as it is written, and its words. */
export interface Written {
  text: string;
  words: string;
}

/** More than half: both ends of a cut at a border fit then, and no few words are left over. */
const PART = 0.6;
const LEAST_CHARS = 40;

/** Splits a drawn text so that each piece fits with its marks. @param limit in UTF-16 units, at least 16. */
export function writeWithin(rich: Rich, limit: number, markup: Markup): Written[] {
  return splitRich(rich, limit, markup.escapedLength).flatMap((piece) => fitted(piece, limit, markup));
}

/** A stretch that is too long with its marks is cut once more; one too short for that goes without them. */
function fitted(rich: Rich, limit: number, markup: Markup): Written[] {
  const text = markup.write(rich);
  if (text.length <= limit) return [{ text, words: rich.text }];
  const part = Math.floor(markup.escapedLength(rich.text) * PART);
  if (part < LEAST_CHARS) return [{ text: markup.escaped(rich.text), words: rich.text }];
  return splitRich(rich, part, markup.escapedLength).flatMap((piece) => fitted(piece, limit, markup));
}
