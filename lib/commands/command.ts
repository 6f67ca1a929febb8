import type { Role } from '../domain/access.ts';
import type { Base } from '../domain/decide.ts';
import type { Draft, Event, Mode } from '../domain/events.ts';
import type { State } from '../domain/state.ts';
import type { ActionChoice } from '../ports/actions.ts';

export type Section = 'chat' | 'context' | 'work' | 'settings' | 'people';

/** What a command takes after its name, and how menus and `/help` show it. */
export type Argument = { kind: 'none' } | { kind: 'text' | 'values' | 'switch'; hint: string };

/** How a command works from chat apps (SPEC 4.1). */
export interface ChatUse {
  /** `owner`: the channel's owner in their private chat; `people`: anyone let in, on their own conversation. */
  who: 'owner' | 'people';
  /** Works in a group, on the sender's own conversation. */
  groups: boolean;
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
  /** Gives way to a custom command or a skill of the same name (SPEC 4.4). */
  yields?: boolean;
  busy: Busy;
  /** Rank for menus that are short: 1 is wanted most. */
  wanted: number;
  handler: Handler;
}

/** What a command decides on. */
export interface CommandContext {
  base: Base;
  args: string;
  /** What a claim code came to, for the command that declares `before: 'claim'`. */
  claim?: ClaimOutcome;
}

export type ClaimOutcome = 'claimed' | 'wrong' | 'used' | 'expired' | 'locked';

/** What a reply is made from: the event, which carries what was in force, and the chat that it goes to. */
export interface ReplyContext {
  event: Event;
  /** What is in force after the event. */
  state: State;
  /** A command as this app writes it, such as `/clear` or `/conch clear`. */
  slash: (name: string, args?: string) => string;
  role: Role;
  group: boolean;
  /** What this person may run here, in the registry's order. */
  catalog: readonly CatalogEntry[];
  chat: ChatFacts;
}

/** A line of the catalog: a command that this person may use here. */
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
  contextWindow?: number;
  effort?: string;
  fast: boolean;
  mode: Mode;
  /** The use of the whole tenant today, UTC, where the command declares `reads: 'usage'`. */
  usage?: { turns: number; inputTokens: number; outputTokens: number };
}

/** What the person reads: Markdown, and choices under it, which become a ChatAction. */
export interface Reply {
  markdown: string;
  choices?: ActionChoice[];
}

/** What a command does. Both parts are pure; the reply is made from the stored event alone (SPEC 2.3). */
export interface Handler {
  /** I/O that has to come before the decision. */
  before?: 'claim';
  /** What the reply needs besides the event. */
  reads?: 'usage';
  decide(state: State, context: CommandContext): Draft;
  reply(context: ReplyContext): Reply;
}

/** The outcome of a `command.ran` event, or undefined for any other event. */
export function outcomeOf(event: Event): string | undefined {
  return event.type === 'command.ran' ? event.data.outcome : undefined;
}
