import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { initialState } from '../../../lib/domain/state.ts';
import type { Channel, ChatApp, WebhookRequest } from '../../../lib/ports/chatApp.ts';
import { MemoryLog } from '../../support/memory/log.ts';

/** One chat app's webhook, and the same by hand. */
export interface Ack {
  app: ChatApp;
  /** With its secrets opened. */
  channel: Channel;
  /** The nth request: the command `/goal`, as this app carries it, from one of fifty private chats in turn. */
  request(n: number): WebhookRequest;
  /** What a request takes at the least; gives the reply's body, or the HTTP answer's, as text. */
  byHand(): (request: WebhookRequest) => Promise<string>;
}

/** Each person writes in their own chat. */
export const CHATS = 50;

/** What the command shows, as Telegram and Slack's bang write it. */
export const wordsOf = (mark: string) => `No goal is set. Write ${mark}goal what I should keep in mind to set one.`;

export function isSame(given: string, expected: string | Buffer): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** What a floor takes down of a command. */
interface Ran {
  delivery: { key: string; update: string; sentAt: number };
  person: { id: string; name?: string };
  to: { chat: string; [more: string]: string };
}

/**
 * The log by hand: the newest event of a chat with its state read, one more event written. Both sides write events of one
 * kind into the same stand-in of the store, so that what that takes is nobody's figure.
 */
export class LogByHand {
  readonly #log = new MemoryLog();

  async add(ran: Ran): Promise<void> {
    const { delivery, to } = ran;
    const place = { tenant: 'bench', place: to.chat };
    const { state: before = initialState } = (await this.#log.newest(place)) ?? {};
    const hash = createHash('sha256').update(delivery.key).digest('base64url').slice(0, 10);
    const known = before.ring.entries;
    if (known.includes(hash)) throw new Error('A duplicate');
    const sentAtS = Math.floor(delivery.sentAt / 1_000);
    const ring = { entries: `${known}${hash}${sentAtS.toString(36)}`.slice(-512), floorS: sentAtS };
    const seq = before.seq + 1;
    const data = { ...ran, command: 'goal', outcome: 'shown' };
    const event = { seq, id: randomUUID(), type: 'command.ran', at: Date.now(), data };
    await this.#log.append(place, { ...event, state: { ...before, seq, ring } });
  }
}
