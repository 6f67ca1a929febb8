import type { Address, Content, Person } from '../../domain/events.ts';
import type { Channel, Ignored, Incoming, IncomingMessage } from '../../ports/chatApp.ts';
import { faultOf } from '../shared/faults.ts';
import { asObject, jsonOf } from '../shared/json.ts';
import { readPress } from '../shared/press.ts';
import { shaped } from '../shared/shape.ts';
import { addressOf, withToken } from './address.ts';
import { ASK_FORM, askForm, privately } from './answers.ts';
import { forwarded, userName } from './content.ts';
import {
  AUTOCOMPLETE,
  COMMAND,
  COMPONENT,
  type DiscordField,
  type DiscordOption,
  type DiscordUser,
  eventShape,
  FORM,
  type Interaction,
  interactionShape,
  PING,
  PONG,
} from './interaction.ts';

/** Carries a message, since Discord delivers none by itself. */
const ASK = 'ask';
/** Of `data.type`: a command of a message's own menu. */
const OF_MESSAGE = 3;
const OF_TEXT = 1;

const EPOCH_MS = 1_420_070_400_000;
/** Before interactions there were none; such an id is no snowflake. */
const FIRST_MS = Date.UTC(2020, 0, 1);

/** Reads an interaction or a webhook event; never throws. @param now time in ms, from which an interaction's token serves. */
export function read(body: Uint8Array, channel: Channel, now: number): Incoming[] {
  const json = jsonOf(body);
  if (json === undefined) return [{ kind: 'malformed', reason: 'the body is no JSON' }];
  const event = isEvent(json) ? shaped(eventShape, json) : undefined;
  if (event?.ok) return [readEvent(event.value)];
  const interaction = shaped(interactionShape, json);
  if (!interaction.ok) {
    return [{ kind: 'malformed', reason: faultOf(interaction.paths) }];
  }
  const { application_id: application } = interaction.value;
  const isOurs = application === undefined || application === channel.settings.applicationId;
  return [isOurs ? readInteraction(interaction.value, channel, now) : ignored('of another application')];
}

function ignored(reason: string): Ignored {
  return { kind: 'ignored', reason };
}

/** Interactions have numbers of their own, and no event. */
function isEvent(json: unknown): boolean {
  const { type, event } = asObject(json);
  return type === 0 || event !== undefined;
}

/** Where the application was added or taken away; a bot that is put out of a server is not told. */
function readEvent({ event }: { event?: { type: string; data?: EventData | undefined } | undefined }): Incoming {
  const chat = event?.data?.guild?.id ?? event?.data?.user?.id;
  if (!event || chat === undefined) return ignored('an event that is not read');
  if (event.type === 'APPLICATION_AUTHORIZED') return { kind: 'membership', change: 'back', chat };
  if (event.type === 'APPLICATION_DEAUTHORIZED') return { kind: 'membership', change: 'gone', chat };
  return ignored('a kind of event that is not read');
}

interface EventData {
  user?: DiscordUser | undefined;
  guild?: { id: string } | undefined;
}

function readInteraction(interaction: Interaction, channel: Channel, now: number): Incoming {
  if (interaction.type === PING) return { kind: 'challenge', answer: { type: PONG } };
  const user = interaction.member?.user ?? interaction.user;
  if (!user || user.bot) return ignored('from nobody in particular');
  const to = channel.secrets.botToken ? addressOf(interaction, user.id) : undefined;
  if (!to) return ignored('from nowhere in particular');
  const name = userName(user);
  const person: Person = name === undefined ? { id: user.id } : { id: user.id, name };
  const toLater = () => withToken(to, interaction.token, channel, now);
  const did = {
    ...{ key: `i:${interaction.id}`, update: interaction.id, sentAt: sentAt(interaction.id, now) },
    ...{ person, to, toLater },
  };
  switch (interaction.type) {
    case COMMAND:
      return readCommand(interaction, did);
    case COMPONENT:
      return readComponent(interaction, did);
    case AUTOCOMPLETE:
      return readAutocomplete(interaction, did);
    case FORM:
      return readForm(interaction, did);
    default:
      return ignored('a kind of interaction that is not read');
  }
}

type Did = Pick<IncomingMessage, 'key' | 'update' | 'sentAt' | 'person' | 'to'> & { toLater: () => Address };

/** The time that is in the id. */
function sentAt(id: string, now: number): number {
  const ms = Number(BigInt(id) >> 22n) + EPOCH_MS;
  return ms < FIRST_MS ? now : ms;
}

/** A chosen command becomes the words that it stands for (SPEC 12.2). */
function readCommand({ data }: Interaction, did: Did): Incoming {
  const name = data?.name ?? '';
  if (data?.type === OF_MESSAGE) {
    const message = data.resolved?.messages?.[data.target_id ?? ''];
    return message ? said(did, forwarded(message)) : ignored('about a message that is not there');
  }
  if (name === '' || (data?.type ?? OF_TEXT) !== OF_TEXT) return privately('I cannot do that.');
  const words = wordsOf(data?.options ?? []);
  if (name.toLowerCase() !== ASK) return typed(did, [`/${name}`, words].filter(Boolean).join(' '));
  return words.trim() === '' ? askForm() : said(did, { text: words });
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

/** A press, or a choice of a list. What is not our value names no action. */
function readComponent({ data, message }: Interaction, { toLater, ...did }: Did): Incoming {
  const pressed = readPress(data?.values?.[0] ?? data?.custom_id ?? '') ?? { action: '', choice: 0 };
  const { content, flags } = message ?? {};
  return {
    kind: 'press',
    ...did,
    to: toLater(),
    ...pressed,
    pressId: did.update,
    message: { content: content ?? '', flags: flags ?? 0 },
  };
}

function readAutocomplete({ data }: Interaction, { person, to }: Did): Incoming {
  const focused = (data?.options ?? []).find((option) => option.focused);
  return { kind: 'completion', command: data?.name ?? '', typed: String(focused?.value ?? ''), person, to };
}

function readForm({ data }: Interaction, did: Did): Incoming {
  if (data?.custom_id !== ASK_FORM) return privately('I do not know this form any more.');
  const inputsOf = ({ component, components = [] }: DiscordField) => (component ? [component] : components);
  const inputs = (data.components ?? []).flatMap(inputsOf);
  const text = inputs.map(({ value }) => value ?? '').join('\n');
  return text.trim() === '' ? privately('There was nothing in it.') : said(did, { text });
}
