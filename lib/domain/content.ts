import { MESSAGE_LIMIT } from './limits.ts';
import { jsonBytes } from './textSize.ts';
import type { Attachment, Content } from './values.ts';

/** Longest name of a person or a file that is kept, UTF-16 units. */
const NAME_CHARS = 200;
/** What all attachments of a message take together, bytes as JSON. */
const ATTACHMENTS_BYTES = 20_000;

/** JSON writes no UTF-16 unit with more bytes than this. */
const MOST_BYTES_EACH = 6;
const BYTES_EACH = 3;

/**
 * How long texts count together: in UTF-16 units, and where JSON writes these with more than three bytes each, as control
 * characters are, a third of those bytes. So `MESSAGE_LIMIT` bounds the event.
 */
export function sizeOf(...texts: readonly (string | undefined)[]): number {
  const length = texts.reduce((sum, text = '') => sum + text.length, 0);
  if (length * MOST_BYTES_EACH <= MESSAGE_LIMIT * BYTES_EACH) return length;
  const bytes = texts.reduce((sum, text = '') => sum + jsonBytes(text), 0);
  return Math.max(length, Math.ceil(bytes / BYTES_EACH));
}

/** The content with names of a common length, and no more attachments than fit its event: the others are counted. */
export function modest(content: Content): Content {
  const { quote, forwardedFrom, attachments } = content;
  if (!quote && forwardedFrom === undefined && !attachments) return content;
  return {
    ...content,
    ...(quote?.by === undefined ? {} : { quote: { ...quote, by: short(quote.by) } }),
    ...(forwardedFrom === undefined ? {} : { forwardedFrom: short(forwardedFrom) }),
    ...(attachments === undefined ? {} : { attachments: asFit(attachments) }),
  };
}

function short(name: string): string {
  return name.length > NAME_CHARS ? `${name.slice(0, NAME_CHARS - 1).toWellFormed()}…` : name;
}

function asFit(all: readonly Attachment[]): Attachment[] {
  const kept: Attachment[] = [];
  let bytes = 0;
  for (const { name, mimeType, ...one } of all) {
    const attachment = {
      ...one,
      ...(name === undefined ? {} : { name: short(name) }),
      ...(mimeType === undefined ? {} : { mimeType: short(mimeType) }),
    };
    bytes += Buffer.byteLength(JSON.stringify(attachment));
    if (bytes > ATTACHMENTS_BYTES)
      return [...kept, { kind: 'other', name: `${all.length - kept.length} more`, ref: '' }];
    kept.push(attachment);
  }
  return kept;
}
