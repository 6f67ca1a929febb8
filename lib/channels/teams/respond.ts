import type {
  Channel,
  DeliveryAnswer,
  Incoming,
  IncomingPress,
  OutgoingFile,
  Piece,
  Responder,
  Sender,
  SendOptions,
  SendResult,
} from '../../ports/chatApp.ts';
import { cutText } from '../shared/graphemes.ts';
import type { TeamsAddress } from './address.ts';
import { PRESS_ANSWER_LIMIT_CHARS } from './limits.ts';
import { CARD_TYPE } from './render.ts';
import { mustRedraw, pressedMessage, sender, withoutChoices } from './send.ts';

const TEXT_TYPE = 'application/vnd.microsoft.activity.message';
/** The presser waits for the answer meanwhile. */
const EDIT_TIMEOUT_MS = 4_000;
/** Teams takes an empty answer for a failed one, and says so to the presser. */
const NOTHING_TO_SAY = 'Your choice was taken.';

/** Only a press that came as an invoke is answered in the HTTP response. */
export function responder(channel: Channel, incoming: Incoming): Responder | undefined {
  const isInvoke = incoming.kind === 'press' && incoming.pressId === 'invoke';
  return isInvoke ? new PressResponder(channel, incoming) : undefined;
}

/**
 * Answers a press: the HTTP response shows the new card to the presser, or a short text to them alone. It changes the card
 * for nobody else and not for good, so the message is edited by a call as well.
 */
class PressResponder implements Responder {
  readonly #press: IncomingPress;
  readonly #sender: Sender;
  #card: unknown;
  #text: string | undefined;

  constructor(channel: Channel, press: IncomingPress) {
    this.#press = press;
    this.#sender = sender(channel);
  }

  defer(): void {}

  suggest(): void {}

  answer(): DeliveryAnswer {
    const text = this.#text ?? NOTHING_TO_SAY;
    const isCard = this.#text === undefined && this.#card !== undefined;
    const answer = isCard ? { type: CARD_TYPE, value: this.#card } : { type: TEXT_TYPE, value: text };
    return { status: 200, body: { statusCode: 200, ...answer } };
  }

  post(to: TeamsAddress, piece: Piece, options: SendOptions): Promise<SendResult> {
    return this.#sender.post(to, piece, options);
  }

  edit(to: TeamsAddress, id: string, piece: Piece, options: SendOptions): Promise<SendResult> {
    if (id === pressedMessage(this.#press)) this.#card = cardIn(piece);
    return this.#sender.edit(to, id, piece, { ...options, timeoutMs: Math.min(options.timeoutMs, EDIT_TIMEOUT_MS) });
  }

  file(to: TeamsAddress, file: OutgoingFile, options: SendOptions): Promise<SendResult> {
    return this.#sender.file(to, file, options);
  }

  async typing(): Promise<void> {}

  async answerPress(_press: IncomingPress, text?: string): Promise<void> {
    this.#text = text === undefined ? undefined : cutText(text, PRESS_ANSWER_LIMIT_CHARS);
  }

  async removeChoices(press: IncomingPress, shown?: 'changed'): Promise<void> {
    const piece = shown === 'changed' ? undefined : withoutChoices(press);
    if (piece) this.#card = cardIn(piece);
    await this.#sender.removeChoices(press, shown);
  }

  mustRedraw(press: IncomingPress): boolean {
    return mustRedraw(press);
  }

  pressedMessage(press: IncomingPress): string | undefined {
    return pressedMessage(press);
  }
}

/** The card of a message that is one. */
function cardIn({ body }: Piece): unknown {
  const { attachments } = body as { attachments?: { content: unknown }[] };
  return attachments?.[0]?.content;
}
