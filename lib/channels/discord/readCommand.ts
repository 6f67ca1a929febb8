import { BLANK } from '../../domain/blank.ts';
import type { Content } from '../../domain/events.ts';
import type { Channel, Incoming, IncomingMessage } from '../../ports/chatApp.ts';
import { withoutAddress, withoutPause } from '../shared/addressing.ts';
import { ignored } from '../shared/unread.ts';
import type { DiscordAddress } from './address.ts';
import { ASK_FORM, askForm, privately } from './answers.ts';
import { forwarded } from './content.ts';
import type { DiscordField, DiscordOption, Interaction } from './payload.ts';

/** Carries a message, since Discord delivers none by itself. */
const ASK = 'ask';
/** Of `data.type`: a command of a message's own menu. */
const OF_MESSAGE = 3;
const OF_TEXT = 1;

/** What a person did, whatever it is: `to` is where the interaction was made, `toLater` leads there behind the HTTP answer. */
export type Did = Pick<IncomingMessage, 'key' | 'update' | 'sentAt' | 'person' | 'to'> & {
  toLater: () => DiscordAddress;
};

/** A chosen command becomes the words that it stands for (SPEC 12.2). */
export function readCommand({ data }: Interaction, did: Did, channel: Channel): Incoming {
  const name = data?.name ?? '';
  if (data?.type === OF_MESSAGE) {
    const message = data.resolved?.messages?.[data.target_id ?? ''];
    return message ? said(did, forwarded(message)) : ignored('about a message that is not there');
  }
  if (name === '' || (data?.type ?? OF_TEXT) !== OF_TEXT) return privately('I cannot do that.');
  const words = wordsOf(data?.options ?? []);
  if (name.toLowerCase() !== ASK) return typed(did, [`/${name}`, words].filter(Boolean).join(' '));
  return words.trim() === '' ? askForm() : said(did, { text: withoutMention(words, channel) });
}

/** The words without a mention of our bot at their beginning (SPEC 3.2); alone, it stays. */
function withoutMention(text: string, { bot, settings }: Channel): string {
  const id = bot?.id ?? settings.applicationId;
  const mention = new RegExp(`^${BLANK}<@!?${id}>`, 'u').exec(text);
  if (!mention) return text;
  return withoutAddress(text, { typed: withoutPause(text.slice(mention[0].length)), mentioned: true });
}

/** What was chosen and typed, in order; a sub-command is a word. */
function wordsOf(options: readonly DiscordOption[]): string {
  return options
    .map(({ name, value, options: inner }) => (inner ? `${name} ${wordsOf(inner)}` : String(value ?? name)))
    .join(' ');
}

/** A message: nothing in it is a command. */
function said(did: Did, content: Content): IncomingMessage {
  return { kind: 'message', ...did, content, addressed: true, namesUs: false };
}

/** Whatever is chosen of our menu names us. */
function typed(did: Did, text: string): IncomingMessage {
  return { kind: 'message', ...did, content: { text }, typed: text, addressed: true, namesUs: true };
}

/** What is typed behind a command so far. */
export function readCompletion({ data }: Interaction, { person, to }: Did): Incoming {
  const focused = (data?.options ?? []).find((option) => option.focused);
  return { kind: 'completion', command: data?.name ?? '', typed: String(focused?.value ?? ''), person, to };
}

/** A form that was filled in: the words of a message. */
export function readForm({ data }: Interaction, did: Did): Incoming {
  if (data?.custom_id !== ASK_FORM) return privately('This form is out of date. Please open it again.');
  const inputsOf = ({ component, components = [] }: DiscordField) => (component ? [component] : components);
  const inputs = (data.components ?? []).flatMap(inputsOf);
  const text = inputs.map(({ value }) => value ?? '').join('\n');
  return text.trim() === '' ? privately('There was nothing in your message.') : said(did, { text });
}
