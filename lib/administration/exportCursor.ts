import * as z from 'zod';
import { badFields } from './problem.ts';

/**
 * Where a page of an export goes on: behind so many of the tenant's own things, behind this person of a channel, or in a
 * place behind this event (null: behind the place).
 */
export type Cursor = { facts: number } | { channel: string; person: string } | PlaceCursor;

/** `at`: when the place began, ms. */
export interface PlaceCursor {
  at: number;
  place: string;
  seq: number | null;
}

const count = z.int().min(0);
const schema = z.union([
  z.strictObject({ facts: count }),
  z.strictObject({ channel: z.string(), person: z.string() }),
  z.strictObject({ at: z.number().min(0), place: z.string().min(1), seq: count.nullable() }),
]);

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws {Problem} if the text is none that a page gave. */
export function readCursor(text: string): Cursor {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw badFields({ field: 'after', reason: 'It has to be what the page before gave.' });
  }
}
