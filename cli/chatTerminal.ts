import { clearLine, createInterface, cursorTo, type Interface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Chat } from './chatClient.ts';
import { MessageLines } from './lines.ts';
import { plainText } from './show.ts';

const READY = '> ';
const WAITING = '… ';
const MORE = '. ';
const POLL_WAITING_MS = 250;
const POLL_IDLE_MS = 1_500;
/** Failed polls in a row before the chat ends. */
const POLL_TRIES = 3;

interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** A chat at a terminal: what is typed is sent, replies appear above the line that is being typed. */
class TerminalChat {
  readonly #client: Chat;
  readonly #output: NodeJS.WritableStream;
  readonly #readline: Interface;
  readonly #lines = new MessageLines();
  readonly #closed = new AbortController();
  /** Ends the wait before the next look for replies. */
  #wake = new AbortController();
  /** Messages are sent one after the other, as they were typed. */
  #sending: Promise<void> = Promise.resolve();
  #seen = 0;
  #isWaiting = false;
  #failure: unknown;

  constructor(client: Chat, { input, output }: Terminal) {
    this.#client = client;
    this.#output = output;
    this.#readline = createInterface({ input, output, prompt: READY });
    this.#readline.on('line', (line) => this.#typed(line));
    this.#readline.on('SIGINT', () => this.#readline.close());
    this.#readline.on('close', () => this.#closed.abort());
  }

  /** Until the person leaves, or Conch does. */
  async run(): Promise<void> {
    try {
      this.#seen = await this.#client.newest();
      this.#prompt();
      await this.#poll();
    } finally {
      this.#readline.close();
      this.#output.write('\n');
    }
    await this.#sending;
    if (this.#failure) throw this.#failure;
  }

  #typed(line: string): void {
    const message = this.#lines.add(line);
    this.#isWaiting ||= message !== undefined;
    this.#prompt();
    if (message !== undefined) this.#sending = this.#sending.then(() => this.#send(message));
  }

  async #send(message: string): Promise<void> {
    if (this.#failure) return;
    await this.#client.send(message).catch((error) => this.#end(error));
    this.#wake.abort();
  }

  async #poll(): Promise<void> {
    for (let failed = 0; !this.#closed.signal.aborted; ) {
      await this.#pause();
      if (this.#closed.signal.aborted) return;
      try {
        await this.#show();
        failed = 0;
      } catch (error) {
        failed += 1;
        if (failed === POLL_TRIES) this.#end(error);
      }
    }
  }

  async #pause(): Promise<void> {
    this.#wake = new AbortController();
    const signal = AbortSignal.any([this.#closed.signal, this.#wake.signal]);
    await wait(this.#isWaiting ? POLL_WAITING_MS : POLL_IDLE_MS, undefined, { signal }).catch(() => {});
  }

  async #show(): Promise<void> {
    const replies = await this.#client.replies(this.#seen);
    const last = replies.at(-1);
    if (!last || this.#closed.signal.aborted) return;
    this.#seen = last.seq;
    this.#isWaiting = false;
    clearLine(this.#output, 0);
    cursorTo(this.#output, 0);
    for (const { text } of replies) this.#output.write(`${plainText(text)}\n\n`);
    this.#prompt();
  }

  #prompt(): void {
    if (this.#closed.signal.aborted) return;
    this.#readline.setPrompt(this.#lines.isOpen ? MORE : this.#isWaiting ? WAITING : READY);
    this.#readline.prompt(true);
  }

  #end(error: unknown): void {
    this.#failure ??= error;
    this.#readline.close();
  }
}

/** Chats at the terminal until the person leaves. @throws {Failure} if Conch cannot be reached any more. */
export function chatInTerminal(client: Chat, terminal: Terminal): Promise<void> {
  return new TerminalChat(client, terminal).run();
}
