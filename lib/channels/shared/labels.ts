import { cutText } from './graphemes.ts';
import { isBlank } from './rich.ts';

/** Stands where there would be nothing to see, which apps refuse. */
export const NOTHING_TO_SEE = '…';

/** A button's label within the app's limit, in UTF-16 units. */
export function buttonLabel(label: string, limit: number): string {
  return cutText(isBlank(label) ? NOTHING_TO_SEE : label.toWellFormed(), limit);
}

/** A description of any length over several lines as one line, which may be empty. */
export function oneLine(description: string): string {
  return description
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}
