import { createPublicKey, verify } from 'node:crypto';
import { discord } from '../../../lib/channels/discord/index.ts';
import type { WebhookRequest } from '../../../lib/ports/chatApp.ts';
import { channel, signed } from '../../channels/discord/channel.ts';
import { command, type Somebody, snowflake } from '../../standins/discordInteractions.ts';
import { typingClock } from '../typingClock.ts';
import { type Ack, CHATS, LogByHand, wordsOf } from './ack.ts';

const clock = typingClock();
const EPHEMERAL_WITHOUT_PREVIEWS = 64 + 4;

interface Interaction {
  id: string;
  channel_id: string;
  user: Somebody;
}

/** The signature checked, JSON read, the log, the HTTP answer. */
function byHand() {
  const log = new LogByHand();
  const x = Buffer.from(channel.settings.publicKey ?? '', 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return async ({ headers, body }: WebhookRequest) => {
    const text = Buffer.concat([Buffer.from(headers['x-signature-timestamp'] ?? ''), body]);
    const signature = Buffer.from(headers['x-signature-ed25519'] ?? '', 'hex');
    if (!verify(null, text, key, signature)) throw new Error('Not from the app');
    const { id, channel_id: chat, user } = JSON.parse(Buffer.from(body).toString()) as Interaction;
    await log.add({
      delivery: { key: `i:${id}`, update: id, sentAt: Number(BigInt(id) >> 22n) + 1_420_070_400_000 },
      person: { id: user.id, name: user.global_name },
      to: { chat: user.id, channel: chat },
    });
    const content = `\`/goal\`\n${wordsOf('/')}`;
    const data = { content, flags: EPHEMERAL_WITHOUT_PREVIEWS, components: [], allowed_mentions: { parse: [] } };
    return JSON.stringify({ type: 4, data });
  };
}

export const discordAck: Ack = {
  ...{ app: discord, channel, byHand },
  request(n) {
    const id = String(300_000_000_000_000_000n + BigInt(n % CHATS));
    const who = { id, username: 'ana_lab', global_name: 'Ana' };
    const interaction = command('goal', who, { channel: `4${id.slice(1)}` });
    return signed(Buffer.from(JSON.stringify({ ...interaction, id: snowflake(clock() * 1_000) })));
  },
};
