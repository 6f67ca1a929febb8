import type { Base } from '../domain/decide.ts';
import type { ChatOptions, Content, Conversation, Draft, Effort, Event, Mode, UnknownEvent } from '../domain/events.ts';
import type { State } from '../domain/state.ts';
import type { Access, Standing } from '../domain/tenancy.ts';
import type { ActionChoice } from '../ports/actions.ts';
import type { OutgoingFile } from '../ports/chatApp.ts';
import type { Asker, Refused } from './gate.ts';

/** `custom`, `skills` and `prompts` hold what the tenant adds; no row of the registry is in them. */
export type Section = 'chat' | 'context' | 'work' | 'settings' | 'people' | 'custom' | 'skills' | 'prompts';

/** What a command takes after its name, and how menus and `/help` show it. */
export type Argument =
  /** `alone`: with words after it, it does nothing and asks what was meant (SPEC 4.7). */
  | { kind: 'none'; alone?: true }
  | {
      kind: 'text' | 'values' | 'switch';
      hint: string;
      /** It cannot be left out. */
      required?: true;
      /** All that it can be. */
      choices?: readonly string[];
      /** What it can be depends on the tenant and the person. */
      suggested?: Suggested;
    };

/** What an argument names: a model that is set up, or a command that the person may use. */
export type Suggested = 'models' | 'commands';

/** How a command works from chat apps (SPEC 4.1). */
export interface ChatUse {
  /** `owner`: the channel's owner in their private chat; `people`: anyone let in, on their own conversation. */
  who: 'owner' | 'people';
  /** Works in a group, on the sender's own conversation. */
  groups: boolean;
  /** Only in apps that deliver no messages by themselves (SPEC 4.2). */
  withoutMessages?: true;
  /** The summary where it differs in chat apps. */
  summary?: string;
}

/** What it does while a turn runs (SPEC 4.8). */
export type Busy = 'now' | 'next' | 'wait' | 'refuse';

/** A row of the registry (SPEC 4.1). Everything that shows or runs commands is derived from these. */
export interface Command {
  name: string;
  aliases: readonly string[];
  section: Section;
  /** One line, at most 100 characters. */
  summary: string;
  argument: Argument;
  /** Whether the web page has it; default true. */
  web?: boolean;
  chat?: ChatUse;
  /** Gives way to a custom command, a skill or a tool server's prompt of the same name (SPEC 4.4). */
  yields?: boolean;
  busy: Busy;
  /** Rank for menus that are short: 1 is wanted most. */
  wanted: number;
  handler: Handler;
}

/** What a command may need from outside before it decides; `lib/conversations/prepare.ts` gets it. */
export interface Prepared {
  /** What a claim code came to. */
  claim?: ClaimOutcome;
  /** The newest message of the memory in force, as it was sent, with the event's number. */
  lastMessage?: { seq: number; content: Content };
  /** Ids of this person's open choices in this chat, but for those that stay until they are answered. */
  openChoices?: readonly string[];
  /** Earlier conversations of this place, newest first. */
  earlier?: readonly EarlierConversation[];
  /** The list that a number counts in: the one on screen, while a pick of it is open. Each by its first event's number. */
  listed?: readonly number[];
}

export type Preparation = keyof Prepared;

/** An earlier conversation, as `/resume` lists it. */
export interface EarlierConversation {
  conversation: Conversation;
  /** The beginning of its first message. */
  title: string;
  /** When that was sent, ms. */
  at: number;
  /** The newest leaving of a conversation when this was found: after another one it is out of date. */
  asOf: number;
}

/** A model that the tenant has set up. */
export interface ModelFacts {
  /** `provider/model`, as settings name it. */
  name: string;
  provider: string;
  model: string;
  /** Tokens. */
  contextWindow: number;
  /** The levels of effort that it has. */
  efforts: readonly Effort[];
  /** Its provider has a faster service. */
  fast: boolean;
}

/** What a tenant offers to its chats. */
export interface TenantFacts {
  models: readonly ModelFacts[];
  /** Defaults for new chats. */
  defaults: ChatOptions;
}

/** What a command decides on. */
export interface CommandContext extends Prepared {
  base: Base;
  args: string;
  /** What the person replied to or quoted; it goes with what the command sends (SPEC 3.3). */
  quote?: Content['quote'];
  asker: Asker;
  tenant: TenantFacts;
  /** What a chat's answers come from, in this state. */
  chatIn: (state: State) => ChatFacts;
}

export type ClaimOutcome = 'claimed' | 'wrong' | 'used' | 'expired' | 'locked';

/** What a reply is made from: the event, which carries what was in force, and the chat that it goes to. */
export interface ReplyContext {
  event: Event;
  /** What is in force after the event. */
  state: State;
  /** A command as this app writes it, such as `/clear` or `/conch clear`. */
  slash: (name: string, args?: string) => string;
  /** The same in the threads of this group, where the app has conversations there and this is none. */
  slashInThreads?: ((name: string, args?: string) => string) | undefined;
  asker: Asker;
  tenant: TenantFacts;
  /** How many choices the app shows comfortably under one message (SPEC 11.5). */
  buttonLimit: number;
  /** What this person may run here, in the registry's order. */
  catalog: readonly CatalogEntry[];
  /** Why this person may not use what a name means here; undefined if they may, or if it means nothing. */
  whyNot: (name: string) => Refused | undefined;
  chat: ChatFacts;
  /** What the command declares in `reads`. */
  facts: Facts;
}

/** What a reply may need from outside besides its event; `lib/conversations/prepare.ts` reads it. */
export interface Facts {
  /** The use of the whole tenant today, UTC. */
  usage?: { turns: number; inputTokens: number; outputTokens: number };
  /** Who is let in, put out, has asked or has written, on this channel. */
  people?: readonly PersonFacts[];
  /** The one person whom the event is about (`whoIn`), as they are known now. */
  person?: PersonFacts;
  earlier?: readonly EarlierConversation[];
  /** The rule of the channel. */
  access?: Access;
  /** The events of the conversation that the event stands in, up to it. */
  conversation?: readonly UnknownEvent[];
}

export interface PersonFacts {
  id: string;
  name?: string;
  status: Standing;
}

/** A line of the catalog: a command or skill that this person may use here. */
export interface CatalogEntry {
  name: string;
  aliases: readonly string[];
  section: Section;
  summary: string;
  argument: Argument;
  wanted: number;
}

/** What a chat's answers come from, for `/status` and the like. */
export interface ChatFacts {
  /** `provider/model` in force, or undefined if the tenant has no provider that could answer. */
  model?: string;
  /** The model that is set, if nothing here has that name any more. Nothing takes its place. */
  missing?: string;
  contextWindow?: number;
  /** The level that is asked of the model: the nearest that it has. Absent: the model's own. */
  effort?: Effort;
  /** The levels that the model has. */
  efforts: readonly Effort[];
  /** The faster service is wanted; it takes a provider that has one, `fastService`. */
  fast: boolean;
  fastService: boolean;
  mode: Mode;
}

/** What the person reads: Markdown, and choices under it, which become a ChatAction. */
export interface Reply {
  markdown: string;
  choices?: ActionChoice[];
  /** The choices stay until one is picked, not for ten minutes (SPEC 9.3). */
  lasting?: true;
  /** Sent alone; `markdown` is for an app that does not take it. */
  file?: OutgoingFile;
  /** Nothing was done: a press hears this privately, and the message that it was on stays as it is. */
  refusal?: true;
}

/** A message that a command sends: its words, beside what was quoted with them. */
export function messageOf(text: string, { quote }: Pick<CommandContext, 'quote'>): Content {
  return { text, ...(quote ? { quote } : {}) };
}

/** What a command does. Both parts are pure; the reply is made from the stored event alone (SPEC 2.3). */
export interface Handler {
  /** Outcomes that pass with time: a press that comes to one changes nothing and leaves its choices (SPEC 11.1). */
  passing?: readonly string[];
  /** What has to be got before the decision. */
  before?: readonly Preparation[];
  /** What the reply needs besides the event; where not each needs the same, by the event. */
  reads?: readonly (keyof Facts)[] | ((event: Event) => readonly (keyof Facts)[]);
  /** The texts that its event holds of this argument, where that is not the argument once: each counts (DESIGN 2). */
  holds?(args: string): readonly string[];
  decide(state: State, context: CommandContext): Draft;
  reply(context: ReplyContext): Reply;
}

/** The person whom an event of the owner is about, by their id alone: their name stands in no event. */
export function whoIn(event: Event): string | undefined {
  if (event.type === 'access.asked' || event.type === 'person.changed') return event.data.who.id;
  return detailOf<{ who?: { id: string } }>(event).who?.id;
}

/** What a `command.ran` event keeps for its reply. */
export function detailOf<T extends object>(event: Event): Partial<T> {
  return event.type === 'command.ran' ? ((event.data.detail ?? {}) as Partial<T>) : {};
}

/** The outcome of a `command.ran` event, or undefined for any other event. */
export function outcomeOf(event: Event): string | undefined {
  return event.type === 'command.ran' ? event.data.outcome : undefined;
}
