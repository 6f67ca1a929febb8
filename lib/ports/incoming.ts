import type { Address, Content, Person } from '../domain/events.ts';

/** Fields of everything that a person does. */
interface IncomingBase {
  /** The app's name of the delivery, the same when it comes again (DESIGN 3a). */
  update: string;
  /** The app's time, ms; of a press without one, Conch's. */
  sentAt: number;
  person: Person;
  to: Address;
}

/** A message of a person to the bot. */
export interface IncomingMessage extends IncomingBase {
  kind: 'message';
  /** Names the app's own message, the same when it is delivered again (DESIGN 3a). */
  key: string;
  content: Content;
  /**
   * The person's own new words, which alone may be a command (SPEC 3.2, 3.3): our name and a leading mention of us
   * dropped. Absent if nothing of the message may run a command (a forward, a caption).
   */
  typed?: string;
  /**
   * Where a reply goes once the HTTP answer is out, where that takes more than `to`: with the app's reply token, sealed.
   * Made when an event needs it, since to seal it takes longer than to read the message. Never stored.
   */
  toLater?: () => Address;
  /** In a group: the bot is mentioned, replied to or addressed by name. True in a private chat. */
  addressed: boolean;
  /** In a group: the command names our bot (`/new@bot`). */
  namesUs: boolean;
  /**
   * How the app's own way to write a command is read (SPEC 12.2). `known`: `typed` is a command only if its name is one,
   * else the message is prose. `command`: it is a command in any case, and `content` holds the words as typed.
   */
  onlyIf?: 'known' | 'command';
  /** Where the app does not tell when it was sent first (ms): it was not before this. */
  notBefore?: number;
}

/** A press of a button. What names it is the action, which is settled once. */
export interface IncomingPress extends IncomingBase {
  kind: 'press';
  /** What the button carried: the action's id and the choice's number, from 0. */
  action: string;
  choice: number;
  /** What is needed to answer the press itself, such as a callback query's id. Never stored. */
  pressId: string;
  /** The pressed message as the app shows it, where it is edited as a whole only. Never stored. */
  message?: Record<string, unknown>;
}

/** The bot was blocked, removed, let back or added. */
export interface IncomingMembership {
  kind: 'membership';
  change: 'gone' | 'back';
  chat: string;
}

/** The app says that it was removed from a workspace. It may say so late, behind a new installation. */
export interface IncomingUninstall {
  kind: 'uninstalled';
  /** Ids under which the installation may be known. */
  workspaces: readonly string[];
}

/** A person is choosing what to type behind a command; nothing is done yet. */
export interface IncomingCompletion {
  kind: 'completion';
  command: string;
  /** The argument as far as it is typed. */
  typed: string;
  person: Person;
  to: Address;
}

/** The app asks for something that is the same for everybody, such as who we are: this body is the answer. */
export interface Challenge {
  kind: 'challenge';
  answer: Record<string, unknown>;
}

/** Nothing for us: why, for the log. */
export interface Ignored {
  kind: 'ignored';
  reason: string;
}

/** A body that is not what the app sends; answered with 400. */
export interface Malformed {
  kind: 'malformed';
  reason: string;
}

export type Incoming =
  | IncomingMessage
  | IncomingPress
  | IncomingMembership
  | IncomingUninstall
  | IncomingCompletion
  | Challenge
  | Ignored
  | Malformed;
