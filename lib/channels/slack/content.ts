import type { Attachment, Content } from '../../domain/events.ts';
import type { SlackAttachment, SlackFile, SlackMessage } from './payload.ts';
import { shownText } from './text.ts';

/** Who the bot is, for its own name in texts. */
export type Bot = { id?: string | undefined; username?: string | undefined };

/** What the message holds; undefined if that is nothing. A shared message is quoted, or a forward without own words. */
export function contentOf(message: SlackMessage, bot: Bot): Content | undefined {
  const own = shownText(message.text ?? '', bot);
  const shared = message.attachments?.find(({ is_share: isShare }) => isShare);
  const attachments = (message.files ?? []).map(attachmentOf);
  const content = shared ? withShared(own, shared, bot) : { text: own };
  if (content.text.trim() === '' && attachments.length === 0) return undefined;
  return attachments.length > 0 ? { ...content, attachments } : content;
}

/** A forward of somebody's message without a word of the person's own. */
export function isForward({ text, attachments }: SlackMessage): boolean {
  return (text ?? '').trim() === '' && (attachments ?? []).some(({ is_share: isShare }) => isShare);
}

function withShared(own: string, shared: SlackAttachment, bot: Bot): Content {
  const text = shownText(shared.text ?? shared.fallback ?? '', bot);
  const by = shared.author_name;
  if (own.trim() === '') return { text, forwardedFrom: by || 'somebody' };
  if (text === '') return { text: own };
  return { text: own, quote: by ? { text, by } : { text } };
}

const KINDS: Record<string, Attachment['kind']> = { image: 'image', audio: 'audio', video: 'video' };

function attachmentOf({ id, name, mimetype, size }: SlackFile): Attachment {
  return {
    kind: KINDS[mimetype?.split('/')[0] ?? ''] ?? 'file',
    ...(name !== undefined && { name }),
    ...(mimetype !== undefined && { mimeType: mimetype }),
    ...(size !== undefined && { sizeBytes: size }),
    ref: id,
  };
}
