import { signatureHeaders } from '../../../lib/channels/text/verify.ts';
import type { Channel, WebhookRequest } from '../../../lib/ports/chatApp.ts';
import type { TextChat, TextReplies, TextReply } from '../../../lib/ports/textReplies.ts';

export const SECRET = 'a-secret-of-the-text-app';
export const NOW = 1_790_000_500_000;

export const channel: Channel = {
  id: 't1.abc',
  tenant: 't1',
  name: 'main',
  app: 'text',
  settings: {},
  secrets: { secret: SECRET },
};

export function signed(body: Uint8Array): WebhookRequest {
  return { headers: signatureHeaders(SECRET, body, NOW), body };
}

/** Replies in memory, by chat. */
export class MemoryReplies implements TextReplies {
  readonly #chats = new Map<string, TextReply[]>();

  #of(chat: TextChat): TextReply[] {
    const key = JSON.stringify([chat.tenant, chat.channelId, chat.chat]);
    const replies = this.#chats.get(key) ?? [];
    this.#chats.set(key, replies);
    return replies;
  }

  async append(chat: TextChat, reply: Omit<TextReply, 'seq'>): Promise<TextReply> {
    const replies = this.#of(chat);
    const stored = replies.find(({ id }) => id === reply.id) ?? { ...reply, seq: replies.length + 1 };
    if (!replies.includes(stored)) replies.push(stored);
    return stored;
  }

  async edit(chat: TextChat, id: string, text: string): Promise<boolean> {
    const reply = this.#of(chat).find((one) => one.id === id);
    if (reply) reply.text = text;
    return reply !== undefined;
  }

  async newest(chat: TextChat): Promise<string | undefined> {
    return this.#of(chat).at(-1)?.id;
  }

  async after(chat: TextChat, seq: number, limit: number): Promise<TextReply[]> {
    return this.#of(chat)
      .filter((one) => one.seq > seq)
      .slice(0, limit);
  }
}
