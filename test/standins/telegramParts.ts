import type { Entity } from './telegramRules.ts';

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
  setWebhook: ['url', 'secret_token', 'allowed_updates', 'max_connections', 'drop_pending_updates'],
  getWebhookInfo: [],
  setMyCommands: ['commands', 'scope', 'language_code'],
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

export function paramsOf(body: Buffer): Params {
  try {
    return JSON.parse(body.toString() || '{}') as Params;
  } catch {
    return {};
  }
}
