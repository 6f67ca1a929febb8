import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Call, type Failure, type File, FORM_ONLY, METHODS, type Message, Refusal, refuse } from './slackParts.ts';
import { BOT, deliveryOf, directChannel, GENERAL, SlackPayloads, TEAM } from './slackPayloads.ts';
import { buttonsOf, type Params, refusedMessage, shownWords } from './slackRules.ts';
import { type Asked, answer, askedOf, outcomeOf } from './slackServer.ts';
import { SlackWorkspaces } from './slackWorkspaces.ts';

export { type Call, type Failure, type Message, tooMany } from './slackParts.ts';
export * from './slackPayloads.ts';
export { buttonsOf } from './slackRules.ts';

const URL_USES = 5;

interface KnownChannel {
  members: Set<string>;
  archived: boolean;
}

/**
 * A strict stand-in of Slack for one app in one workspace, over HTTP: the Web API, response URLs, uploads. It refuses what
 * the real one refuses (and a few things more: unknown parameters, texts that would be split or would ping), keeps
 * channels and messages, and can fail as the real one fails.
 */
export class SlackStandIn {
  readonly botToken = 'xoxb-000000000-000000000-conchtesttoken';
  readonly signingSecret = 'conch0test0signing0secret0000001';
  readonly payloads = new SlackPayloads();
  /** The app in many workspaces, beside the bot of `botToken` in `TEAM`. */
  readonly workspaces = new SlackWorkspaces();
  /** Every call in order of arrival. */
  readonly calls: Call[] = [];
  readonly messages: Message[] = [];
  readonly files: File[] = [];
  /** Rights of the bot's token, as each answer tells them. */
  scopes: readonly string[] | undefined;
  /** Where events, commands and presses go. */
  webhook = '';

  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #channels = new Map<string, KnownChannel>();
  readonly #urls = new Map<string, { uses: number; channel: string; user: string; team: string; message?: Message }>();
  readonly #uploads = new Map<string, { name: string; length: number; bytes?: Uint8Array }>();
  readonly #failures: { failure: Failure; method: string | undefined; left: number }[] = [];
  #installed = true;
  /** The workspace of the call that is served. */
  #team = TEAM;
  #nextId = 1;

  /** Starts on a free port, knowing the channel `GENERAL` with the bot in it. */
  static async start(): Promise<SlackStandIn> {
    const standIn = new SlackStandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    standIn.addChannel(GENERAL);
    return standIn;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For a channel's `apiRoot`. */
  get root(): string {
    return `${this.origin}/api`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  addChannel(id: string, members: string[] = [BOT]): void {
    this.#channels.set(id, { members: new Set(members), archived: false });
  }

  archive(id: string): void {
    this.#known(id).archived = true;
  }

  /** The app was removed from the workspace. */
  uninstall(): void {
    this.#installed = false;
  }

  /** Fails the next calls. @param options `method`: only calls of it; `times`: how many, default 1. */
  fail(failure: Failure, options: { method?: string; times?: number } = {}): void {
    this.#failures.push({ failure, method: options.method, left: options.times ?? 1 });
  }

  callsOf(method: string): Call[] {
    return this.calls.filter((call) => call.method === method);
  }

  /** What a reader sees: the words of the messages in a channel. @param user who reads; messages for others are hidden. */
  visible(channel: string, user?: string): string[] {
    return this.messages
      .filter((one) => one.channel === channel && (one.onlyFor === undefined || one.onlyFor === user))
      .map(shownOf);
  }

  /** A fresh response URL, as one comes with each command and press. */
  responseUrl(channel: string, user: string, message?: Message, team = message?.team ?? TEAM): string {
    const path = `/hooks/${this.#nextId++}`;
    this.#urls.set(path, { uses: 0, channel, user, team, ...(message && { message }) });
    return `${this.origin}${path}`;
  }

  /** `/conch TEXT` of a person. @param payloads of the workspace that it is typed in. */
  command(text: string, user: string, channel: string, payloads = this.payloads): Params {
    const responseUrl = this.responseUrl(channel, user, undefined, payloads.team);
    return payloads.command(text, user, { channel, responseUrl });
  }

  /** A press of the button with this label. */
  press(message: Message, label: string | RegExp, user: string): Params {
    const matches = (text: string) => (typeof label === 'string' ? text === label : label.test(text));
    const button = buttonsOf({ blocks: message.blocks }).find(({ text }) => matches(text));
    if (!button) throw new Error(`There is no button ${label}`);
    const payloads = message.team === TEAM ? this.payloads : this.payloads.of(message.team);
    return payloads.press(button, user, message, this.responseUrl(message.channel, user, message));
  }

  /** Delivers a payload, signed as Slack does. @param as instead of the right secret. */
  async deliver(
    payload: Params,
    as: { secret?: string; retry?: number } = {},
  ): Promise<{ status: number; body: string }> {
    const { contentType, body } = deliveryOf(payload);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const secret = as.secret ?? this.signingSecret;
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
    const headers = {
      ...{ 'content-type': contentType, 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': signature },
      ...(as.retry === undefined ? {} : { 'X-Slack-Retry-Num': String(as.retry) }),
    };
    const response = await fetch(this.webhook, { method: 'POST', headers, body });
    return { status: response.status, body: await response.text() };
  }

  #known(id: string): KnownChannel {
    // A person's id stands for their private chat with the bot, which opens when it is used.
    if (id.startsWith('D') && !this.#channels.has(id)) throw new Refusal('channel_not_found');
    const known = this.#channels.get(id);
    if (!known) throw new Refusal('channel_not_found');
    return known;
  }

  #open(user: string): string {
    const id = directChannel(user);
    if (!this.#channels.has(id)) this.addChannel(id, [BOT, user]);
    return id;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await askedOf(request);
    const { call } = asked;
    this.calls.push(call);
    const failure = this.#nextFailure(call.method);
    if (failure && failure.kind !== 'error') {
      if (failure.effect) outcomeOf(() => this.#run(asked));
      if (failure.kind === 'reset') request.socket.resetAndDestroy();
      return;
    }
    const outcome = failure ?? outcomeOf(() => this.#run(asked));
    if ('error' in outcome) call.error = outcome.error;
    answer(response, call.method, outcome, failure, this.scopes);
  }

  #run({ call, path, bytes, isForm, authorization }: Asked): Params {
    if (call.method === 'upload') return this.#upload(path.slice('/upload/'.length), bytes);
    if (call.method === 'response_url') return this.#respond(path, call.params);
    return this.#call(authorization, call, isForm);
  }

  #nextFailure(method: string): Failure | undefined {
    const next = this.#failures.find((one) => one.left > 0 && (one.method ?? method) === method);
    if (next) next.left -= 1;
    return next?.failure;
  }

  #call(authorization: string | undefined, { method, params }: Call, isForm: boolean): Params {
    const known = METHODS[method];
    if (!known) throw new Refusal('unknown_method');
    if (FORM_ONLY.has(method) && !isForm) throw new Refusal('invalid_arguments');
    const strange = Object.keys(params).find((name) => !known.includes(name));
    refuse(strange && `stand_in_unknown_parameter_${strange}`);
    if (method === 'oauth.v2.access') return this.workspaces.access(params);
    this.#team = this.#teamOf(authorization?.replace('Bearer ', '') ?? '');
    return this.#methods[method]?.(params) ?? {};
  }

  #teamOf(token: string): string {
    if (token !== this.botToken) return this.workspaces.teamOf(token);
    refuse(this.#installed ? undefined : 'account_inactive');
    return TEAM;
  }

  readonly #methods: Record<string, (params: Params) => Params> = {
    'auth.test': () => this.workspaces.identity(this.#team),
    'chat.postMessage': (params) => {
      const channel = this.#writable(params);
      const message = this.#add(channel, params, {});
      return { channel, ts: message.ts, message: { text: message.text, blocks: message.blocks } };
    },
    'chat.postEphemeral': (params) => {
      const channel = this.#writable(params);
      if (!this.#known(channel).members.has(String(params.user)) && !channel.startsWith('D')) {
        throw new Refusal('user_not_in_channel');
      }
      return { message_ts: this.#add(channel, params, { onlyFor: String(params.user) }).ts };
    },
    'chat.update': (params) => this.#update(params),
    'assistant.threads.setStatus': ({ channel_id: channel, thread_ts: thread }) => {
      this.#known(String(channel));
      refuse(typeof thread === 'string' ? undefined : 'invalid_thread_ts');
      return {};
    },
    'conversations.open': ({ users }) => ({ channel: { id: this.#open(String(users)) } }),
    'files.getUploadURLExternal': ({ filename, length }) => {
      refuse(Number(length) > 0 ? undefined : 'invalid_arguments');
      const id = `F${this.#nextId++}`;
      this.#uploads.set(id, { name: String(filename), length: Number(length) });
      return { upload_url: `${this.origin}/upload/${id}`, file_id: id };
    },
    'files.completeUploadExternal': (params) => this.#complete(params),
  };

  /** The channel that a call may write to; a person's id is their private chat. */
  #writable({ channel }: Params): string {
    const given = String(channel);
    const id = /^[UW]/.test(given) ? this.#open(given) : given;
    const known = this.#known(id);
    refuse(known.archived ? 'is_archived' : undefined);
    refuse(known.members.has(BOT) ? undefined : 'not_in_channel');
    return id;
  }

  #add(channel: string, params: Params, more: Partial<Message>): Message {
    refuse(refusedMessage(params));
    const { text, blocks, thread_ts: thread } = params;
    const message: Message = {
      ...{ team: this.#team, channel, ts: this.payloads.ts(), text: String(text ?? ''), history: [shownWords(params)] },
      ...(blocks === undefined ? {} : { blocks }),
      ...(thread === undefined ? {} : { thread: String(thread) }),
      ...more,
    };
    this.messages.push(message);
    return message;
  }

  #update(params: Params): Params {
    const channel = String(params.channel);
    this.#known(channel);
    const found = this.messages.find(
      (one) => one.team === this.#team && one.channel === channel && one.ts === params.ts && !one.onlyFor,
    );
    if (!found) throw new Refusal('message_not_found');
    this.#change(found, params);
    return { channel, ts: found.ts };
  }

  /** Without blocks an edit takes the old ones away. */
  #change(message: Message, params: Params): void {
    refuse(refusedMessage(params));
    message.text = String(params.text ?? '');
    message.blocks = params.blocks;
    message.history.push(shownWords(params));
  }

  /** A response URL works where the bot may not write, five times. */
  #respond(path: string, params: Params): Params {
    const url = this.#urls.get(path);
    if (!url || url.uses >= URL_USES) throw new Refusal(url ? 'used_url' : 'expired_url');
    url.uses += 1;
    this.#team = url.team;
    if (params.replace_original === true || params.delete_original === true) {
      if (!url.message) throw new Refusal('message_not_found');
      if (params.delete_original === true) this.messages.splice(this.messages.indexOf(url.message), 1);
      else this.#change(url.message, params);
      return {};
    }
    const onlyFor = params.response_type === 'in_channel' ? {} : { onlyFor: url.user };
    this.#add(url.channel, params, onlyFor);
    return {};
  }

  #upload(id: string, bytes: Uint8Array): Params {
    const upload = this.#uploads.get(id);
    if (!upload || upload.length !== bytes.length) throw new Refusal('upload_failed');
    upload.bytes = bytes;
    return {};
  }

  #complete({ files, channel_id: given, thread_ts: thread }: Params): Params {
    const channel = String(given);
    refuse(/^[UW]/.test(channel) ? 'channel_not_found' : undefined);
    this.#writable({ channel });
    for (const { id } of files as { id: string }[]) {
      const upload = this.#uploads.get(id);
      if (!upload?.bytes) throw new Refusal('file_not_found');
      const at = { channel, ...(thread === undefined ? {} : { thread: String(thread) }) };
      this.files.push({ ...at, name: upload.name, bytes: upload.bytes });
    }
    return { files };
  }
}

/** What a message shows now. */
export function shownOf(message: Message): string {
  return message.history.at(-1) ?? '';
}
