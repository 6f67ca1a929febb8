import { BLANK } from '../../domain/blank.ts';

/** How a person's words address the bot. `typed`: the words without our name, as `IncomingMessage.typed`. */
export type Addressing =
  | { kind: 'ours'; typed: string; mentioned: boolean; namesUs: boolean }
  /** A command for another bot: no message of ours (SPEC 3.2). */
  | { kind: 'other-bot' };

const LEADING_MENTION = new RegExp(`^${BLANK}@([A-Za-z0-9_]+)(?![A-Za-z0-9_])`, 'u');
const BEHIND_MENTION = new RegExp(`^(?:[,:](?=[\\s/\\p{L}]))?${BLANK}`, 'u');
const COMMAND_WITH_NAME = new RegExp(`^(${BLANK}/[\\p{L}\\p{M}\\p{N}_:-]+)@([A-Za-z0-9_]{3,32})(?=\\s|$)`, 'u');
const LEADING_BLANK = new RegExp(`^${BLANK}`, 'u');
const LEADING_SLASH = new RegExp(`^${BLANK}/`, 'u');

/**
 * Drops a leading mention of the bot and its name behind a command (SPEC 3.2). Everything else stays byte for byte.
 * @param botName the bot's user name without `@`, compared without regard to case; undefined if it has none.
 * @param leadingMentionLength length of a mention at the start that names the bot in another way, in UTF-16 units.
 */
export function readAddressing(text: string, botName: string | undefined, leadingMentionLength = 0): Addressing {
  const isUs = (name: string | undefined) => name?.toLowerCase() === (botName?.toLowerCase() ?? '');
  const mention = LEADING_MENTION.exec(text);
  const mentionLength = mention && isUs(mention[1]) ? mention[0].length : leadingMentionLength;
  const words = mentionLength > 0 ? withoutPause(text.slice(mentionLength)) : text;
  const mentioned = mentionLength > 0;
  const command = COMMAND_WITH_NAME.exec(words);
  if (!command) return { kind: 'ours', typed: words, mentioned, namesUs: mentioned && beginsWithSlash(words) };
  if (!isUs(command[2])) return { kind: 'other-bot' };
  return { kind: 'ours', typed: `${command[1]}${words.slice(command[0].length)}`, mentioned, namesUs: true };
}

/** The words without what may stand before them and is no word. */
export function withoutBlank(text: string): string {
  return text.replace(LEADING_BLANK, '');
}

/** Whether the words begin as a command does. */
export function beginsWithSlash(words: string): boolean {
  return LEADING_SLASH.test(words);
}

/** What follows a mention at the beginning, without the blanks and the comma or colon behind a name. */
export function withoutPause(text: string): string {
  return text.replace(BEHIND_MENTION, '');
}

/** The words without a mention of us at their beginning, which only says whom they are for (SPEC 3.2); alone, it stays. */
export function withoutAddress(text: string, words: Addressing | { typed: string; mentioned: boolean }): string {
  return 'typed' in words && words.mentioned && words.typed.trim() !== '' ? words.typed : text;
}
