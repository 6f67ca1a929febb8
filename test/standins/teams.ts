import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import vectors from '../fixtures/teams/vectors.json' with { type: 'json' };
import {
  type Answer,
  bodyOf,
  type Call,
  conversationFields,
  type Failure,
  type Message,
  type PressAnswer,
  refusal,
  routeOf,
} from './teamsParts.ts';
import { APP_ID, BOT, direct, GENERAL, LUNCH, TENANT, TeamsPayloads } from './teamsPayloads.ts';
import { buttonsOf, cardFault, cardWords, fieldsOf, type Params, refusedActivity, shownWords } from './teamsRules.ts';
import { type SignedAs, signedToken } from './teamsTokens.ts';

export type { Message } from './teamsParts.ts';
export * from './teamsPayloads.ts';
export { buttonsOf } from './teamsRules.ts';

/**
 * A strict stand-in of Teams for one bot: Microsoft's login, Bot Framework's keys and API over HTTP. It refuses what the
 * real ones refuse, keeps conversations and messages, signs what it delivers, and can fail as the real ones fail.
 */
export class TeamsStandIn {
  readonly appPassword = 'conch~test~secret~of~the~bot';
  readonly payloads = new TeamsPayloads();
  /** Every call in order of arrival. */
  readonly calls: Call[] = [];
  readonly messages: Message[] = [];
  /** Where activities go. */
  webhook = '';
  /** The keys that it lists. */
  keys: unknown[] = vectors.jwks.keys;

  readonly #server = createServer((request, response) => void this.#serve(request, response));
  /** Conversations with the bot in them. */
  readonly #conversations = new Set([GENERAL, LUNCH]);
  readonly #tokens = new Set<string>();
  readonly #failures: { failure: Failure; kind: string | undefined; left: number }[] = [];

  static async start(): Promise<TeamsStandIn> {
    const standIn = new TeamsStandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The fields of a channel for this bot. */
  get fields() {
    return {
      ...{ appId: APP_ID, appPassword: this.appPassword, appTenantId: TENANT, loginRoot: this.origin },
      ...{ openIdMetadataUrl: `${this.origin}/v1/.well-known/openidconfiguration`, apiRoot: `${this.origin}/teams` },
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The bot is taken out of a conversation. */
  remove(conversation: string): void {
    this.#conversations.delete(conversation);
  }

  /** No token that was given out serves any more. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  /** Fails the next calls. @param options `kind`: only such calls; `times`: how many, default 1. */
  fail(failure: Failure, options: { kind?: string; times?: number } = {}): void {
    this.#failures.push({ failure, kind: options.kind, left: options.times ?? 1 });
  }

  callsOf(kind: string): Call[] {
    return this.calls.filter((call) => call.kind === kind);
  }

  /** What a reader sees: the words of the messages of a conversation. */
  visible(conversation: string): string[] {
    return this.messages.filter((one) => one.conversation === conversation).map(shownOf);
  }

  /** Delivers an activity, signed as Bot Framework does. A private chat opens by that. */
  async deliver(activity: Params, as: SignedAs = {}): Promise<{ status: number; body: string }> {
    const { conversationType, id } = (activity.conversation ?? {}) as Params;
    if (conversationType === 'personal') this.#conversations.add(String(id));
    const token = signedToken(APP_ID, activity.serviceUrl, as);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const response = await fetch(this.webhook, { method: 'POST', headers, body: JSON.stringify(activity) });
    return { status: response.status, body: await response.text() };
  }

  /** The activity of a press of the button with this label. */
  pressOf(message: Message, label: string | RegExp, person: string, way: 'invoke' | 'submit' = 'invoke'): Params {
    const matches = (text: string) => (typeof label === 'string' ? text === label : label.test(text));
    const button = buttonsOf(message.activity).find(({ title }) => matches(title));
    if (!button) throw new Error(`There is no button ${label}`);
    const at = { conversation: conversationFields(message.conversation, person), message: message.id };
    return this.payloads[way]({ ...button.data, ...fieldsOf(message.activity) }, person, at);
  }

  /** Delivers a press and reads the answer. @throws if it is none that Teams takes. */
  async press(message: Message, label: string | RegExp, person: string): Promise<PressAnswer> {
    return this.answerTo(this.pressOf(message, label, person));
  }

  /** As `press`, of an activity that may be delivered again. */
  async answerTo(invoke: Params): Promise<PressAnswer> {
    const { status, body } = await this.deliver(invoke);
    if (status !== 200) return { status, words: body };
    const { statusCode, type, value } = JSON.parse(body) as { statusCode: number; type: string; value: unknown };
    if (statusCode !== 200) throw new Error(`Teams takes no answer of status ${statusCode}`);
    if (type === 'application/vnd.microsoft.card.adaptive') {
      const fault = cardFault(value as Params);
      if (fault) throw new Error(`Teams takes no such card: ${fault}`);
      return { status, card: value as Params, words: cardWords(value as Params) };
    }
    const isText = type === 'application/vnd.microsoft.activity.message' && typeof value === 'string' && value !== '';
    if (!isText) throw new Error(`Teams takes no such answer: ${body}`);
    return { status, words: value };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = bodyOf(Buffer.concat(chunks).toString(), request.headers['content-type'] ?? '');
    const path = decodeURIComponent(new URL(request.url ?? '/', this.origin).pathname);
    const { kind, conversation, id } = routeOf(request.method ?? '', path);
    const call: Call = { kind, conversation, body };
    this.calls.push(call);
    const run = () => this.#run({ call, path, id }, request.headers.authorization);
    const failure = this.#nextFailure(kind);
    if (failure && failure.kind !== 'error') {
      if (failure.effect) run();
      if (failure.kind === 'reset') request.socket.resetAndDestroy();
      return;
    }
    const answer = failure ? refusal(failure.status, failure.code ?? 'ServiceError') : run();
    Object.assign(call, { status: answer.status, code: answer.code });
    const wait = failure?.retryAfterS === undefined ? {} : { 'retry-after': String(failure.retryAfterS) };
    response.writeHead(answer.status, { 'content-type': 'application/json', ...wait });
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
  }

  #nextFailure(kind: string): Failure | undefined {
    const next = this.#failures.find((one) => one.left > 0 && (one.kind ?? kind) === kind);
    if (next) next.left -= 1;
    return next?.failure;
  }

  #run(asked: { call: Call; path: string; id?: string | undefined }, authorization: string | undefined): Answer {
    const { call, path, id } = asked;
    if (call.kind === 'metadata') {
      const jwks = { jwks_uri: `${this.origin}/v1/.well-known/keys` };
      return { status: 200, body: { ...vectors.openIdMetadata, ...jwks } };
    }
    if (call.kind === 'keys') return { status: 200, body: { keys: this.keys } };
    if (call.kind === 'login') return this.#login(path, call.body);
    if (!this.#tokens.has(authorization?.replace(/^Bearer /, '') ?? '')) return { status: 401, body: 'Unauthorized' };
    if (call.kind === 'create') return this.#create(call.body);
    if (call.kind !== 'post' && call.kind !== 'put') return refusal(404, 'ServiceNotFound');
    const conversation = call.conversation ?? '';
    const [chat = ''] = conversation.split(';');
    if (!chat) return refusal(404, 'ConversationNotFound');
    if (!this.#conversations.has(chat)) return refusal(403, 'BotNotInConversationRoster');
    const refused = refusedActivity(call.body);
    if (refused) return refusal(refused.status, refused.code);
    return call.kind === 'post' ? this.#post(conversation, call.body) : this.#put(conversation, id ?? '', call.body);
  }

  #login(path: string, { grant_type: grant, client_id: app, client_secret: secret, scope }: Params): Answer {
    const denied = (code: number, error = 'invalid_client'): Answer => ({
      ...{ status: error === 'invalid_client' ? 401 : 400, code: String(code) },
      body: { error, error_description: `AADSTS${code}: No.`, error_codes: [code] },
    });
    if (!path.startsWith(`/${TENANT}/`)) return denied(90002, 'invalid_request');
    if (app !== APP_ID) return denied(700016, 'unauthorized_client');
    if (secret !== this.appPassword) return denied(7000215);
    const isRight = grant === 'client_credentials' && scope === 'https://api.botframework.com/.default';
    if (!isRight) return denied(70011, 'invalid_scope');
    const token = `token-${this.payloads.id()}`;
    this.#tokens.add(token);
    return { status: 200, body: { token_type: 'Bearer', expires_in: 3_599, access_token: token } };
  }

  #create({ bot, members, tenantId }: Params): Answer {
    const [member, ...more] = (members ?? []) as { id: string }[];
    const isRight = (bot as Params)?.id === BOT && member && more.length === 0 && tenantId === TENANT;
    if (!isRight) return refusal(400, 'BadSyntax');
    const id = direct(member.id);
    this.#conversations.add(id);
    return { status: 201, body: { id } };
  }

  #post(conversation: string, activity: Params): Answer {
    if (activity.type === 'typing') return { status: 202 };
    const message = { conversation, id: this.payloads.id(), activity, history: [shownWords(activity)] };
    this.messages.push(message);
    return { status: 201, body: { id: message.id } };
  }

  #put(conversation: string, id: string, activity: Params): Answer {
    const found = this.messages.find((one) => one.id === id && one.conversation === conversation);
    if (!found) return refusal(404, 'ActivityNotFoundInConversation');
    if (activity.id !== id) return refusal(400, 'Bad Argument id');
    found.activity = activity;
    found.history.push(shownWords(activity));
    return { status: 200, body: { id } };
  }
}

/** What a message shows now. */
export function shownOf(message: Message): string {
  return message.history.at(-1) ?? '';
}
