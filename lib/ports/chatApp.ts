import type { Address } from '../domain/events.ts';
import type { Finding } from './health.ts';
import type { Incoming, IncomingPress } from './incoming.ts';
import type { AppName } from './tenants.ts';
import type { WorkspaceApp } from './workspaces.ts';

export type * from './incoming.ts';
export type * from './workspaces.ts';

/** A channel with its secrets opened, as a chat app's code gets it. */
export interface Channel {
  id: string;
  tenant: string;
  name: string;
  app: AppName;
  settings: Record<string, string>;
  secrets: Record<string, string>;
  apiRoot?: string;
  bot?: Record<string, string>;
  /** Opened for this workspace of the many that the app is installed in: `bot` and the token are of there. */
  workspace?: string;
}

/** A webhook's request: header names in lower case, the body's bytes as they came. */
export interface WebhookRequest {
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Whether a request comes from the app. `reason` is for the log, never for the sender. */
export type Verification = { ok: true } | { ok: false; reason: string };

/** A choice to show under a message. */
export interface ShownChoice {
  label: string;
  /** What the press brings back. */
  value: string;
  /** How it stands out, where the app's buttons can: the main choice, or one that refuses or takes something away. */
  style?: 'primary' | 'danger';
}

/** Something to show: Markdown (CommonMark, GFM), and choices under it. */
export interface Outgoing {
  markdown: string;
  choices?: ShownChoice[];
  /** For this person alone, where others read along and the app can show it so. */
  onlyFor?: string;
  /** It takes the place of a message with choices, after a press of one. */
  inPlace?: true;
}

/** How one call to the app went (SPEC 13.6). */
export type SendResult =
  | { kind: 'sent'; id: string }
  /** Surely not sent: may be tried again after the wait. */
  | { kind: 'refused'; retryAfterMs: number; reason: string }
  /** May have arrived: not to be sent again blindly. */
  | { kind: 'unknown'; reason: string }
  /** The message to edit is not there any more: the person deleted it. */
  | { kind: 'missing'; reason: string }
  /**
   * The app will not take it, now or later. `scope`: nor anything else in this chat (blocked, removed), or of this channel
   * (token revoked); or it is this message that it does not take.
   */
  | { kind: 'dead'; reason: string; scope: 'message' | 'chat' | 'channel' };

/** One piece of a message, within the app's limits, ready for `post` or `edit`. */
export interface Piece {
  /** The app's own body of the call, without where it goes. */
  body: Record<string, unknown>;
  /** The same words without formatting, for an app that refuses the formatting (SPEC 13.1). */
  plain: Record<string, unknown>;
}

/** A file of ours. */
export interface OutgoingFile {
  name: string;
  mimeType: string;
  bytes: Uint8Array;
}

/** Calls to one channel's app. Every call is aborted after `timeoutMs` and never throws for what the app answers. */
export interface Sender {
  /** Posts a new message. `idempotencyKey` is used where the app has such a thing. */
  post(to: Address, piece: Piece, options: SendOptions): Promise<SendResult>;
  /** Edits one of our messages; "not modified" is `sent`. */
  edit(to: Address, id: string, piece: Piece, options: SendOptions): Promise<SendResult>;
  /** Sends a file to where a message would go. An app without files sends its text. */
  file(to: Address, file: OutgoingFile, options: SendOptions): Promise<SendResult>;
  /** Shows that the bot is at work, for a few seconds. Failures do not matter. */
  typing(to: Address): Promise<void>;
  /** Answers a press, privately, at most 200 characters; without a text it only ends the app's waiting sign. */
  answerPress(press: IncomingPress, text?: string): Promise<void>;
  /**
   * The idempotency key of the newest message that was sent to this chat, whoever it was for; undefined if there is none.
   * Of an app without buttons, where numbers count for the last message alone (SPEC 11.4).
   */
  newestSent?(to: Address): Promise<string | undefined>;
  /** Shows where a message is deferred that no reply comes there; nowhere else. Failures do not matter. */
  release?(to: Address, piece: Piece): Promise<void>;
  /**
   * Takes the choices of a used message away. Failures do not matter.
   * @param shown an earlier press has changed what the message shows: it may not be put back as it was pressed.
   */
  removeChoices(press: IncomingPress, shown?: 'changed'): Promise<void>;
  /**
   * Whether `removeChoices` cannot take these away, since nobody but the presser says what their message shows: it is
   * to be edited to what it said. Absent: it always can.
   */
  mustRedraw?(press: IncomingPress): boolean;
  /** Where the message with a press on it stands, to edit it; undefined if the app does not tell. */
  pressedMessage(press: IncomingPress): string | undefined;
}

export interface SendOptions {
  timeoutMs: number;
  idempotencyKey?: string;
  /** The first message of a turn's reply: where the app keeps a place for it (`Address.deferred`), it goes there. */
  first?: true;
}

/** The HTTP answer to one delivery, in an app that reads it. */
export interface DeliveryAnswer {
  status: number;
  body?: Record<string, unknown>;
}

/**
 * The sender of one delivery, in an app that reads the HTTP answer as what we say (Discord; of presses, Teams): what is
 * sent first is kept for it, the rest are calls.
 */
export interface Responder extends Sender {
  /** A message is in the log: its reply follows. */
  defer(): void;
  /** What can be typed, for an `IncomingCompletion`. */
  suggest(values: readonly string[]): void;
  /** The HTTP answer, once all is done that is done now. */
  answer(): DeliveryAnswer;
}

/** What differs between chat apps (DESIGN 4): a capability each, never `if (app === …)`. */
export interface Limits {
  /** Longest text of one message, in the app's own unit. */
  textLimit: number;
  buttonLimit: number;
  hasButtons: boolean;
  canEdit: boolean;
  /** What people write reaches the bot by itself; where it does not, `/ask` carries it (SPEC 4.2). */
  deliversMessages: boolean;
  minEditIntervalMs: { private: number; group: number };
  /** How a command is written in this app: `/clear`, in Slack `/conch clear`. */
  commandPrefix: string;
  /**
   * Stands for `commandPrefix` in a thread, where the app delivers no commands of its own. In a group of such an app
   * conversations are in threads.
   */
  threadPrefix?: string;
  /** Stands for `-` in a command's name where the app does not make a link of a name with one. */
  hyphen?: string;
  /** The app has no menu of commands that could be published. */
  menuless?: true;
  /** A request that was taken is answered without a body: what stands there would be shown to the person. */
  emptyAnswers?: true;
  /** The app gives a request up after this time; what is left to do then goes on behind the answer. */
  answerWithinMs?: number;
  /** The reply to a command is the HTTP answer, and a message is deferred in it until its turn replies. */
  repliesInHttp?: true;
}

/** The fields of a channel of this app, for the administration (DESIGN 6). */
export interface ChannelFields {
  /** Parses the app's own fields of a `PUT` body. `secrets` are sealed, `settings` are stored as they are. */
  parse(
    body: Record<string, unknown>,
  ): { ok: true; secrets: Record<string, string>; settings: Record<string, string> } | FieldFault;
  /** Secrets that Conch makes itself when the channel is first connected, by name; kept when it is put again. */
  generate(random: (bytes: number) => string): Record<string, string>;
  /**
   * Why this cannot be a person's id on a channel of this app, in words, also one that the app uses for nobody in
   * particular; undefined if it can. Without it, any text can.
   */
  personFault?(id: string, settings?: Record<string, string>): string | undefined;
  /** The API address when the channel has no `apiRoot`; undefined for an app without one. */
  apiRoot?: string;
  /** Settings that are addresses which Conch calls with a secret or trusts, and so are allowed as `apiRoot` is. */
  addresses?: readonly string[];
}

export interface MenuCommand {
  name: string;
  /** As its author wrote it: of any length, over several lines. */
  description: string;
  /** The tenant's own, which must never keep the others from being published (SPEC 12.1). */
  custom?: true;
  /** What is typed behind it, for an app with fields for that. */
  argument?: MenuArgument;
}

export interface MenuArgument {
  hint: string;
  /** All that it can be. */
  choices?: readonly string[];
  /** What it can be is asked for while it is typed. */
  suggested?: true;
}

/** A command that is not in an app's menu, and why, in words. It works when typed. */
export interface LeftOut {
  name: string;
  reason: string;
}

/** Why an app did not take what an administrator gave: the field of the channel, and the reason in words. */
export interface FieldFault {
  ok: false;
  field: string;
  reason: string;
  /** It may be over the next time: nothing is known to be wrong with the field. */
  passing?: true;
}

/** One chat app: the same parts for each, one file a part. */
export interface ChatApp {
  readonly name: AppName;
  readonly limits: Limits;
  /** `verify.ts`: is this request the app's? Refuses when the channel has no secret. */
  verify(request: WebhookRequest, channel: Channel, now: number): Verification | Promise<Verification>;
  /** `read.ts`: what a verified body says. Never throws. One delivery may hold several things. */
  read(body: Uint8Array, channel: Channel, now: number): Incoming[];
  /** `render.ts`: Markdown as messages within the app's limits; choices under the last one. At least one piece. */
  render(outgoing: Outgoing): Piece[];
  /** `send.ts` */
  sender(channel: Channel): Sender;
  /**
   * `respond.ts`: in the sender's place while this delivery is answered, in an app whose HTTP answer people see; undefined
   * if nobody sees that of this one.
   */
  responder?(channel: Channel, incoming: Incoming): Responder | undefined;
  /** `send.ts`: where the bot writes to this person alone; undefined if their id does not tell. */
  privateChat(person: string): Address | undefined;
  /** `settings.ts`: which fields a channel has in the administration, and which of them are secrets. */
  readonly fields: ChannelFields;
  /** `connect.ts`: checks the credentials with the app; `bot` is kept in the channel's record. Stores nothing. */
  identify(channel: Channel): Promise<{ ok: true; bot: Record<string, string> } | FieldFault>;
  /** `connect.ts`: registers the webhook with the app. The channel is stored by then. */
  register(channel: Channel, webhookUrl: string): Promise<{ ok: true } | FieldFault>;
  /** `connect.ts`: takes the webhook away at the app. The channel is deleted by then, whatever the app answers. */
  unregister(channel: Channel): Promise<{ ok: true } | FieldFault>;
  /**
   * `check.ts`: asks the app about a connected channel: whether it takes the credentials, and where it delivers. Changes
   * nothing, and sends no message. @param now ms.
   */
  check(channel: Channel, about: { webhookUrl: string | undefined; now: number }): Promise<Finding[]>;
  /**
   * `menu.ts`: publishes the app's own command menu; set, never deleted first (SPEC 12.1). `leftOut`: the commands that
   * it has no room or no form for.
   */
  publishMenu(channel: Channel, menu: Menu): Promise<{ ok: true; leftOut?: LeftOut[] } | FieldFault>;
  /**
   * `oldMenus.ts`: takes away the menus that an earlier use of the bot left where they hide ours, in an app that keeps several.
   * Called when a channel is connected, once ours is published. Failures do not matter.
   */
  clearOldMenus?(channel: Channel): Promise<void>;
  /** `workspaces.ts`, in an app that may be installed in many workspaces. */
  readonly workspaces?: WorkspaceApp;
  /**
   * `manifest.ts`: what the app's registration is made from, in an app that takes such a thing. Undefined if the channel
   * has to be connected first.
   */
  manifest?(about: ManifestSubject): Record<string, unknown> | undefined;
  /**
   * `apology.ts`: what is answered to a request that could not be taken and that the app does not deliver again: shown to the person.
   * Undefined for one that it does.
   */
  apology?(body: Uint8Array): Record<string, unknown> | undefined;
  /** A link that claims the channel when the owner opens it (SPEC 9.2), where the app has such links. */
  claimLink(channel: Channel, code: string): string | undefined;
}

/** What a manifest is made for. Without `webhookUrl` it is the one to begin with, before there is a channel. */
export interface ManifestSubject {
  name: string;
  webhookUrl?: string | undefined;
  /** The channel's settings, once it is connected. */
  channel?: { settings: Record<string, string> } | undefined;
  menu: Menu;
  /** When it is made, ms. */
  now: number;
}

/** The commands for the app's own menu, most wanted first. */
export interface Menu {
  private: MenuCommand[];
  group: MenuCommand[];
}
