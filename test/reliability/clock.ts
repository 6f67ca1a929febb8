/** A morning of an ordinary day. */
const FIRST_DAY_MS = Date.UTC(2027, 0, 15, 9);
const DAY_MS = 86_400_000;

/** When the time of a world begins, ms. @param day of its own for each of the worlds that share their stores. */
export function startOf(day = 0): number {
  return FIRST_DAY_MS + day * DAY_MS;
}

interface Timer {
  at: number;
  n: number;
  run: () => void;
}

/** Time that passes only when `next` is called: to the earliest timer, those of one moment in the order they were set. */
export class VirtualClock {
  readonly startMs: number;
  #now: number;
  #n = 0;
  readonly #heap: Timer[] = [];

  constructor(startMs: number) {
    this.startMs = startMs;
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  /** Calls `run` after `ms`. */
  after(ms: number, run: () => void): void {
    this.#push({ at: this.#now + Math.max(0, ms), n: ++this.#n, run });
  }

  /** Lets time pass to the earliest timer and calls it; false if there is none. */
  next(): boolean {
    const timer = this.#pop();
    if (!timer) return false;
    this.#now = timer.at;
    timer.run();
    return true;
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    for (;;) {
      const up = (at - 1) >> 1;
      const above = heap[up];
      if (at === 0 || !above || !isBefore(timer, above)) break;
      heap[at] = above;
      at = up;
    }
    heap[at] = timer;
  }

  #pop(): Timer | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!child || !isBefore(child, last)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.n < b.n);
}

/** Numbers from 0 up to 1 that follow from the seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let a = (seed * 2_654_435_761 + 12_345) | 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
