import { APPLICATION, BOT, placeId, Signer, snowflake } from './discordInteractions.ts';
import { applyBody, type Call, invalidForm, type Known, type Message, Refusal } from './discordParts.ts';
import { type Params, refusedCommands, refusedMessage } from './discordRules.ts';
import { DiscordServer, type Route } from './discordServer.ts';
import { shownText } from './discordText.ts';

export * from './discordInteractions.ts';
export { type Call, type Message, tooMany } from './discordParts.ts';
export { shownText } from './discordText.ts';

const ANSWER_WITHIN_MS = 3_000;
const TOKEN_LIFETIME_MS = 15 * 60_000;

/** What the webhook answered, and what Discord made of it. */
export interface Delivered {
  status: number;
  body: Params | undefined;
  /** No answer in time, or none that Discord takes: the person sees that the application did not respond. */
  failed: boolean;
}

/**
 * A strict stand-in of Discord: its API over HTTP, and the deliveries of interactions, signed, whose HTTP answers it
 * reads as Discord does. It refuses what the real one refuses, and messages in which somebody could be mentioned.
 */
export class DiscordStandIn extends DiscordServer {
  readonly signer = new Signer();
  readonly messages: Message[] = [];
  /** The list of commands that was put. */
  commands: Params[] = [];
  /** `interactions_endpoint_url`, taken only if it answers a PING and refuses a wrong signature. */
  webhook: string | undefined;

  readonly #interactions: Known[] = [];
  readonly #closed = new Set<string>();
  readonly #directs = new Map<string, string>();
  readonly #nonces = new Map<string, Message>();

  static async start(): Promise<DiscordStandIn> {
    const standIn = new DiscordStandIn();
    await standIn.listen();
    return standIn;
  }

  /** The bot may not write in this channel any more. */
  closeChannel(channel: string): void {
    this.#closed.add(channel);
  }

  /** The channel of the bot's private chat with this person. */
  direct(person: string): string {
    const channel = this.#directs.get(person) ?? placeId();
    this.#directs.set(person, channel);
    return channel;
  }

  /** What is shown in a channel, oldest first; what is still deferred is `…`. */
  shown(channel: string): string[] {
    return this.messages
      .filter((one) => one.channel === channel)
      .map(({ content, deferred }) => (deferred ? '…' : shownText(content)));
  }

  /** A message as an interaction carries it. */
  asSent({ id, channel, content, ephemeral }: Message): Params {
    const author = { id: BOT, username: 'acme', bot: true, discriminator: '0000' };
    return { id, channel_id: channel, content, flags: ephemeral ? 64 : 0, type: 0, author };
  }

  /** Takes note of an interaction without delivering it; `age`: how long ago it came, ms. */
  know(interaction: Params, { age = 0, answered }: { age?: number; answered?: number } = {}): Known {
    const { id, token, channel_id: channel, message } = interaction as Record<string, string>;
    const pressed = (interaction.message as Params | undefined)?.id;
    const known: Known = { id: String(id), token: String(token), channel: String(channel), at: Date.now() - age };
    if (message && typeof pressed === 'string') known.original = pressed;
    if (answered !== undefined) this.#take(known, { type: answered });
    this.#interactions.push(known);
    return known;
  }

  /** Delivers an interaction, and reads the answer. */
  async deliver(interaction: Params, options: { url?: string; signed?: boolean } = {}): Promise<Delivered> {
    const known = this.know(interaction);
    const url = options.url ?? this.webhook ?? '';
    const response = await this.#send(url, interaction, options.signed ?? true);
    if (!response) known.failed = true;
    const answer = response && { status: response.status, body: response.body };
    if (answer?.body && typeof answer.body.type === 'number' && known.answered === undefined)
      this.#tryTaking(known, answer.body);
    if (known.answered === undefined) known.failed = true;
    return { status: answer?.status ?? 0, body: answer?.body, failed: known.failed === true };
  }

  async #send(
    url: string,
    interaction: Params,
    signed: boolean,
  ): Promise<{ status: number; body?: Params } | undefined> {
    const bytes = Buffer.from(JSON.stringify(interaction));
    const headers = this.signer.headers(signed ? bytes : Buffer.from('another'));
    const init = { method: 'POST', body: bytes, headers: { 'content-type': 'application/json', ...headers } };
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      const text = await response.text();
      return { status: response.status, ...(text && { body: JSON.parse(text) as Params }) };
    } catch {
      return undefined;
    }
  }

  #tryTaking(known: Known, answer: Params): void {
    try {
      this.#take(known, answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      known.failed = true;
    }
  }

  /** Does what an answer to an interaction says. */
  #take(known: Known, { type, data = {} }: { type?: unknown; data?: Params }): void {
    if (known.answered !== undefined) throw new Refusal(400, 40060, 'Interaction has already been acknowledged.');
    if (known.failed) throw new Refusal(404, 10062, 'Unknown interaction');
    if (type === 4 || type === 5) {
      const message = this.#add(known.channel, {
        ephemeral: (Number(data.flags ?? 0) & 64) !== 0,
        deferred: type === 5,
      });
      if (type === 4) applyBody(message, data, false);
      this.messages.push(message);
      known.original = message.id;
    } else if (type === 7) {
      applyBody(this.#message(known.original), data, true);
    } else if (type === 8) {
      const choices = data.choices as Params[];
      invalidForm(
        choices.length <= 25 && choices.every(({ name }) => String(name).length <= 100) ? undefined : 'choices',
      );
    } else invalidForm(type === 6 || type === 9 ? undefined : `type: ${String(type)}`);
    known.answered = Number(type);
  }

  #add(channel: string, fields: Partial<Message> = {}): Message {
    return {
      id: snowflake(),
      channel,
      content: '',
      ephemeral: false,
      deferred: false,
      buttons: [],
      history: [],
      ...fields,
    };
  }

  #message(id: string | undefined, channel?: string): Message {
    const found = this.messages.find((one) => one.id === id && (channel === undefined || one.channel === channel));
    if (!found) throw new Refusal(404, 10008, 'Unknown Message');
    return found;
  }

  protected override readonly routes: Route[] = [
    [/^GET \/applications\/@me$/, () => this.#application()],
    [/^PATCH \/applications\/@me$/, ({ body }) => this.#setWebhook(body.interactions_endpoint_url)],
    [/^GET \/applications\/(\d+)\/commands$/, () => this.commands],
    [/^PUT \/applications\/(\d+)\/commands$/, ({ body }, application) => this.#putCommands(application, body)],
    [/^POST \/users\/@me\/channels$/, ({ body }) => ({ id: this.direct(String(body.recipient_id)), type: 1 })],
    [/^POST \/channels\/(\d+)\/typing$/, (_call, channel) => this.#type(channel)],
    [/^POST \/channels\/(\d+)\/messages$/, (call, channel) => this.#post(call, this.#open(channel))],
    [/^PATCH \/channels\/(\d+)\/messages\/(\d+)$/, ({ body }, channel, id) => this.#editInChannel(channel, id, body)],
    [/^POST \/interactions\/(\d+)\/([^/]+)\/callback$/, ({ body }, id, token) => this.#callback(id, token, body)],
    [/^POST \/webhooks\/(\d+)\/([^/]+)$/, (call, _application, token) => this.#followUp(call, this.#answered(token))],
    [
      /^PATCH \/webhooks\/(\d+)\/([^/]+)\/messages\/(.+)$/,
      ({ body }, _application, token, id) => this.#editByToken(this.#answered(token), String(id), body),
    ],
  ];

  #application(): Params {
    const bot = { id: BOT, username: 'acme', bot: true };
    return {
      id: APPLICATION,
      name: 'Acme',
      verify_key: this.signer.publicKey,
      bot,
      interactions_endpoint_url: this.webhook ?? null,
    };
  }

  /** `null` takes the address away. */
  async #setWebhook(given: unknown): Promise<Params> {
    if (given === null) {
      this.webhook = undefined;
      return this.#application();
    }
    const url = String(given);
    const ping = { id: snowflake(), application_id: APPLICATION, type: 1, token: 'made-up', version: 1 };
    const [pong, refused] = await Promise.all([this.#send(url, ping, true), this.#send(url, ping, false)]);
    const isRight = pong?.status === 200 && pong.body?.type === 1 && refused?.status === 401;
    invalidForm(isRight ? undefined : 'interactions_endpoint_url: could not be verified.');
    this.webhook = url;
    return this.#application();
  }

  #putCommands(application: string | undefined, list: unknown): Params[] {
    if (application !== APPLICATION) throw new Refusal(403, 20012, 'You are not authorized to perform this action');
    invalidForm(refusedCommands(list));
    this.commands = list as Params[];
    return this.commands.map((one) => ({ id: placeId(), ...one }));
  }

  #open(channel = ''): string {
    if (this.#closed.has(channel)) throw new Refusal(403, 50001, 'Missing Access');
    return channel;
  }

  #type(channel: string | undefined): undefined {
    this.#open(channel);
  }

  #post({ body, file }: Call, channel: string): Params {
    const before = typeof body.nonce === 'string' ? this.#nonces.get(body.nonce) : undefined;
    if (before) return this.asSent(before);
    const message = this.#add(channel, file && { file });
    invalidForm(Number(body.flags ?? 0) & 64 ? 'flags: an interaction’s alone' : undefined);
    if (!file) applyBody(message, body, false);
    if (typeof body.nonce === 'string') this.#nonces.set(body.nonce, message);
    this.messages.push(message);
    return this.asSent(message);
  }

  #editInChannel(channel: string | undefined, id: string | undefined, body: Params): Params {
    const message = this.#message(id, this.#open(channel));
    if (message.ephemeral) throw new Refusal(404, 10008, 'Unknown Message');
    applyBody(message, body, true);
    return this.asSent(message);
  }

  #callback(id: string | undefined, token: string | undefined, body: Params): undefined {
    const known = this.#interactions.find((one) => one.id === id && one.token === token);
    if (!known) throw new Refusal(404, 10062, 'Unknown interaction');
    this.#take(known, body);
  }

  /** An interaction that was answered, while its token serves. */
  #answered(token: string | undefined): Known {
    const known = this.#interactions.find((one) => one.token === token);
    if (!known || known.answered === undefined) throw new Refusal(404, 10015, 'Unknown Webhook');
    if (Date.now() - known.at > TOKEN_LIFETIME_MS) throw new Refusal(401, 50027, 'Invalid Webhook Token');
    return known;
  }

  /** The first message behind a deferred answer takes its place, and is seen by the same people. */
  #followUp({ body, file }: Call, known: Known): Params {
    const waiting = this.messages.find((one) => one.id === known.original && one.deferred);
    const message = waiting ?? this.#add(known.channel, { ephemeral: (Number(body.flags ?? 0) & 64) !== 0 });
    if (file) Object.assign(message, { file, deferred: false });
    else {
      invalidForm(refusedMessage(body));
      applyBody(message, body, false);
    }
    if (!waiting) this.messages.push(message);
    return this.asSent(message);
  }

  #editByToken(known: Known, id: string, body: Params): Params {
    const message = this.#message(id === '@original' ? known.original : id, known.channel);
    applyBody(message, body, true);
    return this.asSent(message);
  }
}
