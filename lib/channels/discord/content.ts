import type { Attachment, Content } from '../../domain/events.ts';
import type { DiscordAttachment, DiscordMessage, DiscordUser } from './payload.ts';

/** The name to show for a user; undefined if Discord gives none. */
export function userName(user: DiscordUser | undefined): string | undefined {
  return user?.global_name || user?.username || undefined;
}

/** A message that somebody chose to ask about: somebody's words, not the person's own, whoever wrote them (SPEC 3.3). */
export function forwarded(message: DiscordMessage): Content {
  const inner = message.message_snapshots?.[0]?.message ?? message;
  const attachments = (inner.attachments ?? []).map(attachment);
  const words = inner.content || (inner.embeds ?? []).flatMap(({ title, description }) => [title, description]);
  const text = Array.isArray(words) ? words.filter(Boolean).join('\n') : words;
  const isEmpty = text === '' && attachments.length === 0;
  const all: Attachment[] = isEmpty ? [{ kind: 'other', name: 'message', ref: message.id }] : attachments;
  return {
    text,
    forwardedFrom: userName(message.author) ?? 'somebody',
    ...(all.length > 0 && { attachments: all }),
  };
}

function attachment({ id, filename, content_type: type, size }: DiscordAttachment): Attachment {
  return {
    kind: kindOf(type ?? ''),
    ...(filename && { name: filename }),
    ...(type && { mimeType: type }),
    ...(size !== undefined && { sizeBytes: size }),
    ref: id,
  };
}

function kindOf(type: string): Attachment['kind'] {
  const kind = /^(image|audio|video)\//.exec(type)?.[1];
  return (kind as 'image' | 'audio' | 'video' | undefined) ?? 'file';
}
