import { ANSWER_BYTES, ANSWER_LIMIT } from '../domain/limits.ts';
import { jsonBytes, withoutHalf } from '../domain/textSize.ts';

/** What a provider has written so far: never more than the event that ends the turn can hold. */
export class AnswerText {
  #text = '';
  readonly #most: number;
  #bytes: number;

  /** What comes before it in the event, in UTF-16 units and in bytes as JSON. */
  constructor(length = 0, bytes = 0) {
    this.#most = ANSWER_LIMIT - length;
    this.#bytes = bytes;
  }

  get text(): string {
    return this.#text;
  }

  /** Adds as much as there is room for. @returns false if something had to be left out. */
  add(delta: string): boolean {
    const part = delta.length > this.#most - this.#text.length ? this.#cut(delta) : delta;
    const bytes = jsonBytes(part);
    if (this.#bytes + bytes > ANSWER_BYTES) return this.#fill(part);
    this.#text += part;
    this.#bytes += bytes;
    return part === delta;
  }

  #cut(delta: string): string {
    return withoutHalf(delta.slice(0, Math.max(0, this.#most - this.#text.length)));
  }

  #fill(part: string): false {
    let end = 0;
    for (const character of part) {
      this.#bytes += jsonBytes(character);
      if (this.#bytes > ANSWER_BYTES) break;
      end += character.length;
    }
    this.#text += part.slice(0, end);
    this.#bytes = ANSWER_BYTES;
    return false;
  }
}
