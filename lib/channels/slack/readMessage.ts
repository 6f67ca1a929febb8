import { BLANK } from '../../domain/blank.ts';
import type { Channel, Incoming, IncomingMessage } from '../../ports/chatApp.ts';
import { beginsWithSlash, withoutAddress, withoutPause } from '../shared/addressing.ts';
import { ignored } from '../shared/unread.ts';
import { addressOf, isPrivate, personOf } from './address.ts';
import { contentOf, isForward } from './content.ts';
import type { SlackMessage } from './payload.ts';
import { shownText } from './text.ts';

/** Of what was written behind `/me`: it tells what the person does, and is content. */
const ABOUT_ONESELF = 'me_message';
/** Kinds of message that a person writes; all others are edits, deletions, news of the channel and the like. */
const WRITTEN = new Set([undefined, 'file_share', 'thread_broadcast', ABOUT_ONESELF]);
const SLACKBOT = 'USLACKBOT';

const BANG = new RegExp(`^${BLANK}!(?=[\\p{L}\\p{N}_:-]+(?:\\s|$))`, 'u');

/** A message of a person, from an event of a message or of a mention: one message may come as both (case 89). */
export function readMessage(
  message: SlackMessage,
  { channel, update }: { channel: Channel; update: string },
): Incoming {
  const { bot = {} } = channel;
  const { user, ts, channel: where } = message;
  const reason = reasonToIgnore(message, channel);
  const content = contentOf(message, bot);
  if (reason || !content || !user) return ignored(reason ?? 'nothing was said');
  const words = wordsOf(message, bot);
  const isGroup = !isPrivate(where);
  const incoming: IncomingMessage = {
    kind: 'message',
    key: `m:${where}:${ts}`,
    update,
    sentAt: timeOf(ts),
    person: personOf(channel, user),
    to: addressOf(channel, { channel: where, user, message: ts, thread: threadOf(message, isGroup) }),
    content: { ...content, text: withoutAddress(content.text, words) },
    addressed: !isGroup || words.mentioned || isAddressed(message, bot.id),
    namesUs: false,
  };
  const isTyped = !isForward(message) && (message.files ?? []).length === 0 && message.subtype !== ABOUT_ONESELF;
  return isTyped ? { ...incoming, ...typedOf(words, !isGroup || message.thread_ts !== undefined) } : incoming;
}

/** Why no person said this to us (SPEC 3.3, 3.4); undefined for a person's own message. */
function reasonToIgnore(message: SlackMessage, { bot }: Channel): string | undefined {
  const { user, subtype, bot_id: byBot, app_id: byApp } = message;
  if (byBot !== undefined || subtype === 'bot_message') return 'from a bot';
  if (user !== undefined && user === bot?.id) return 'from a bot';
  if (byApp !== undefined && byApp === bot?.app) return 'from a bot';
  if (!WRITTEN.has(subtype) || message.hidden) return 'an edit, or news of the channel';
  // A mention that is put into an old message comes as an event of its own.
  if (message.edited !== undefined) return 'an edit, or news of the channel';
  return user === undefined || user === SLACKBOT ? 'from nobody in particular' : undefined;
}

/** In a channel an answer opens a thread under the message, or stays in the one where it was written (SPEC 13.7). */
function threadOf({ ts, thread_ts: thread }: SlackMessage, isGroup: boolean): string | undefined {
  return thread ?? (isGroup ? ts : undefined);
}

/** In a group, meant for us though not by a name in front: in mid-text, by the event's kind, or under our own message. */
function isAddressed({ type, text, parent_user_id: parent }: SlackMessage, botId: string | undefined): boolean {
  if (type === 'app_mention') return true;
  if (botId === undefined) return false;
  return parent === botId || new RegExp(`<@${botId}(?:\\|[^>]*)?>`).test(text ?? '');
}

interface Words {
  typed: string;
  mentioned: boolean;
}

/** The person's words, without a leading mention of us (SPEC 3.2). */
function wordsOf({ text = '' }: SlackMessage, bot: NonNullable<Channel['bot']>): Words {
  const mention = bot.id === undefined ? null : new RegExp(`^${BLANK}<@${bot.id}(?:\\|[^>]*)?>`, 'u').exec(text);
  const rest = mention ? withoutPause(text.slice(mention[0].length)) : text;
  return { typed: shownText(rest, bot), mentioned: mention !== null };
}

/**
 * Slack keeps a leading `/` for itself, so `!` stands for it where the bot listens (SPEC 12.2): behind its name, in a
 * private chat, in a thread. @param listens of the last two.
 */
function typedOf({ typed, mentioned }: Words, listens: boolean): Pick<IncomingMessage, 'typed' | 'namesUs' | 'onlyIf'> {
  const isBang = (mentioned || listens) && BANG.test(typed);
  if (isBang) return { typed: typed.replace(BANG, '/'), namesUs: mentioned, onlyIf: 'known' };
  return { typed, namesUs: mentioned && beginsWithSlash(typed) };
}

/** A message's time in ms. */
export function timeOf(ts: string): number {
  return Math.floor(Number(ts) * 1000);
}
