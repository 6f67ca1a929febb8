import { telegram } from '../../../lib/channels/telegram/index.ts';
import type { WebhookRequest } from '../../../lib/ports/chatApp.ts';
import { channel, SECRET, signed } from '../../channels/telegram/channel.ts';
import { FIRST_CHAT } from '../services.ts';
import { SECRET_HEADER, updateBody } from '../telegramEvents.ts';
import { type Ack, CHATS, isSame, LogByHand, wordsOf } from './ack.ts';

interface Update {
  update_id: number;
  message: {
    message_id: number;
    date: number;
    chat: { id: number };
    from: { id: number; first_name: string };
  };
}

/** The secret compared, JSON read, the log, the reply's body. */
function byHand() {
  const log = new LogByHand();
  const secret = Buffer.from(SECRET);
  return async ({ headers, body }: WebhookRequest) => {
    if (!isSame(headers[SECRET_HEADER] ?? '', secret)) throw new Error('Not from the app');
    const { update_id: update, message } = JSON.parse(Buffer.from(body).toString()) as Update;
    const { chat, from, date, message_id: id } = message;
    await log.add({
      delivery: { key: `m:${chat.id}:${id}`, update: String(update), sentAt: date * 1_000 },
      person: { id: String(from.id), name: from.first_name },
      to: { chat: String(chat.id), message: String(id) },
    });
    return JSON.stringify({ chat_id: chat.id, text: wordsOf('/'), link_preview_options: { is_disabled: true } });
  };
}

export const telegramAck: Ack = {
  ...{ app: telegram, channel, byHand },
  request: (n) => signed(updateBody(FIRST_CHAT + (n % CHATS), '/goal')),
};
