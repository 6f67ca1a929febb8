import type { Attachment, Content } from '../../domain/events.ts';
import { jsonIn } from '../../domain/json.ts';
import { asObject } from '../shared/json.ts';
import { type Shape, shaped } from '../shared/shape.ts';
import { type ReadHtml, type Repeated, readHtml } from './html.ts';
import {
  type Activity,
  fileInfoShape,
  mentionShape,
  quotedReplyShape,
  type TeamsAttachment,
  type TeamsMention,
  type TeamsQuote,
} from './payload.ts';

/** A file that was chosen in the message box; the other kinds of attachment are cards and the message's own HTML. */
const FILE = 'application/vnd.microsoft.teams.file.download.info';
const FORWARD = 'forwardedMessageReference';
const HTML = 'text/html';
const KINDS: Record<string, Attachment['kind']> = { image: 'image', audio: 'audio', video: 'video' };

/** Marks the place of a quotation in the text; what is quoted stands in an entity. */
const QUOTE_PLACE = /<quoted\b[^<>]*>(?:<\/quoted>)?/gi;

/** What a message says. */
export interface Said {
  /** The person's own new words, with mentions as `<at>name</at>`. */
  own: string;
  /** The own words' first `/` stands in code or a quotation. */
  quotesSlash?: true;
  quote?: Repeated;
  forward?: Repeated;
  attachments: Attachment[];
  mentions: TeamsMention[];
  /** Whose message it replies to, where Teams tells. */
  repliesTo?: string;
}

/** Takes a message apart. Where its HTML repeats somebody's words, the plain text does too, so that its own are read there. */
export function readSaid(activity: Activity): Said {
  const attachments = activity.attachments ?? [];
  const entities = activity.entities ?? [];
  const quoted = fitting(entities, quotedReplyShape)[0]?.quotedReply;
  const html = attachments.find(({ contentType }) => contentType === HTML)?.content;
  const { own, quotesSlash, reply, forward }: ReadHtml = typeof html === 'string' ? readHtml(html) : { own: '' };
  const plain = (activity.text ?? '').replace(QUOTE_PLACE, '').replaceAll('&nbsp;', ' ');
  const forwarded = forward ?? forwardOf(attachments);
  const quote = quoted ? quoteOf(quoted) : reply;
  return {
    own: (reply || forward ? own : plain).replaceAll('\u00a0', ' '),
    ...(quotesSlash && { quotesSlash }),
    ...(quote && quote.text !== '' && { quote }),
    ...(forwarded && { forward: forwarded }),
    attachments: attachments.flatMap(attachmentOf),
    mentions: fitting(entities, mentionShape),
    ...(quoted?.senderId && { repliesTo: quoted.senderId }),
  };
}

/** The words as the model reads them; undefined if nothing was said. */
export function contentOf(said: Said, words: string): Content | undefined {
  const { quote, forward, attachments } = said;
  const files = attachments.length > 0 ? { attachments } : {};
  if (forward) {
    const text = [words, forward.text].filter(Boolean).join('\n\n');
    if (text === '' && attachments.length === 0) return undefined;
    return { text, forwardedFrom: forward.by ?? 'somebody', ...files };
  }
  if (words.trim() === '' && attachments.length === 0) return undefined;
  return { text: words, ...(quote && { quote }), ...files };
}

/** The text with each mention as the name that people see. */
export function withNames(text: string, mentions: readonly TeamsMention[]): string {
  const named = mentions.reduce((words, mention) => words.replaceAll(mention.text, `@${nameOf(mention)}`), text);
  return named.replace(/<at\b[^<>]*>([^<]*)<\/at>/gi, '@$1');
}

/** The name that a mention shows. */
function nameOf({ mentioned, text }: TeamsMention): string {
  return text.replace(/<[^<>]*>/g, '').trim() || mentioned.name || mentioned.id;
}

/** Those of the values that fit the shape. */
function fitting<T>(values: readonly unknown[], shape: Shape<T>): T[] {
  return values.flatMap((value) => {
    const one = shaped(shape, value);
    return one.ok ? [one.value] : [];
  });
}

function quoteOf({ preview, senderName }: TeamsQuote): Repeated {
  return { text: preview ?? '', ...(senderName && { by: senderName }) };
}

/** A forward that stands beside the message. */
function forwardOf(attachments: readonly TeamsAttachment[]): Repeated | undefined {
  const found = attachments.find(({ contentType }) => contentType === FORWARD);
  if (!found) return undefined;
  const content = typeof found.content === 'string' ? jsonIn(found.content) : found.content;
  const { originalMessageContent: html, originalMessageSender: sender } = asObject(content);
  const by = asObject(asObject(sender).user).displayName;
  return { text: typeof html === 'string' ? readHtml(html).own : '', ...(typeof by === 'string' && by && { by }) };
}

function attachmentOf({ contentType, name, contentUrl, content }: TeamsAttachment): Attachment[] {
  const type = contentType ?? '';
  const named = name ? { name } : {};
  if (type === FILE) {
    const info = shaped(fileInfoShape, content);
    return [{ kind: 'file', ...named, ref: (info.ok && info.value.uniqueId) || name || 'file' }];
  }
  const kind = KINDS[type.split('/')[0] ?? ''];
  return kind
    ? [{ kind, ...named, mimeType: type, ref: contentUrl?.startsWith('http') ? contentUrl : (name ?? kind) }]
    : [];
}
