import type { Attachment, Content } from '../../domain/events.ts';
import type { TelegramFile, TelegramMessage, TelegramOrigin, TelegramUser } from './payload.ts';

const FILE_KINDS = {
  document: 'file',
  audio: 'audio',
  voice: 'audio',
  video: 'video',
  video_note: 'video',
  sticker: 'other',
} as const satisfies Record<string, Attachment['kind']>;
/** Things without a file: the person gets an answer to them too. */
const OTHER_KINDS = ['contact', 'dice', 'location', 'poll', 'venue', 'checklist', 'story'] as const;

/** The name to show for a user; undefined if Telegram gives none. */
export function userName(user: TelegramUser | undefined): string | undefined {
  const full = [user?.first_name, user?.last_name].filter(Boolean).join(' ');
  return full || user?.username;
}

/**
 * What the message holds; undefined for a service message, which holds nothing of a person.
 * @param botId the bot's own user id: in a private chat its words are in the conversation already, so a reply to them quotes
 * nothing. In a group they may be an answer that somebody else got.
 */
export function contentOf(message: TelegramMessage, botId: string | undefined): Content | undefined {
  const attachments = attachmentsOf(message);
  if (message.text === undefined && attachments.length === 0) return undefined;
  const content: Content = { text: message.text ?? message.caption ?? '' };
  const quote = quoteOf(message, botId);
  if (quote) content.quote = quote;
  if (message.forward_origin) content.forwardedFrom = originName(message.forward_origin) ?? 'somebody';
  if (attachments.length > 0) content.attachments = attachments;
  return content;
}

function attachmentsOf(message: TelegramMessage): Attachment[] {
  const attachments: Attachment[] = [];
  const largestPhoto = message.photo?.at(-1);
  if (largestPhoto) attachments.push(attachment('image', largestPhoto));
  // An animation comes with the same file as a document, for old clients.
  if (message.animation) attachments.push(attachment('video', message.animation));
  for (const [field, kind] of Object.entries(FILE_KINDS)) {
    if (field === 'document' && message.animation) continue;
    const file = message[field as keyof typeof FILE_KINDS];
    // A sticker's file has no name.
    if (file) attachments.push({ ...(field === 'sticker' ? { name: field } : {}), ...attachment(kind, file) });
  }
  for (const field of OTHER_KINDS) {
    if (message[field] !== undefined) attachments.push({ kind: 'other', name: field, ref: '' });
  }
  return attachments;
}

function attachment(kind: Attachment['kind'], file: TelegramFile): Attachment {
  return {
    kind,
    ...(file.file_name !== undefined && { name: file.file_name }),
    ...(file.mime_type !== undefined && { mimeType: file.mime_type }),
    ...(file.file_size !== undefined && { sizeBytes: file.file_size }),
    ref: file.file_id,
  };
}

/** Words that the person chose to quote, else the words of somebody else that they replied to (SPEC 3.3). */
function quoteOf(message: TelegramMessage, botId: string | undefined): Content['quote'] {
  const replied = message.reply_to_message;
  const by = replied ? authorOf(replied) : message.external_reply && originName(message.external_reply.origin);
  const text = quotedText(message, botId);
  if (!text) return undefined;
  return by === undefined ? { text } : { text, by };
}

function quotedText(message: TelegramMessage, botId: string | undefined): string | undefined {
  if (message.quote?.is_manual) return message.quote.text;
  const replied = message.reply_to_message;
  if (!replied) return message.quote?.text;
  const isOwnAnswer = message.chat.type === 'private' && botId !== undefined && String(replied.from?.id) === botId;
  if (isOwnAnswer) return undefined;
  return replied.text ?? replied.caption;
}

function authorOf(replied: NonNullable<TelegramMessage['reply_to_message']>): string | undefined {
  return replied.sender_chat?.title ?? userName(replied.from);
}

function originName(origin: TelegramOrigin | undefined): string | undefined {
  return userName(origin?.sender_user) ?? origin?.sender_user_name ?? (origin?.sender_chat ?? origin?.chat)?.title;
}
