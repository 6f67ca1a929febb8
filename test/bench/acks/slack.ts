import { createHmac } from 'node:crypto';
import { slack } from '../../../lib/channels/slack/index.ts';
import type { WebhookRequest } from '../../../lib/ports/chatApp.ts';
import { channel, encode, SECRET, signed } from '../../channels/slack/channel.ts';
import { SlackPayloads } from '../../standins/slackPayloads.ts';
import { typingClock } from '../typingClock.ts';
import { type Ack, CHATS, isSame, LogByHand, wordsOf } from './ack.ts';

const payloads = new SlackPayloads(typingClock());

interface Envelope {
  event_id: string;
  event: { channel: string; user: string; ts: string };
}

/** The signature computed and compared, JSON read, the log, the reply's body. */
function byHand() {
  const log = new LogByHand();
  return async ({ headers, body }: WebhookRequest) => {
    const timestamp = headers['x-slack-request-timestamp'] ?? '';
    const hmac = createHmac('sha256', SECRET).update(`v0:${timestamp}:`).update(body);
    if (!isSame(headers['x-slack-signature'] ?? '', `v0=${hmac.digest('hex')}`)) throw new Error('Not from the app');
    const { event_id: update, event } = JSON.parse(Buffer.from(body).toString()) as Envelope;
    const { channel: chat, user, ts } = event;
    await log.add({
      delivery: { key: `m:${chat}:${ts}`, update, sentAt: Math.floor(Number(ts) * 1_000) },
      person: { id: user },
      to: { chat: user, channel: chat, message: ts },
    });
    const text = wordsOf('/conch ');
    const section = { type: 'rich_text_section', elements: [{ type: 'text', text }] };
    return JSON.stringify({ channel: chat, text, blocks: [{ type: 'rich_text', elements: [section] }] });
  };
}

export const slackAck: Ack = {
  ...{ app: slack, channel, byHand },
  request(n) {
    const payload = payloads.direct('!goal', `U${String(n % CHATS).padStart(9, '0')}`);
    return signed(encode(payload), { seconds: Math.floor(Date.now() / 1_000) });
  },
};
