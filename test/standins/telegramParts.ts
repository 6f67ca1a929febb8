import type { Entity } from './telegramRules.ts';
import type { Chat } from './telegramUpdates.ts';

/** What the stand-in of the Bot API keeps and answers. */

export type Params = Record<string, unknown>;

/** A call as it came, whether it was taken or not. `at` is the arrival, ms. */
export interface Call {
  method: string;
  params: Params;
  at: number;
  /** HTTP status of the answer; 0 if none was given. */
  status: number;
}

/** A file that was sent, with its bytes as text. */
export interface Document {
  name: string;
  mimeType: string;
  text: string;
}

export interface Message {
  id: number;
  chat: number;
  fromBot: boolean;
  thread?: number;
  text: string;
  entities: Entity[];
  buttons: { text: string; data: string }[][];
  /** Every text that it has had, oldest first. */
  history: string[];
  replyTo?: number;
  /** The file of a `sendDocument`. */
  document?: Document;
  /** Shown to this person alone. */
  onlyFor?: number;
}

/** How a call fails. `effect`: whether it takes effect all the same. */
export type Failure =
  | { kind: 'refuse'; code: number; description: string; parameters?: Params }
  | { kind: 'hang' | 'reset'; effect: boolean };

export const tooMany = (retryAfterS: number): Failure => ({
  kind: 'refuse',
  code: 429,
  description: `Too Many Requests: retry after ${retryAfterS}`,
  parameters: { retry_after: retryAfterS },
});

/** A chat that the stand-in knows. */
export interface KnownChat {
  chat: Chat;
  threads: Set<number>;
  blocked: boolean;
  migratedTo?: number;
}

/** Thrown for what the Bot API refuses. */
export class Refusal {
  readonly code: number;
  readonly description: string;
  readonly parameters: Params | undefined;
  constructor(code: number, description: string, parameters?: Params) {
    this.code = code;
    this.description = description;
    this.parameters = parameters;
  }
}

/** Refuses with 400 if there is a description. */
export function badRequest(description: string | undefined): void {
  if (description !== undefined) throw new Refusal(400, `Bad Request: ${description}`);
}

/** Parameters that each known method takes. */
export const METHODS: Record<string, string[]> = {
  getMe: [],
  deleteWebhook: ['drop_pending_updates'],
  setWebhook: ['url', 'secret_token', 'allowed_updates', 'max_connections', 'drop_pending_updates'],
  getWebhookInfo: [],
  setMyCommands: ['commands', 'scope', 'language_code'],
  getMyCommands: ['scope', 'language_code'],
  deleteMyCommands: ['scope', 'language_code'],
  sendMessage: [
    'chat_id',
    'message_thread_id',
    'text',
    'entities',
    'parse_mode',
    'link_preview_options',
    'reply_parameters',
    'reply_markup',
    'ephemeral_message_parameters',
  ],
  sendDocument: ['chat_id', 'message_thread_id', 'document', 'reply_parameters'],
  editMessageText: ['chat_id', 'message_id', 'text', 'entities', 'parse_mode', 'link_preview_options', 'reply_markup'],
  editMessageReplyMarkup: ['chat_id', 'message_id', 'reply_markup'],
  editEphemeralMessageText: [
    'chat_id',
    'receiver_user_id',
    'ephemeral_message_id',
    'text',
    'entities',
    'link_preview_options',
    'reply_markup',
  ],
  editEphemeralMessageReplyMarkup: ['chat_id', 'receiver_user_id', 'ephemeral_message_id', 'reply_markup'],
  sendChatAction: ['chat_id', 'message_thread_id', 'action'],
  answerCallbackQuery: ['callback_query_id', 'text', 'show_alert'],
};

export const NOT_MODIFIED =
  'message is not modified: specified new message content and reply markup are exactly the same as a current content ' +
  'and reply markup of the message';

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function contentOf(params: Params): Pick<Message, 'text' | 'entities' | 'buttons'> {
  const markup = params.reply_markup as { inline_keyboard?: Params[][] } | undefined;
  const rows = markup?.inline_keyboard ?? [];
  return {
    text: String(params.text ?? ''),
    entities: (params.entities ?? []) as Entity[],
    buttons: rows.map((row) =>
      row.map((button) => ({ text: String(button.text), data: String(button.callback_data) })),
    ),
  };
}

/** A message of the bot as a call makes it. */
export function messageOf(
  at: Pick<Message, 'id' | 'chat'>,
  { message_thread_id: thread, reply_parameters: reply, ephemeral_message_parameters: forOne }: Params,
  content: Pick<Message, 'text' | 'entities' | 'buttons' | 'history' | 'document'>,
): Message {
  const replyTo = (reply as Params | undefined)?.message_id;
  return {
    ...{ ...at, fromBot: true, ...content },
    ...(thread !== undefined && { thread: Number(thread) }),
    ...(replyTo !== undefined && { replyTo: Number(replyTo) }),
    ...(forOne !== undefined && { onlyFor: Number((forOne as Params).receiver_user_id) }),
  };
}

/** A call's parameters, from JSON or a form. In a form, files stay files and what reads as an object is one. */
export async function paramsOf(body: Buffer, contentType = ''): Promise<Params> {
  if (contentType.startsWith('multipart/form-data')) return formParams(body, contentType);
  try {
    return JSON.parse(body.toString() || '{}') as Params;
  } catch {
    return {};
  }
}

async function formParams(body: Buffer, contentType: string): Promise<Params> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  const params: Params = {};
  for (const [name, value] of form) {
    const isFile = typeof value !== 'string';
    if (isFile) params[name] = { name: value.name, mimeType: value.type, text: await value.text() };
    else params[name] = value.startsWith('{') ? JSON.parse(value) : value;
  }
  return params;
}

const DOCUMENT_LIMIT_BYTES = 50 * 1024 * 1024;

/** A file is uploaded in a form; there are others ways, which we do not use. */
export function refusedDocument(document: unknown): string | undefined {
  if (typeof document !== 'object' || document === null) return 'there is no document in the request';
  const { name, text } = document as Document;
  if (!text) return 'file must be non-empty';
  if (!name || /[/\\\0]/.test(name)) return 'the file has no good name';
  return Buffer.byteLength(text) > DOCUMENT_LIMIT_BYTES ? 'file is too big' : undefined;
}

/** @param messages of all chats; only those of `chat` can be replied to. */
export function refusedReply(reply: Params | undefined, messages: Message[], chat: number): string | undefined {
  if (!reply || reply.allow_sending_without_reply === true || 'ephemeral_message_id' in reply) return undefined;
  const isThere = messages.some((one) => one.chat === chat && one.id === reply.message_id);
  return isThere ? undefined : 'message to be replied not found';
}

/** Without admin rights an ephemeral message has to answer a press or a command that was sent the same way. */
export function refusedEphemeral(
  chat: Chat,
  forOne: Params | undefined,
  reply: Params | undefined,
  presses: ReadonlySet<string>,
): string | undefined {
  const isReply = reply !== undefined && 'ephemeral_message_id' in reply;
  if (!forOne) return isReply ? 'a reply to an ephemeral message must be ephemeral' : undefined;
  if (chat.type === 'private') return 'ephemeral messages are not supported in private chats';
  const answers = isReply || presses.has(String(forOne.callback_query_id));
  return answers ? undefined : 'not enough rights to send ephemeral messages';
}
