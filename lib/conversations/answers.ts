import { BoundedMap } from '../domain/boundedMap.ts';
import type { Limits } from '../ports/chatApp.ts';

/** How many answers are remembered. */
const REMEMBERED = 200;

const isGiven = () => true;
const isNotGiven = () => false;

/**
 * Which events this process has answered, or is answering. An answer that goes out by an API call has no exactly-once
 * (DESIGN 3a): a delivery that comes again is answered again from its event. This keeps one process, which may get the
 * same delivery several times at once, from answering twice.
 */
export class Answers {
  readonly #given = new BoundedMap<string, Promise<void>>(REMEMBERED);

  /** As `once`, where the answer goes out by a call; each HTTP answer is read by itself. */
  async give({ repliesInHttp }: Limits, eventId: string, give: () => Promise<void>): Promise<void> {
    await (repliesInHttp ? give() : this.once(eventId, give));
  }

  /** Runs `give` unless the event is answered; a `give` that throws lets the next one try. */
  async once(eventId: string, give: () => Promise<void>): Promise<void> {
    for (;;) {
      const before = this.#given.get(eventId);
      if (!before) break;
      if (await before.then(isGiven, isNotGiven)) return;
    }
    const answer = give();
    this.#given.set(eventId, answer);
    try {
      await answer;
    } catch (error) {
      this.#given.delete(eventId);
      throw error;
    }
  }
}
