import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { signatureHeaders } from '../lib/channels/text/verify.ts';
import { Failure, notRunning } from './failure.ts';

const TIMEOUT_MS = 15_000;
const TRIES = 4;
const RETRY_MS = 1_000;

/** A reply of the bot. */
export interface Reply {
  seq: number;
  id: string;
  text: string;
  at: number;
}

/** Whose chat it is, and where. */
export interface ChatSettings {
  url: string;
  channelId: string;
  secret: string;
  /** The channel was named by whoever started this. */
  isGiven?: true;
  chat: string;
  person: string;
}

/** What a way to show a chat needs of it. */
export type Chat = Pick<ChatClient, 'send' | 'replies' | 'newest'>;

/** A chat of the text app: sends signed messages and fetches replies (DESIGN 6). */
export class ChatClient {
  readonly #settings: ChatSettings;

  constructor(settings: ChatSettings) {
    this.#settings = settings;
  }

  /** Sends a message. Its id stays the same when it is sent again, so that it counts once. */
  async send(text: string): Promise<void> {
    const { chat, person } = this.#settings;
    const body = JSON.stringify({ id: randomUUID(), at: Date.now(), chat, person, text });
    await this.#request('POST', '', body);
  }

  /** Replies behind this number. */
  async replies(after: number): Promise<Reply[]> {
    const query = new URLSearchParams({ chat: this.#settings.chat, after: String(after) });
    const response = await this.#request('GET', `/replies?${query}`, '');
    return (await response.json()) as Reply[];
  }

  /** The number of the newest reply; 0 if there is none. */
  async newest(): Promise<number> {
    let newest = 0;
    for (;;) {
      const last = (await this.replies(newest)).at(-1);
      if (!last || last.seq <= newest) return newest;
      newest = last.seq;
    }
  }

  async #request(method: string, path: string, body: string): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const response = await this.#once(method, path, body);
      if (response.ok) return response;
      if (response.status < 500 || tries === TRIES) throw refusal(response.status, this.#settings);
      await wait(RETRY_MS);
    }
  }

  async #once(method: string, path: string, body: string): Promise<Response> {
    const { url, channelId, secret } = this.#settings;
    const headers = { 'content-type': 'application/json', ...signatureHeaders(secret, body, Date.now()) };
    const init = { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS), ...(body === '' ? {} : { body }) };
    try {
      return await fetch(`${url}/text/${channelId}${path}`, init);
    } catch {
      throw notRunning(url);
    }
  }
}

function refusal(status: number, { url, channelId, isGiven }: ChatSettings): Failure {
  switch (status) {
    case 401:
      return new Failure(
        'The chat’s secret is not right, or the clock of this computer is off by more than 5 minutes.',
      );
    case 404:
      return new Failure(
        isGiven
          ? `There is no text channel “${channelId}” at ${url}; CONCH_CHAT_CHANNEL has to be a channel’s id, and CONCH_URL where it is.`
          : 'There is no such chat any more; start Conch again with npm start.',
      );
    case 400:
    case 413:
      return new Failure('Conch cannot take this message; it may be too long.');
    default:
      return new Failure(`Conch has trouble right now (status ${status}). Try again.`);
  }
}
