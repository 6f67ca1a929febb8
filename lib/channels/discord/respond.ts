import type {
  Channel,
  DeliveryAnswer,
  Incoming,
  IncomingMessage,
  IncomingPress,
  OutgoingFile,
  Piece,
  Responder,
  Sender,
  SendOptions,
  SendResult,
} from '../../ports/chatApp.ts';
import { cutText } from '../shared/graphemes.ts';
import { type DiscordAddress, EPHEMERAL, tokenOf } from './address.ts';
import { privateMessage } from './answers.ts';
import { callApi, failedSend } from './api.ts';
import { CHOICE_LIMIT, CHOICE_LIMIT_CHARS, limits } from './limits.ts';
import { escaped, inlineCode } from './markdown.ts';
import { DEFER_MESSAGE, DEFER_UPDATE, SHOW_MESSAGE, SUGGEST, UPDATE_MESSAGE } from './payload.ts';
import { sender } from './send.ts';

/** How much of a chosen command is shown back. */
const ECHO_LIMIT_CHARS = 200;
const ALREADY_ACKNOWLEDGED = 40060;
const NOT_NOW = 'I cannot take this for now. Please try again in a minute.';

type Body = Record<string, unknown>;

/**
 * Answers one interaction. Discord takes one answer, in the HTTP response, and further messages only behind it; so the
 * first thing to show is kept for the response. What comes when that is over, or a second message, which has to follow
 * the first, goes out by calls.
 */
export function responder(channel: Channel, incoming: Incoming): Responder {
  return incoming.kind === 'press' ? new PressResponder(channel, incoming) : new DiscordResponder(channel, incoming);
}

class DiscordResponder implements Responder {
  protected readonly channel: Channel;
  protected readonly sender: Sender;
  /** The HTTP answer so far. */
  protected kept: Body | undefined;
  readonly #incoming: Incoming;
  readonly #until = Date.now() + (limits.answerWithinMs ?? 0);
  /** The interaction was answered by a call. */
  #called = false;

  constructor(channel: Channel, incoming: Incoming) {
    this.channel = channel;
    this.sender = sender(channel);
    this.#incoming = incoming;
  }

  /** The HTTP answer has gone out, whatever it was. */
  protected get isLate(): boolean {
    return Date.now() >= this.#until;
  }

  defer(): void {
    this.kept ??= { type: DEFER_MESSAGE };
  }

  suggest(values: readonly string[]): void {
    const usable = values.filter((value) => value !== '' && value.length <= CHOICE_LIMIT_CHARS).slice(0, CHOICE_LIMIT);
    this.kept = { type: SUGGEST, data: { choices: usable.map((value) => ({ name: value, value })) } };
  }

  answer(): DeliveryAnswer {
    if (this.#called) return { status: 202 };
    if (this.kept) return { status: 200, body: this.kept };
    const { kind } = this.#incoming;
    return kind === 'message' ? { status: 200, body: privateMessage(NOT_NOW) } : { status: 204 };
  }

  async post(to: DiscordAddress, piece: Piece, options: SendOptions): Promise<SendResult> {
    if (!this.#isOurs(to)) return this.sender.post(to, piece, options);
    if (!this.kept && !this.#called) {
      this.kept = this.toAnswer(piece);
      return this.isLate ? this.flush(options.timeoutMs) : { kind: 'sent', id: 'o:' };
    }
    const first = await this.flush(options.timeoutMs);
    if (first.kind !== 'sent') return first;
    return this.sender.post(this.#toLater(), forOne(piece), options);
  }

  async edit(to: DiscordAddress, id: string, piece: Piece, options: SendOptions): Promise<SendResult> {
    return this.sender.edit(to, id, piece, options);
  }

  /** A file does not go into the HTTP answer: it resolves an answer that is deferred by a call. */
  async file(to: DiscordAddress, file: OutgoingFile, options: SendOptions): Promise<SendResult> {
    if (!this.#isOurs(to)) return this.sender.file(to, file, options);
    this.kept ??= { type: DEFER_MESSAGE, data: { flags: EPHEMERAL } };
    const first = this.isLate ? undefined : await this.flush(options.timeoutMs);
    return first && first.kind !== 'sent' ? first : this.sender.file(this.#toLater(), file, options);
  }

  async typing(): Promise<void> {}

  async release(to: DiscordAddress, piece: Piece): Promise<void> {
    await this.sender.release?.(to, piece);
  }

  async answerPress(_press: IncomingPress, _text?: string): Promise<void> {}

  async removeChoices(_press: IncomingPress): Promise<void> {}

  pressedMessage(press: IncomingPress): string | undefined {
    return this.sender.pressedMessage(press);
  }

  /** The words of a chosen command, and the reply to it, for the person alone (SPEC 12.2). */
  protected toAnswer(piece: Piece): Body {
    const { content = '' } = piece.body as { content?: string };
    const echoed = [...echoOf(this.#incoming), content].join('\n');
    const words = echoed.length <= limits.textLimit ? echoed : content;
    return { type: SHOW_MESSAGE, data: { ...flagged(piece.body), content: words } };
  }

  /** Sends what is kept by a call, so that more can follow it; in the place of what the HTTP answer said, if that is out. */
  protected async flush(timeoutMs: number): Promise<SendResult> {
    const incoming = this.#incoming;
    if (this.#called) return { kind: 'sent', id: 'o:' };
    if (!('to' in incoming && 'update' in incoming))
      return { kind: 'dead', scope: 'message', reason: 'no interaction' };
    if (!this.isLate) return this.#callBack(incoming, timeoutMs);
    this.#called = true;
    const body = (this.kept?.data ?? {}) as Body;
    return this.sender.edit(this.#toLater(), 'o:', { body, plain: body }, { timeoutMs });
  }

  async #callBack({ update }: IncomingMessage | IncomingPress, timeoutMs: number): Promise<SendResult> {
    const token = tokenOf(this.channel, this.#toLater(), Date.now()) ?? '';
    const path = `/interactions/${update}/${token}/callback`;
    const call = { method: 'POST', path, token, body: this.kept } as const;
    const outcome = await callApi(this.channel, call, AbortSignal.timeout(timeoutMs));
    const isSecond = outcome.kind === 'refused' && outcome.code === ALREADY_ACKNOWLEDGED;
    if (outcome.kind !== 'ok' && !isSecond) return failedSend(outcome);
    this.#called = true;
    return { kind: 'sent', id: 'o:' };
  }

  /** Something may be sent elsewhere meanwhile, such as to the owner. */
  #isOurs({ interaction }: DiscordAddress): boolean {
    return 'update' in this.#incoming && interaction === this.#incoming.update;
  }

  /** Where calls about this interaction go. */
  #toLater(): DiscordAddress {
    const incoming = this.#incoming;
    if (incoming.kind === 'message' && incoming.toLater) return incoming.toLater();
    if (!('to' in incoming)) throw new Error('Nothing is sent behind what has no address');
    return incoming.to;
  }
}

/** A press: the pressed message is changed, or the person alone is told something. */
class PressResponder extends DiscordResponder {
  readonly #press: IncomingPress;
  #text: string | undefined;
  #isOver = false;

  constructor(channel: Channel, press: IncomingPress) {
    super(channel, press);
    this.#press = press;
  }

  /** Only its person sees the pressed message. */
  get #isPrivate(): boolean {
    return (Number(this.#press.message?.flags ?? 0) & EPHEMERAL) !== 0;
  }

  override answer(): DeliveryAnswer {
    this.kept ??= this.#answerOf();
    return super.answer();
  }

  #answerOf(): Body {
    if (this.#text === undefined) {
      return this.#isOver ? { type: UPDATE_MESSAGE, data: { components: [] } } : { type: DEFER_UPDATE };
    }
    if (!this.#isOver || !this.#isPrivate) return privateMessage(escaped(this.#text));
    const shown = String(this.#press.message?.content ?? '');
    const content = cutText([shown, `*${escaped(this.#text)}*`].filter(Boolean).join('\n\n'), limits.textLimit);
    return { type: UPDATE_MESSAGE, data: { content, components: [] } };
  }

  override async edit(to: DiscordAddress, id: string, piece: Piece, options: SendOptions): Promise<SendResult> {
    if (this.kept || this.isLate || id !== this.pressedMessage(this.#press)) {
      return this.sender.edit(to, id, piece, options);
    }
    const { flags: _flags, ...data } = piece.body;
    this.kept = { type: UPDATE_MESSAGE, data };
    return { kind: 'sent', id };
  }

  override async answerPress(press: IncomingPress, text?: string): Promise<void> {
    if (this.isLate) return this.sender.answerPress(press, text);
    this.#text = text;
  }

  /** A message that others see loses its buttons by a call, when the HTTP answer is needed for what is said. */
  override async removeChoices(press: IncomingPress): Promise<void> {
    if (this.isLate) return this.sender.removeChoices(press);
    this.#isOver = true;
    if (this.#text !== undefined && !this.#isPrivate) await this.#removeByCall();
  }

  /** What a press runs is shown in the place of a private message, which is used up by it. */
  protected override toAnswer(piece: Piece): Body {
    if (!this.#isPrivate || !this.#isOver) return { type: SHOW_MESSAGE, data: flagged(piece.body) };
    const { flags: _flags, ...data } = piece.body;
    return { type: UPDATE_MESSAGE, data };
  }

  override async post(to: DiscordAddress, piece: Piece, options: SendOptions): Promise<SendResult> {
    if (this.#isOver && !this.#isPrivate && !this.kept) await this.#removeByCall();
    return super.post(to, piece, options);
  }

  async #removeByCall(): Promise<void> {
    const to: DiscordAddress = this.#press.to;
    const { token: _token, ...bare } = to;
    await this.sender.removeChoices({ ...this.#press, to: bare });
  }
}

function flagged(body: Body): Body {
  return { ...body, flags: Number(body.flags ?? 0) | EPHEMERAL };
}

function forOne(piece: Piece): Piece {
  return { body: flagged(piece.body), plain: flagged(piece.plain) };
}

function echoOf(incoming: Incoming): string[] {
  if (incoming.kind !== 'message' || incoming.typed === undefined) return [];
  return [inlineCode(cutText(incoming.typed.replace(/\s+/g, ' '), ECHO_LIMIT_CHARS))];
}
