import type { Address } from '../../domain/events.ts';
import type { Channel } from '../../ports/chatApp.ts';
import { openToken, sealToken } from '../shared/sealed.ts';
import { TOKEN_LIFETIME_MS } from './limits.ts';
import type { Interaction } from './payload.ts';

/** Where a reply goes in Discord. */
export interface DiscordAddress extends Address {
  /** A private chat's own channel; its `chat` is the person. */
  channel?: string;
  /** Id of the interaction that was made there. */
  interaction?: string;
  /** Its token, sealed, with which it is answered until then (ms). */
  token?: string;
  tokenUntil?: number;
}

/** `Interaction.context` of the bot's own private chats; in all others people read along. */
const BOT_DM = 1;
/** Of a message that only one person sees. */
export const EPHEMERAL = 64;

/**
 * Where the interaction was made: its HTTP answer goes there. The private chat with a person is named by the person, since
 * their id leads to it while the channel's does not; a thread is a channel of its own.
 */
export function addressOf(interaction: Interaction, person: string): DiscordAddress | undefined {
  const { id, channel_id: channel = interaction.channel?.id, message } = interaction;
  if (channel === undefined) return undefined;
  return {
    ...(isPrivate(interaction) ? { chat: person, channel } : { chat: channel, group: true }),
    ...(message && { message: message.id }),
    interaction: id,
  };
}

/**
 * The address for what comes behind the HTTP answer. The token, sealed, answers the interaction until `tokenUntil`:
 * whoever knows it may write as the bot.
 * @param now when it arrived, ms.
 */
export function withToken(to: DiscordAddress, token: string, channel: Channel, now: number): DiscordAddress {
  const secret = channel.secrets.botToken;
  if (!secret) return to;
  return { ...to, token: sealToken(secret, token), tokenUntil: now + TOKEN_LIFETIME_MS };
}

function isPrivate({ context, guild_id: guild, member }: Interaction): boolean {
  return context === undefined || context === null ? guild === undefined && !member : context === BOT_DM;
}

/** The interaction's token while it serves. @param now in ms. */
export function tokenOf(channel: Channel, to: DiscordAddress, now: number): string | undefined {
  const secret = channel.secrets.botToken;
  const { token, tokenUntil } = to;
  if (!secret || token === undefined || tokenUntil === undefined || now >= tokenUntil) return undefined;
  return openToken(secret, token);
}

/** Whether the interaction came a moment ago: the answer that defers it may still be under way. */
export function isFresh(to: DiscordAddress, now: number): boolean {
  const { tokenUntil } = to;
  return tokenUntil !== undefined && now - (tokenUntil - TOKEN_LIFETIME_MS) < FRESH_MS;
}

const FRESH_MS = 5_000;
