import type { Incoming, IncomingMessage } from '../../ports/chatApp.ts';
import { beginsWithSlash, withoutAddress, withoutBlank, withoutPause } from '../shared/addressing.ts';
import { ignored } from '../shared/unread.ts';
import { addressOf, botId } from './address.ts';
import { contentOf, readSaid, type Said, withNames } from './content.ts';
import type { Done, TeamsMention } from './payload.ts';

/** A message. In a team or a group Teams delivers those alone that mention the bot, unless the app asks for all. */
export function readMessage({ activity, channel, person, sentAt }: Done): Incoming {
  const us = botId(channel.settings.appId ?? '');
  const said = readSaid(activity);
  const ours = said.mentions.filter(({ mentioned }) => mentioned.id === us);
  const named = (words: string) => withNames(words, said.mentions).trim();
  const leading = withoutLeading(said.own, ours);
  const typed = named(leading.words);
  const content = contentOf(said, withoutAddress(named(said.own), { typed, mentioned: leading.mentioned }));
  if (!content || !activity.id) return ignored('nothing was said');
  const to = addressOf(activity, person.id, activity.id);
  const incoming: IncomingMessage = {
    kind: 'message',
    key: `m:${activity.conversation.id}:${activity.id}`,
    ...{ update: activity.id, sentAt, person, to, content },
    addressed: !to.group || ours.length > 0 || said.repliesTo === us,
    namesUs: false,
  };
  return isTyped(said, typed) ? { ...incoming, typed, namesUs: leading.mentioned && beginsWithSlash(typed) } : incoming;
}

/** A forward, what stands beside a file, and a command in code or a quotation run none (SPEC 3.3, case A 13). */
function isTyped({ forward, attachments, quotesSlash }: Said, typed: string): boolean {
  if (quotesSlash && beginsWithSlash(typed)) return false;
  return forward === undefined && attachments.length === 0;
}

/** The words without a mention of us in front (SPEC 3.2). */
function withoutLeading(text: string, ours: readonly TeamsMention[]): { words: string; mentioned: boolean } {
  const start = withoutBlank(text);
  const mention = ours.find((one) => start.startsWith(one.text));
  if (!mention) return { words: text, mentioned: false };
  return { words: withoutPause(start.slice(mention.text.length)), mentioned: true };
}
