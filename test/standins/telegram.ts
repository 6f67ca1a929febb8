import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  badRequest,
  type Call,
  contentOf,
  type Document,
  type Failure,
  isSame,
  type KnownChat,
  METHODS,
  type Message,
  messageOf,
  NOT_MODIFIED,
  type Params,
  paramsOf,
  Refusal,
  refusedDocument,
  refusedEphemeral,
  refusedReply,
} from './telegramParts.ts';
import {
  firstOf,
  listOf,
  refusedKeyboard,
  refusedList,
  refusedMenu,
  refusedText,
  refusedWebhook,
} from './telegramRules.ts';
import { type Chat, group, person, privateChat, type Update, type User } from './telegramUpdates.ts';

export { type Call, type Failure, type Message, tooMany } from './telegramParts.ts';
export * from './telegramUpdates.ts';

/**
 * A strict stand-in of Telegram's Bot API for one bot, over HTTP. It refuses what the real one refuses (and a few things
 * more: unknown parameters, parse modes, `tg:` links), keeps chats and messages, and can fail as the real one fails.
 */
export class TelegramStandIn {
  readonly bot: User = { id: 999, is_bot: true, first_name: 'Conch', username: 'acme_bot' };
  readonly token = '999:test-token_abcdefghijklmnopqrstuvw';
  /** Every call in order of arrival. */
  readonly calls: Call[] = [];
  /** Commands by scope and language (`all_private_chats`, `all_private_chats de`), as `setMyCommands` set them. */
  readonly menus = new Map<string, { command: string; description: string }[]>();
  /** What `setWebhook` set. */
  webhook: { url: string; secret_token?: string; allowed_updates?: string[] } | undefined;
  /** More of what `getWebhookInfo` tells. */
  webhookInfo: Params = {};
  /** Presses that were answered, with the text shown. */
  readonly answers = new Map<string, string | undefined>();

  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #chats = new Map<number, KnownChat>();
  readonly #messages: Message[] = [];
  readonly #presses = new Set<string>();
  readonly #failures: { failure: Failure; method: string | undefined; left: number }[] = [];
  #nextId = 1;

  /** Starts on a free port, knowing Ana's private chat (111) and the group -1001111111111. */
  static async start(): Promise<TelegramStandIn> {
    const standIn = new TelegramStandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    standIn.addChat(privateChat(person()));
    standIn.addChat(group());
    return standIn;
  }

  /** For a channel's `apiRoot`. */
  get root(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  addChat(chat: Chat, threads: number[] = []): void {
    this.#chats.set(chat.id, { chat, threads: new Set(threads), blocked: false });
  }

  /** The person deletes one of the bot's messages. */
  delete(message: Message): void {
    this.#messages.splice(this.#messages.indexOf(message), 1);
  }

  /** From now on the bot is blocked in this chat, or not any more. */
  block(chatId: number, blocked = true): void {
    this.#chat(chatId).blocked = blocked;
  }

  /** The group becomes a supergroup with another id. */
  migrate(from: number, to: number): void {
    this.addChat(group(to));
    this.#chat(from).migratedTo = to;
  }

  /** Fails the next calls. @param options `method`: only calls of it; `times`: how many, default 1. */
  fail(failure: Failure, options: { method?: string; times?: number } = {}): void {
    this.#failures.push({ failure, method: options.method, left: options.times ?? 1 });
  }

  /** A chat's messages of the bot, oldest first. */
  messages(chatId: number): Message[] {
    return this.#messages.filter(({ chat, fromBot }) => chat === chatId && fromBot);
  }

  /** What a reader of the chat sees of the bot: the newest texts. */
  visible(chatId: number): string[] {
    return this.messages(chatId).map(({ text }) => text);
  }

  callsOf(method: string): Call[] {
    return this.calls.filter((call) => call.method === method);
  }

  /** A bot's message as an update carries it, for `Updates.press` and for `reply_to_message`. */
  asSent(message: Message): { message_id: number; chat: Chat; date: number; from: User; text: string } {
    const { chat } = this.#chat(message.chat);
    return { message_id: message.id, chat, date: 1_790_000_000, from: this.bot, text: message.text };
  }

  /**
   * Delivers an update to the webhook, as Telegram does, and gives the HTTP status. Its chat, message and press are
   * known from then on.
   * @param to instead of what `setWebhook` set.
   */
  async deliver(update: Update, to: { url?: string; secret?: string } = {}): Promise<number> {
    this.know(update);
    const url = to.url ?? this.webhook?.url;
    const secret = to.secret ?? this.webhook?.secret_token;
    if (!url) throw new Error('No webhook is set');
    const headers = {
      'content-type': 'application/json',
      ...(secret && { 'X-Telegram-Bot-Api-Secret-Token': secret }),
    };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(update) });
    await response.arrayBuffer();
    return response.status;
  }

  /** Takes note of an update's chat, message and press, without delivering it. */
  know(update: Update): void {
    const message = update.message as { chat: Chat; message_id: number; text?: string } | undefined;
    const press = update.callback_query as { id: string } | undefined;
    if (press) this.#presses.add(press.id);
    if (!message) return;
    if (!this.#chats.has(message.chat.id)) this.addChat(message.chat);
    const thread = Number((message as Params).message_thread_id ?? 0);
    if (thread) this.#chat(message.chat.id).threads.add(thread);
    const { message_id: id, chat, text = '' } = message;
    this.#messages.push({ id, chat: chat.id, fromBot: false, text, entities: [], buttons: [], history: [text] });
  }

  #chat(id: number): KnownChat {
    const known = this.#chats.get(id);
    if (!known) throw new Refusal(400, 'Bad Request: chat not found');
    return known;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const params = await paramsOf(Buffer.concat(chunks), request.headers['content-type']);
    const call: Call = { method: method ?? '', params, at: Date.now(), status: 0 };
    this.calls.push(call);
    const failure = this.#nextFailure(call.method);
    if (failure && failure.kind !== 'refuse') {
      if (failure.effect) this.#outcome(token, call);
      if (failure.kind === 'reset') request.socket.resetAndDestroy();
      return;
    }
    const outcome = failure ?? this.#outcome(token, call);
    const isRefused = 'description' in outcome;
    call.status = isRefused ? outcome.code : 200;
    const { parameters } = isRefused ? outcome : {};
    const body = isRefused
      ? { ok: false, error_code: outcome.code, description: outcome.description, ...(parameters && { parameters }) }
      : { ok: true, result: outcome.result };
    response.writeHead(call.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #nextFailure(method: string): Failure | undefined {
    const next = this.#failures.find((one) => one.left > 0 && (one.method ?? method) === method);
    if (next) next.left -= 1;
    return next?.failure;
  }

  #outcome(token: string | undefined, call: Call): { result: unknown } | Refusal {
    try {
      return { result: this.#run(token, call) };
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  #run(token: string | undefined, { method, params }: Call): unknown {
    if (token !== this.token) throw new Refusal(401, 'Unauthorized');
    const known = METHODS[method];
    if (!known) throw new Refusal(404, 'Not Found');
    const strange = Object.keys(params).find((name) => !known.includes(name));
    badRequest(strange && `the stand-in knows no parameter ${strange} of ${method}`);
    return this.#methods[method]?.(params) ?? true;
  }

  readonly #methods: Record<string, (params: Params) => unknown> = {
    getMe: () => ({ ...this.bot, can_join_groups: true }),
    getWebhookInfo: () => ({ url: this.webhook?.url ?? '', pending_update_count: 0, ...this.webhookInfo }),
    setWebhook: (params) => {
      badRequest(refusedWebhook(params));
      this.webhook = params as NonNullable<TelegramStandIn['webhook']>;
    },
    deleteWebhook: () => {
      this.webhook = undefined;
    },
    setMyCommands: (params) => {
      badRequest(refusedMenu(params));
      this.menus.set(listOf(params), params.commands as { command: string; description: string }[]);
    },
    getMyCommands: (params) => {
      badRequest(refusedList(params));
      return this.menus.get(listOf(params)) ?? [];
    },
    deleteMyCommands: (params) => {
      badRequest(refusedList(params));
      this.menus.delete(listOf(params));
    },
    sendMessage: (params) => this.#send(params),
    sendDocument: (params) => this.#sendDocument(params),
    editMessageText: (params) => this.#edit(this.#ownMessage(params), params),
    editEphemeralMessageText: (params) => this.#edit(this.#ownMessage(params), params) && true,
    editMessageReplyMarkup: (params) => this.#editKeyboard(this.#ownMessage(params), params),
    editEphemeralMessageReplyMarkup: (params) => this.#editKeyboard(this.#ownMessage(params), params) && true,
    sendChatAction: (params) => {
      this.#openChat(params);
      badRequest(params.action === 'typing' ? undefined : 'wrong parameter action in request');
    },
    answerCallbackQuery: ({ callback_query_id: id, text }) => {
      const isKnown = typeof id === 'string' && this.#presses.has(id);
      badRequest(isKnown ? undefined : 'query is too old and response timeout expired or query ID is invalid');
      badRequest(String(text ?? '').length > 200 ? 'MESSAGE_TOO_LONG' : undefined);
      this.answers.set(String(id), text as string | undefined);
    },
  };

  /** The chat of a call, if the bot may write there; with its thread checked. */
  #openChat(params: Params): KnownChat {
    const known = this.#chat(Number(params.chat_id));
    if (known.blocked) {
      const isPrivate = known.chat.type === 'private';
      const words = isPrivate ? 'bot was blocked by the user' : `bot was kicked from the ${known.chat.type} chat`;
      throw new Refusal(403, `Forbidden: ${words}`);
    }
    if (known.migratedTo !== undefined) {
      const parameters = { migrate_to_chat_id: known.migratedTo };
      throw new Refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', parameters);
    }
    const thread = params.message_thread_id;
    badRequest(thread === undefined || known.threads.has(Number(thread)) ? undefined : 'message thread not found');
    return known;
  }

  #send(params: Params): unknown {
    const { chat } = this.#openChat(params);
    const forOne = params.ephemeral_message_parameters as Params | undefined;
    const reply = params.reply_parameters as Params | undefined;
    badRequest(
      firstOf(
        () => refusedText(params),
        () => refusedKeyboard(params.reply_markup),
        () => refusedReply(reply, this.#messages, chat.id),
        () => refusedEphemeral(chat, forOne, reply, this.#presses),
      ),
    );
    const content = { ...contentOf(params), history: [String(params.text)] };
    const message = messageOf({ id: this.#nextId++, chat: chat.id }, params, content);
    this.#messages.push(message);
    const sent = this.asSent(message);
    return forOne ? { ...sent, message_id: 0, ephemeral_message_id: message.id } : sent;
  }

  #sendDocument(params: Params): unknown {
    const { chat } = this.#openChat(params);
    const reply = params.reply_parameters as Params | undefined;
    badRequest(refusedDocument(params.document) ?? refusedReply(reply, this.#messages, chat.id));
    const content = { text: '', entities: [], buttons: [], history: [''], document: params.document as Document };
    const message = messageOf({ id: this.#nextId++, chat: chat.id }, params, content);
    this.#messages.push(message);
    return this.asSent(message);
  }

  #ownMessage(params: Params): Message {
    this.#openChat(params);
    const { chat_id: chat, message_id: id, ephemeral_message_id: ephemeral, receiver_user_id: receiver } = params;
    const found = this.#messages.find(
      (one) => one.chat === chat && one.id === (id ?? ephemeral) && one.onlyFor === receiver,
    );
    if (!found) throw new Refusal(400, 'Bad Request: message to edit not found');
    if (!found.fromBot) throw new Refusal(400, "Bad Request: message can't be edited");
    return found;
  }

  #edit(message: Message, params: Params): unknown {
    badRequest(refusedText(params) ?? refusedKeyboard(params.reply_markup));
    const content = contentOf(params);
    const { text, entities, buttons } = message;
    badRequest(isSame({ text, entities, buttons }, content) ? NOT_MODIFIED : undefined);
    Object.assign(message, content);
    message.history.push(content.text);
    return this.asSent(message);
  }

  #editKeyboard(message: Message, params: Params): unknown {
    badRequest(refusedKeyboard(params.reply_markup));
    const { buttons } = contentOf(params);
    badRequest(isSame(buttons, message.buttons) ? NOT_MODIFIED : undefined);
    message.buttons = buttons;
    return this.asSent(message);
  }
}
