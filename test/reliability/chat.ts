import type { Address } from '../../lib/domain/events.ts';
import type {
  Channel,
  ChatApp,
  Incoming,
  IncomingPress,
  Limits,
  Outgoing,
  Piece,
  Sender,
  SendResult,
  ShownChoice,
} from '../../lib/ports/chatApp.ts';
import type { Process } from './process.ts';

/** A message of ours as the person sees it. */
export interface ShownMessage {
  id: string;
  chat: string;
  text: string;
  choices: ShownChoice[];
  /** The idempotency key that it was posted with. */
  key: string | undefined;
  /** The turn of the worker that posted it. */
  turn: string | undefined;
  /** Every text that it has had, with when. */
  history: { at: number; text: string }[];
}

/** What the chat app did for a process. */
export interface Shown {
  kind: 'post' | 'edit' | 'popup' | 'remove-choices';
  process: Process;
  message?: ShownMessage;
  text: string;
  /** The update that a webhook answers with it, where it is known. */
  press?: IncomingPress;
}

export type ChatKind = 'telegram' | 'text';

/** Units of one message: small, so that short answers have several parts. */
const TEXT_LIMIT = 120;

const LIMITS: Record<ChatKind, Limits> = {
  telegram: {
    ...{ textLimit: TEXT_LIMIT, buttonLimit: 8, hasButtons: true, canEdit: true },
    ...{ minEditIntervalMs: { private: 1_000, group: 3_000 }, commandPrefix: '/', deliversMessages: true },
  },
  text: {
    ...{
      textLimit: TEXT_LIMIT,
      buttonLimit: 9,
      hasButtons: false,
      deliversMessages: true,
      canEdit: false,
    },
    ...{ minEditIntervalMs: { private: 1_000, group: 1_000 }, commandPrefix: '/' },
  },
};

/** What a message looks like: its text in pieces, the choices under the last one. */
export function piecesOf({ markdown, choices = [] }: Outgoing): Piece[] {
  const texts = markdown.match(new RegExp(`[^]{1,${TEXT_LIMIT}}`, 'gu')) ?? ['…'];
  return texts.map((text, n) => {
    const body = { text, choices: n === texts.length - 1 ? choices : [] };
    return { body, plain: body };
  });
}

const isNamed = (choice: ShownChoice, label: string) =>
  choice.label === label || choice.label.startsWith(`${label} · `);

/** A chat app in memory: keeps our messages by id and says what is visible. */
export class ChatStandIn {
  readonly messages = new Map<string, ShownMessage>();
  /** Chats that take nothing from us. */
  readonly blocked = new Set<string>();
  readonly kind: ChatKind;
  readonly #now: () => number;
  readonly #shown: (shown: Shown) => void;

  constructor(kind: ChatKind, now: () => number, shown: (shown: Shown) => void) {
    this.kind = kind;
    this.#now = now;
    this.#shown = shown;
  }

  /** The newest message that shows a choice with this label, or with it and more behind a dot. */
  withChoice(chat: string, label: string): { message: ShownMessage; choice: ShownChoice } | undefined {
    for (const message of [...this.messages.values()].reverse()) {
      const choice = message.chat === chat ? message.choices.find((one) => isNamed(one, label)) : undefined;
      if (choice) return { message, choice };
    }
    return undefined;
  }

  /** The app as one process uses it. */
  app(process: Process): ChatApp {
    return {
      name: this.kind,
      limits: LIMITS[this.kind],
      verify: () => ({ ok: true }),
      read: (body) => JSON.parse(new TextDecoder().decode(body)) as Incoming[],
      render: piecesOf,
      sender: (channel) => this.#sender(process, channel),
      fields: { parse: () => ({ ok: true, secrets: {}, settings: {} }), generate: () => ({}) },
      identify: async () => ({ ok: true, bot: {} }),
      register: async () => ({ ok: true }),
      publishMenu: async () => ({ ok: true }),
      unregister: async () => ({ ok: true }),
      claimLink: () => undefined,
      privateChat: (person) => (this.kind === 'telegram' ? { chat: person } : undefined),
      check: async () => [],
    };
  }

  #sender(process: Process, _channel: Channel): Sender {
    return {
      post: (to, piece, { timeoutMs, idempotencyKey }) =>
        this.#send(process, 'chat.post', timeoutMs, async () => this.#post(process, to, piece, idempotencyKey)),
      edit: (to, id, piece, { timeoutMs }) =>
        this.#send(process, 'chat.edit', timeoutMs, async () => this.#edit(process, to, id, piece)),
      file: (to, file, options) =>
        this.#send(process, 'chat.file', options.timeoutMs, async () =>
          this.#post(process, to, { body: { text: file.name, choices: [] }, plain: {} }, options.idempotencyKey),
        ),
      typing: () => this.#sign(process, 'chat.typing', () => undefined),
      answerPress: (press, text = '') =>
        this.#sign(process, 'chat.answerPress', () => this.#shown({ kind: 'popup', process, text, press })),
      removeChoices: (press) =>
        this.#sign(process, 'chat.removeChoices', () => {
          const message = this.messages.get(press.update.split('@')[1] ?? '');
          if (message) message.choices = [];
          this.#shown({ kind: 'remove-choices', process, text: '', press });
        }),
      pressedMessage: (press) => press.update.split('@')[1],
    };
  }

  #send(process: Process, name: string, timeoutMs: number, effect: () => Promise<SendResult>): Promise<SendResult> {
    return process.call<SendResult>({
      ...{ name, latencyMs: 150, timeoutMs, isSend: true, effect },
      refused: () => ({ kind: 'refused', retryAfterMs: 1_000, reason: 'too many requests' }),
      // The text app knows a repeated reply by its key, so it may ask for it again.
      unknown: () =>
        this.kind === 'text'
          ? { kind: 'refused', retryAfterMs: 1_000, reason: 'the store failed' }
          : { kind: 'unknown', reason: 'timed out' },
    });
  }

  /** Something whose failure does not matter. */
  #sign(process: Process, name: string, effect: () => void): Promise<void> {
    const nothing = () => undefined;
    return process.call<void>({
      ...{ name, latencyMs: 100, timeoutMs: 5_000, effect: async () => effect() },
      ...{ refused: nothing, unknown: nothing },
    });
  }

  #post(process: Process, to: Address, piece: Piece, key: string | undefined): SendResult {
    if (this.blocked.has(to.chat)) return { kind: 'dead', reason: 'blocked', scope: 'chat' };
    const known = key === undefined || this.kind === 'telegram' ? undefined : this.#byKey(to.chat, key);
    if (known) return { kind: 'sent', id: known.id };
    const { text, choices } = piece.body as { text: string; choices: ShownChoice[] };
    const message: ShownMessage = {
      ...{ id: `m${this.messages.size + 1}`, chat: to.chat, text, choices, key, turn: process.claim?.turn },
      history: [{ at: this.#now(), text }],
    };
    this.messages.set(message.id, message);
    this.#shown({ kind: 'post', process, message, text });
    return { kind: 'sent', id: message.id };
  }

  #byKey(chat: string, key: string): ShownMessage | undefined {
    return [...this.messages.values()].find((message) => message.chat === chat && message.key === key);
  }

  #edit(process: Process, to: Address, id: string, piece: Piece): SendResult {
    if (this.blocked.has(to.chat)) return { kind: 'dead', reason: 'blocked', scope: 'chat' };
    const message = this.messages.get(id);
    if (!message) return { kind: 'dead', reason: 'no such message', scope: 'chat' };
    const { text, choices } = piece.body as { text: string; choices: ShownChoice[] };
    Object.assign(message, { text, choices });
    message.history.push({ at: this.#now(), text });
    this.#shown({ kind: 'edit', process, message, text });
    return { kind: 'sent', id };
  }
}
