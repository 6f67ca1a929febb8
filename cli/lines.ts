/** Puts lines together that end with a backslash, so that a message can have several. */
export class MessageLines {
  #before: string[] = [];

  /** Whether a message has begun that the next line goes on with. */
  get isOpen(): boolean {
    return this.#before.length > 0;
  }

  /** The message that ends with this line; undefined if it goes on, or is empty. */
  add(line: string): string | undefined {
    if (line.endsWith('\\')) {
      this.#before.push(line.slice(0, -1));
      return undefined;
    }
    return this.#take([line]);
  }

  /** What was begun when the input ends. */
  end(): string | undefined {
    return this.#take([]);
  }

  #take(last: string[]): string | undefined {
    const message = [...this.#before, ...last].join('\n');
    this.#before = [];
    return message.trim() === '' ? undefined : message;
  }
}
