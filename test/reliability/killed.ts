import { ownPart, placeOf } from '../../lib/domain/place.ts';
import { Conch, until } from '../e2e/conch.ts';
import { type Message, person, TelegramStandIn, type Update, Updates } from '../standins/telegram.ts';
import { randomFrom } from './clock.ts';

/** How hard a run is. */
export interface Load {
  people: number;
  messagesEach: number;
  kills: number;
  /** Between two kills, on average. */
  killEveryMs: number;
  seed: number;
}

/** What was counted at the end, over all people. */
export interface Counts {
  messages: number;
  deliveries: number;
  kills: number;
  /** Events of messages in the logs. */
  events: number;
  turns: number;
  /** Messages that no visible answer, or more than one, has the word of. */
  unanswered: string[];
  answeredTwice: string[];
  /** Turns that did not end, or were not delivered, exactly once. */
  unfinished: number;
  orphans: number;
  seconds: number;
}

interface LoggedEvent {
  type: string;
  data: { turn?: string; content?: { text: string } };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const TENANT = 'acme';
const QUIET_WITHIN_MS = 600_000;

/** A whole Conch on one machine, killed again and again while several people write and every update comes 1 to 4 times. */
export class KilledConch {
  readonly #conch = new Conch();
  readonly #updates = new Updates();
  readonly #random: () => number;
  readonly #load: Load;
  #telegram: TelegramStandIn | undefined;
  #channelId = '';
  #deliveries = 0;
  /** The words that name the messages, by person. */
  readonly #words = new Map<number, string[]>();

  constructor(load: Load) {
    this.#load = load;
    this.#random = randomFrom(load.seed);
  }

  async run(): Promise<Counts> {
    const startedAt = Date.now();
    await this.#setUp();
    try {
      await Promise.all([this.#killing(), ...this.#people().map((id) => this.#writing(id))]);
      await this.#untilQuiet();
      return await this.#count(startedAt);
    } finally {
      await Promise.all([this.#conch.close(), this.#standIn.close()]);
    }
  }

  get #standIn(): TelegramStandIn {
    if (!this.#telegram) throw new Error('The stand-in has not started');
    return this.#telegram;
  }

  async #setUp(): Promise<void> {
    [this.#telegram] = await Promise.all([TelegramStandIn.start(), this.#conch.start()]);
    const { token, root } = this.#telegram;
    await this.#conch.admin('PUT', `/tenants/${TENANT}`, {});
    await this.#conch.admin('PUT', `/tenants/${TENANT}/providers/demo`, {
      engine: 'demo',
      settings: { delayMs: '40' },
    });
    const connected = await this.#conch.admin<{ id: string }>('PUT', `/tenants/${TENANT}/channels/bot`, {
      ...{ app: 'telegram', token, apiRoot: root, access: 'anyone' },
    });
    if (connected.status !== 201) throw new Error(`The channel was not connected: ${JSON.stringify(connected.body)}`);
    this.#channelId = connected.body.id;
  }

  #people(): number[] {
    return Array.from({ length: this.#load.people }, (_, n) => 7_001 + n);
  }

  async #killing(): Promise<void> {
    for (let n = 0; n < this.#load.kills; n++) {
      await sleep(this.#load.killEveryMs * (0.5 + this.#random()));
      await this.#conch.kill();
      await this.#conch.start();
    }
  }

  async #writing(id: number): Promise<void> {
    const words: string[] = [];
    this.#words.set(id, words);
    const spanMs = this.#load.kills * this.#load.killEveryMs;
    for (let n = 1; n <= this.#load.messagesEach; n++) {
      const word = `w${id}n${n}x`;
      words.push(word);
      const update = this.#updates.privateMessage(`Repeat ${word} please`, person(id, `P${id}`));
      const copies = Math.floor(this.#random() * 4);
      await Promise.all([this.#untilTaken(update), ...Array.from({ length: copies }, () => this.#beside(update))]);
      await sleep((this.#random() * 2 * spanMs) / this.#load.messagesEach);
    }
  }

  /** As Telegram does: again until it is taken. */
  async #untilTaken(update: Update): Promise<void> {
    for (;;) {
      if ((await this.#deliver(update)) === 200) return;
      await sleep(200 + this.#random() * 800);
    }
  }

  /** One more delivery, at once or late, that nobody repeats. */
  async #beside(update: Update): Promise<void> {
    await sleep(this.#random() < 0.5 ? this.#random() * 50 : this.#random() * 5_000);
    await this.#deliver(update);
  }

  async #deliver(update: Update): Promise<number> {
    this.#deliveries++;
    return this.#standIn.deliver(update).catch(() => 503);
  }

  async #events(id: number): Promise<LoggedEvent[]> {
    const place = placeOf({ channel: ownPart(this.#channelId), chat: String(id) });
    const answer = await this.#conch.admin<LoggedEvent[]>('GET', `/tenants/${TENANT}/places/${place}/events?after=0`);
    return Array.isArray(answer.body) ? answer.body : [];
  }

  async #untilQuiet(): Promise<void> {
    for (const id of this.#people()) {
      const words = this.#words.get(id) ?? [];
      const isDone = async () => {
        const isShown = words.every((word) => this.#answers(id, word).length > 0);
        return isShown && (await this.#events(id)).at(-1)?.type === 'reply.delivered';
      };
      await until(isDone, `answers to ${id}: ${words}`, QUIET_WITHIN_MS).catch(() => undefined);
    }
    await sleep(3_000);
  }

  #answers(id: number, word: string): Message[] {
    return this.#standIn.messages(id).filter(({ text }) => text.includes(word) && text.includes('built-in demo'));
  }

  async #count(startedAt: number): Promise<Counts> {
    const logs = await Promise.all(this.#people().map((id) => this.#events(id)));
    const named = this.#people().flatMap((id) => (this.#words.get(id) ?? []).map((word) => ({ id, word })));
    const having = (is: (answers: number) => boolean) =>
      named.filter(({ id, word }) => is(this.#answers(id, word).length)).map(({ word }) => word);
    const turns = logs.map((log) => turnsOf(log));
    return {
      ...{ messages: named.length, deliveries: this.#deliveries, kills: this.#load.kills },
      events: logs.flat().filter(({ type }) => type === 'message').length,
      turns: turns.reduce((sum, { all }) => sum + all, 0),
      unfinished: turns.reduce((sum, { unfinished }) => sum + unfinished, 0),
      ...{ unanswered: having((answers) => answers === 0), answeredTwice: having((answers) => answers > 1) },
      orphans: this.#people()
        .flatMap((id) => this.#standIn.visible(id))
        .filter((text) => text === '…').length,
      seconds: Math.round((Date.now() - startedAt) / 1000),
    };
  }
}

function turnsOf(log: readonly LoggedEvent[]): { all: number; unfinished: number } {
  const turns = [...new Set(log.flatMap(({ type, data }) => (type === 'turn.started' ? (data.turn ?? []) : [])))];
  const times = (turn: string, wanted: string) =>
    log.filter(({ type, data }) => type === wanted && data.turn === turn).length;
  const isDone = (turn: string) => times(turn, 'turn.ended') === 1 && times(turn, 'reply.delivered') === 1;
  return { all: turns.length, unfinished: turns.filter((turn) => !isDone(turn)).length };
}
